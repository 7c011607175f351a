"""The comparisons of exact conversions: of numbers with half the product of all moduli, digit by digit.

They have no branches.
"""

from __future__ import annotations

from momagen.ir import Builder, const
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.residues.arith import Arith


def exceeds(arith: Arith) -> Elementwise:
    """Return the codelet that compares a number with a constant, digit by digit from the lowest digit on.

    z is 1 if the number that consists of the digit x and all lower digits is larger than the constant that
    consists of ``half`` and its lower digits, and 0 otherwise; y is the result for the lower digits. Since x
    < q for a modulus q of one word, x + y does not overflow.
    """
    b = Builder()
    x, y, half = b.input("x", 0, arith.top - 1), b.input("y", 0, 1), b.input("half", 0, arith.top >> 1)
    above = b.one("lt", arith.width, half, b.one("addlo", arith.width, x, y))
    b.output("z", b.one("select", arith.width, above, const(1), const(0)))
    return Elementwise(b.block, {"x": 0, "y": 0}, 0)


def chosen(arith: Arith) -> Elementwise:
    """Return the codelet z = a if x is 1, and z = 0 if x is 0."""
    b = Builder()
    x, a = b.input("x", 0, 1), b.input("a", 0, arith.top - 1)
    b.output("z", b.one("select", arith.width, b.one("lt", arith.width, const(0), x), a, const(0)))
    return Elementwise(b.block, {"x": 0}, 0)
