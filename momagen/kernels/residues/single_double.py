"""Arithmetic on residues that fit one double, of either sign, between levels that stay in registers.

A value within m·q is a factor while m·q ≤ 2^52, as its quotient must fit the bits above which sums round; it is a
summand while a double holds it. A product is the exact one less the nearest multiple of q, as the twiddle over q, to 54
bits, says (van der Hoeven, Lecerf, Quintin 2016): six operations. Twiddles lie around zero, so its quotient errs by
2^-54 of the factor beside the half that rounding costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from momagen.ir.real import MANTISSA

from .arith import Arith
from .double_digits import SPREAD

HELD = MANTISSA - 1
"""Bits of a factor; sums have one more."""


@dataclass(frozen=True)
class OneDouble(Arith):
    """Residues modulo any odd q below 2^bits, of at least ``least``, in one double."""

    word: int = HELD
    digit: int = HELD
    whole = high = split = ring = False
    lane = 64

    @property
    def cut(self) -> int:
        """Bits that the estimate of a quotient leaves out."""
        return max(self.bits - SPREAD, 1) - 1

    @property
    def least(self) -> int:
        """The least modulus that the estimate serves."""
        return 1 << self.cut + 1

    @property
    def most(self) -> Fraction:
        """The largest factor, in multiples of q; of short moduli as far as the estimate of quotients serves sums."""
        return Fraction(1 << min(HELD, self.cut + self.word - 3), 1 << self.bits)

    @property
    def widest(self) -> Fraction:
        """The largest sum, in multiples of q: a double still holds every integer of its size."""
        return 2 * self.most

    def product(self, m: Fraction) -> Fraction:
        """A product of a factor within m·q, in multiples of q."""
        return Fraction(1, 2) + m * Fraction(1 << self.bits, 1 << MANTISSA + 1)

    def nearest(self, m: Fraction) -> Fraction:
        """A value within m·q less the multiple of q next to it, in multiples of q."""
        return Fraction(1, 2) + m * Fraction(1 << self.bits, 1 << self.cut + self.word)

    @property
    def places(self) -> dict[str, int]:
        """Where a plan has q; and behind 1/q, R^2 and 2^digit·R mod q, it as a double, and the estimate of 1/q."""
        return {"n": 0, "q": 4, "mu": 5}

    @property
    def zeroth(self) -> int:
        """Where a plan has twiddle 0."""
        return 6

    @property
    def shortest(self) -> int:
        """Moduli have more bits than these."""
        return self.cut + 1

    def letters(self, pairs: bool) -> str:
        """What a table holds of each twiddle, by the first letters of their names."""
        return "vu"

    def unit(self, name: str, at: int) -> int:
        """The input ``name`` is held times 2^unit."""
        return {"u": -MANTISSA - 1, "m": -self.cut - self.word}.get(name[0], 0)
