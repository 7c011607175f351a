"""Residues in one double each: products by a constant, less the nearest multiple of q by the precomputed quotient.

As Shoup's product, but the quotient is rounded to the nearest integer, so results are of either sign and within q
(Intel HEXL, WAHC 2021, Algorithm 9, reduces a product of two such residues alike). Values grow at each level, by
q/2 and by the error of the quotient.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, repeat, takewhile
from math import ceil

from momagen.ir.real import MANTISSA

from .double_digits import SPREAD, RealArith
from .lazy_digits import LEVELS

DIGIT = MANTISSA - 1
"""Bits of what one double holds, and of the estimate of 1/q."""
FACTOR = MANTISSA - 2
"""Bits of a factor at most: its quotient then has so many, and a sum rounds it to an integer."""
NEAREST = Fraction(1, 2) + Fraction(1, 1 << 16)
"""The bound of reduced values in multiples of q: the estimate of 1/q errs by far less than 2^-16."""
SUMS = 2
"""Levels that are sums on values that were reduced (`sums_first`): they leave values within 2·2·NEAREST."""


@dataclass(frozen=True)
class OneReal(RealArith):
    """As :class:`RealArith` for moduli that leave room in a double for what levels add."""

    word: int = DIGIT

    @property
    def kind(self) -> str:
        return "one real"

    @property
    def words(self) -> int:
        return 1

    @property
    def grows(self) -> bool:
        """Whether values of all levels would grow too large."""
        return not self.doubling and self.bits + (self.levels + 1).bit_length() > FACTOR

    @property
    def reduces(self) -> bool:
        """Whether values are reduced before products because few levels fit; where sums double, at every sum."""
        return self.doubling or (self.grows and self._lasting < LEVELS)

    @property
    def once_a_pass(self) -> bool:
        """Whether a reduction at the start of a pass is enough for all its levels."""
        return self.grows and not self.reduces

    def _drifts(self, start: Fraction) -> list[Fraction]:
        """In multiples of q, what levels one after another leave that begin within ``start``·q, while factors fit.

        u = ⌊v·2^53/q⌋ makes the quotient of y·v err by |y|/2^53, rounding it by 1/2: a product is within
        (1/2 + |y|/2^53)·q, and a sum x + v·y of values within s·q is within s + 1/2 + s·2^bits/2^53 multiples of q.
        """
        lacks = Fraction(1 << self.bits, 1 << MANTISSA)
        drifts = accumulate(repeat(start), lambda s, _: s * (1 + lacks) + Fraction(1, 2))
        factors = list(takewhile(lambda s: s * (1 << self.bits) <= 1 << FACTOR, drifts))
        return [*factors, factors[-1] * (1 + lacks) + Fraction(1, 2)] if factors else [start]

    @cached_property
    def _lasting(self) -> int:
        """The levels that fit after a reduction, or where two of them are sums."""
        return min(len(self._drifts(NEAREST)) - 1, SUMS + len(self._drifts(4 * NEAREST)) - 1)

    @property
    def factor(self) -> int:
        """Factors are within factor·q; 0: within reach·q."""
        return ceil(self._worst(self.run - 1)) if self.once_a_pass else 0

    def _worst(self, levels: int) -> Fraction:
        """The bound in multiples of q after so many levels of a pass, of which two may be sums."""
        return max(self._drifts(NEAREST)[levels], self._drifts(4 * NEAREST)[max(levels - SUMS, 0)])

    @property
    def run(self) -> int:
        """Levels of a pass, after which there is room for one more sum."""
        if self.once_a_pass:
            return LEVELS
        return max(self.levels, 1) if not self.reduces or self.doubling else min(LEVELS, self._room - 2)

    @property
    def _room(self) -> int:
        return 1 << max(MANTISSA - self.bits, 0)

    @property
    def settles_between(self) -> bool:
        return self.grows

    @property
    def reduces_between(self) -> bool:
        return self.settles_between

    @property
    def settles(self) -> bool:
        return False

    @property
    def reach(self) -> int:
        if self.once_a_pass:
            return ceil(self._worst(self.run))
        return 1 if self.doubling else self.run + 1

    @property
    def loose(self) -> int:
        return MANTISSA

    @property
    def feasible(self) -> bool:
        return self.bits < FACTOR and self.reach < self._room and self.m_in << self.bits <= 1 << DIGIT

    @property
    def cut(self) -> int:
        return max(self.bits - SPREAD, 1) - 1

    def unit(self, name: str, at: int) -> int:
        return {"u": -MANTISSA, "mu": -self.cut - self.word}.get(name, 0)


def one_real(bits: int, levels: int, doubling: bool, m_in: int = 1) -> OneReal | None:
    """The arithmetic for input below m_in·q, or None where a double has no room for it."""
    a = OneReal(bits, levels=levels, doubling=doubling, m_in=m_in)
    return a if a.feasible else None
