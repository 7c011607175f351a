"""The names that functions of all programs share."""

from __future__ import annotations

from momagen.program import Name, Type

X, Y, Z = Name("x", Type.INPUT), Name("y", Type.WORDS), Name("z", Type.WORDS)
"""The operands and the result."""
A, B = Name("a", Type.INPUT), Name("b", Type.INPUT)
"""The operands of scalar functions."""
N = Name("n")
"""How many residues, or vectors of them, a call of an element-wise kernel does."""
Q, ROOT, C = Name("q", Type.INPUT), Name("root", Type.INPUT), Name("c", Type.INPUT)
"""The modulus, the root of unity, and the constants that a plan keeps, of which q is the first."""
CONSTANTS, TABLES = Name("c", Type.WORDS), Name("tables", Type.INPUT)
ONE, SQUARE = Name("one", Type.INPUT), Name("square", Type.INPUT)
"""R mod q, R^2 mod q."""
FILLED, T = Name("tables", Type.WORDS), Name("t", Type.WORDS)
"""Tables while a plan is made, and what a call works in."""
G, POWERS = Name("g", Type.INPUT), Name("powers", Type.INPUT)
ENTRY, R, STEP = Name("entry", Type.WORDS), Name("r", Type.INPUT), Name("step")
"""A table entry, from a twiddle r times R mod q; its words are so many apart."""


def written(name: Name) -> Name:
    """The same array, as one to be written."""
    return Name(name.text, Type.WORDS)
