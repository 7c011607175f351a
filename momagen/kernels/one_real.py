"""Residues in one double each: a product by a constant less the multiple of q next to it, told by the constant over q.

As Shoup's product, but the quotient is rounded to the nearest integer, so results are of either sign and within q
(Intel HEXL, WAHC 2021, Algorithm 9, reduces a product of two such residues alike). Values drift by q at each level.
"""

from __future__ import annotations

from dataclasses import dataclass

from momagen.ir.real import MANTISSA

from .free import LEVELS
from .real import SPREAD, RealArith

DIGIT = MANTISSA - 1
"""Bits of what one double holds, and of the estimate of 1/q."""
FACTOR = MANTISSA - 2
"""Bits of a factor at most: its quotient then has so many, and a sum rounds it to an integer."""


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
    def reduces(self) -> bool:
        """Whether values are reduced before they are factors; where sums double, whenever they do."""
        return self.doubling or self.bits + (self.levels + 1).bit_length() > FACTOR

    @property
    def run(self) -> int:
        """Levels of a pass: they leave room for one more sum."""
        return max(self.levels, 1) if not self.reduces or self.doubling else min(LEVELS, self._room - 2)

    @property
    def _room(self) -> int:
        return 1 << max(MANTISSA - self.bits, 0)

    @property
    def settles_between(self) -> bool:
        return self.reduces and not self.doubling

    @property
    def reduces_between(self) -> bool:
        return self.settles_between

    @property
    def settles(self) -> bool:
        return False

    @property
    def reach(self) -> int:
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
