"""The names that functions of all programs share."""

from __future__ import annotations

from momagen.program import Name, Type

X, Y, Z = Name("x", Type.INPUT), Name("y", Type.WORDS), Name("z", Type.WORDS)
"""The operands and the result."""
A, B = Name("a", Type.INPUT), Name("b", Type.INPUT)
"""The operands of scalar functions."""
N = Name("n")
"""How many residues, or vectors of them, a call of an element-wise kernel does."""
Q, C = Name("q", Type.INPUT), Name("c", Type.INPUT)
"""The modulus, and the constants that a plan keeps, of which q is the first."""
TABLES, T = Name("tables", Type.INPUT), Name("t", Type.WORDS)
"""Tables, and what a call works in."""
PHASE, PART, PARTS = Name("phase"), Name("part"), Name("parts")
"""Of a transform that threads do together: a phase, a part of it, and how many parts there are."""
FILLED, POWERS, SCALE = Name("tables", Type.WORDS), Name("powers", Type.INPUT), Name("scale", Type.INPUT)
"""While a plan is made: tables, powers of the root, and the factor of all results, times R mod q."""


def written(name: Name) -> Name:
    """The same array, as one to be written."""
    return Name(name.text, Type.WORDS)
