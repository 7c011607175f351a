"""Arithmetic on residues that fit one double, of either sign, between levels whose values stay in registers.

A value within m·q can be a factor if m·q ≤ 2^52, because its quotient must fit the bits above which sums are
rounded; it can be a summand if a double holds it. A product is the exact product minus its nearest multiple
of q, which the twiddle divided by q, to 54 bits, determines (van der Hoeven, Lecerf, Quintin 2016): this
takes six operations. Twiddles are around zero, so that the error of the quotient is 2^-54 of the factor in
addition to the 1/2 of rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from momagen.ir.real import MANTISSA

from .arith import Arith
from .double_digits import SPREAD

HELD = MANTISSA - 1
"""The number of bits of a factor; sums have one more."""


@dataclass(frozen=True)
class OneDouble(Arith):
    """Residues modulo any odd q below 2^bits, and at least ``least``, in one double."""

    word: int = HELD
    digit: int = HELD
    whole = high = split = ring = False
    lane = 64

    @property
    def cut(self) -> int:
        """The number of bits that the estimate of a quotient omits."""
        return max(self.bits - SPREAD, 1) - 1

    @property
    def least(self) -> int:
        """The least modulus for which the estimate is accurate."""
        return 1 << self.cut + 1

    @property
    def most(self) -> Fraction:
        """The largest factor, in multiples of q. For short moduli the estimate of quotients limits it."""
        return Fraction(1 << min(HELD, self.cut + self.word - 3), 1 << self.bits)

    @property
    def widest(self) -> Fraction:
        """The largest sum, in multiples of q. A double represents every integer of this size exactly."""
        return 2 * self.most

    def product(self, m: Fraction) -> Fraction:
        """Return the bound of the product of a factor within m·q, in multiples of q."""
        return Fraction(1, 2) + m * Fraction(1 << self.bits, 1 << MANTISSA + 1)

    def nearest(self, m: Fraction) -> Fraction:
        """Return the bound of a value within m·q after subtracting its nearest multiple of q, in multiples of q."""
        return Fraction(1, 2) + m * Fraction(1 << self.bits, 1 << self.cut + self.word)

    @property
    def places(self) -> dict[str, int]:
        """The offsets of constants in a plan.

        They are q, and after 1/q, R^2 and 2^digit·R mod q, q as a double and the estimate of 1/q.
        """
        return {"n": 0, "q": 4, "mu": 5}

    @property
    def shortest(self) -> int:
        """The number of bits that every modulus exceeds."""
        return self.cut + 1

    def letters(self, pairs: bool) -> str:
        """Return the columns of a table for each twiddle, by the first letters of their names."""
        return "vu"

    def unit(self, name: str, at: int) -> int:
        """Return the exponent of the unit of an input: it is multiplied by 2^unit."""
        return {"u": -MANTISSA - 1, "m": -self.cut - self.word}.get(name[0], 0)
