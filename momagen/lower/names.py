"""The names of variables that the functions of all programs share."""

from __future__ import annotations

from momagen.program import Name, Type

X, Y, Z = Name("x", Type.INPUT), Name("y", Type.WORDS), Name("z", Type.WORDS)
"""An operand, the result of a transform, and the result of an element-wise function."""
A, B = Name("a", Type.INPUT), Name("b", Type.INPUT)
"""The operands of scalar functions."""
N = Name("n")
"""The number of residues, or of vectors of residues, that a call of an element-wise kernel processes."""
Q, C = Name("q", Type.INPUT), Name("c", Type.INPUT)
"""The modulus, and the array of plan constants that begins with q."""
TABLES, T = Name("tables", Type.INPUT), Name("t", Type.WORDS)
"""The tables of a plan, and the scratch memory of a call."""
PHASE, PART, PARTS = Name("phase"), Name("part"), Name("parts")
"""The phase of a transform that several threads execute together, the part of it that a call executes, and
the number of parts."""
FILLED, POWERS, SCALE = Name("tables", Type.WORDS), Name("powers", Type.INPUT), Name("scale", Type.INPUT)
"""The names in functions that compute a plan: its tables, the powers of the root, and the factor of all
results times R mod q."""


def written(name: Name) -> Name:
    """Return the name of the same array with the type of an array that is written."""
    return Name(name.text, Type.WORDS)
