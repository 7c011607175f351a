"""What exact conversions compare: numbers with half of the product of all moduli, digit by digit, without a branch."""

from __future__ import annotations

from momagen.ir import Builder, const
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.residues.arith import Arith


def exceeds(arith: Arith) -> Elementwise:
    """z = 1 where the digit x with all below it is above ``half`` with all below that, else 0; y says it of those
    below.

    x < q, for q of one word: x + y does not overflow.
    """
    b = Builder()
    x, y, half = b.input("x", 0, arith.top - 1), b.input("y", 0, 1), b.input("half", 0, arith.top >> 1)
    above = b.one("lt", arith.width, half, b.one("addlo", arith.width, x, y))
    b.output("z", b.one("select", arith.width, above, const(1), const(0)))
    return Elementwise(b.block, {"x": 0, "y": 0}, 0)


def chosen(arith: Arith) -> Elementwise:
    """z = a where x is 1, else 0."""
    b = Builder()
    x, a = b.input("x", 0, 1), b.input("a", 0, arith.top - 1)
    b.output("z", b.one("select", arith.width, b.one("lt", arith.width, const(0), x), a, const(0)))
    return Elementwise(b.block, {"x": 0}, 0)
