"""Products of residues of up to 50 bits in doubles (Intel HEXL, WAHC 2021, Algorithm 9): the product exactly, as a high
and a low half, less the multiple of q next to it."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.ir import Builder, const
from momagen.ir.real import MANTISSA
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.double_digits import fractions
from momagen.kernels.residues.quotients import DigitProduct

WORD = MANTISSA - 1
"""Bits of the low half of a product: a double holds its difference from another."""
MOST = 50
"""Bits of a product over q: the quotient then errs by less than 1 with its rounding."""


@dataclass(frozen=True, eq=False)
class RealProduct(DigitProduct):
    """A :class:`DigitProduct` of one digit, held in doubles as constants are; the constant "n" is q itself."""

    @property
    def real(self) -> bool:
        return True

    def unit(self, name: str, at: int) -> int:
        """All is held as it is, but for the fractions over q."""
        return -self.cut if name in ("mu", "u") else 0


def fits(kind: str, arith: Arith, taken: int) -> bool:
    """Whether quotients are right to one, of x·y/q for factors below taken·q or of a·x/q, and sums fit a double."""
    lazy = (taken - 1).bit_length()
    return arith.bits + lazy * (2 if kind == "vmul" else 1) <= MOST and (1 + taken) * arith.top < 1 << WORD - 1


def real_product(kind: str, arith: Arith, taken: int) -> RealProduct:
    """The codelet of the kernel ``kind`` for vectors below taken·q: t + q is below m·q and has no sign."""
    b, most = Builder(), taken * arith.top - 1
    x, q = b.input("x", 0, most), b.input("n", 0, arith.top)
    operands, m = {"x": ("x", 0)}, 2
    if kind != "scal":
        y, operands = b.input("y", 0, most), {**operands, "y": ("y", 0)}
    if kind == "vmul":
        cut = arith.bits - 1 + MANTISSA
        r = b.one("product_near", WORD, x, y, q, fractions(b, "mu", 1), k=cut)
    else:
        cut = MANTISSA
        a = b.input("a", 0, arith.top - 1)
        r = b.one("shoup_near", WORD, x, a, fractions(b, "u", 1), q, const(most), k=1)
    if kind == "axpy":
        r, m = b.one("plus", WORD, r, y), 2 + taken
    b.output("t", r)
    constants = dict.fromkeys(("n", "mu") if kind == "vmul" else ("n", "a", "u"), 1)
    return RealProduct(b.block, MANTISSA, operands, constants, 0, m, cut)
