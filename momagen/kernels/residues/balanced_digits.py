"""Residues in digits with slack whose products are balanced around zero: half the growth, where that saves a digit.

A product by a constant lies in [0, g·q); with g·q/2 subtracted, a level's results grow half as fast. If even then not
all levels fit, each pass begins with a reduction: that is cheaper than products of one more digit.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

from .lazy_digits import LEVELS, FreeArith


@dataclass(frozen=True)
class CentredArith(FreeArith):
    """As :class:`FreeArith`, for Cooley–Tukey butterflies.

    Attributes:
        apart: the levels of the last pass whose constants differ by lane, as many as it has before them.
        cyclic: of x^n - 1, whose first two levels are sums but for one product.
        between: the most levels of a pass where each pass but the first begins with a reduction; 0: no pass does.
    """

    apart: int = 0
    cyclic: bool = False
    between: int = 0

    @property
    def deep(self) -> bool:
        return not self.folds

    @cached_property
    def words(self) -> int:
        """Digits per residue."""
        return next(c for c in range(1, 1 << 10) if self._fits(c))

    def _fits(self, count: int) -> bool:
        """Whether ``count`` digits hold the values of every pass."""
        spare = count * self.word - self.bits
        if spare < 2:
            return False
        room, last = 1 << spare, 2 * self.apart
        if not self.between or self.levels <= last:
            one = self.levels == last + 1  # level of columns: two rows, no sums of four
            return self._bears(room, count, self.m_in, self.levels, self.apart, not one)
        first = min(self.between, self.levels - last)
        return (
            self._bears(room, count, self.m_in, first, 0, True)
            and self._bears(room, count, 2, self.between, 0, False)
            and self._bears(room, count, 2, last, self.apart, False)
        )

    def _bears(self, room: int, count: int, m: int, levels: int, apart: int, opens: bool) -> bool:
        """Whether values below m·q, with an offset, stay in [0, room·q) on so many levels, the last ``apart`` with
        Shoup products; ``opens``: the first levels of the transform, of which two may be sums (``sums_first``)."""
        half = self._half(count)
        up, down, left = m, 0, levels - apart
        if opens and self.cyclic and left >= 2 and 3 * m < 2 * self._grown(count, True):
            up, down, left = max(4 * m, m + half), max(2 * m, m + half), left - 2
        moved = half * left + (half if self.folds else 2) * apart
        lift = (room - m + 1) // 2
        return down + moved <= lift and lift + up + moved <= room

    def _half(self, count: int) -> int:
        """A product by a folded constant is within half·q of zero: its range has count + 1 multiples of q."""
        return (count + 2) // 2

    @property
    def half(self) -> int:
        return self._half(self.words)

    @property
    def reach(self) -> int:
        return 1 << self.words * self.word - self.bits

    def lift(self, m: int) -> int:
        """The offset, in multiples of q, that values below m·q start with."""
        return (self.reach - m + 1) // 2

    @property
    def opening(self) -> int:
        able = (x for x in range(LEVELS, self.run, -1) if self._bears(self.reach, self.words, self.m_in, x, 0, True))
        return next(able, self.run)

    @property
    def run(self) -> int:
        return self.between or LEVELS

    @property
    def steps(self) -> int:
        """Once for every level, and once more for a pass that begins with a reduction."""
        return self.levels + (self.levels // 2 if self.between else 0)

    @property
    def reduces_between(self) -> bool:
        return self.between > 0

    @property
    def settles_between(self) -> bool:
        """Whether a pass begins with a reduction."""
        return self.reduces_between


def centred(a: FreeArith, apart: int, cyclic: bool) -> FreeArith:
    """``a``, or its balanced form where that takes fewer digits, with as few reductions as those allow."""
    if a.doubling:
        return a
    given = {field.name: getattr(a, field.name) for field in fields(a)}
    ways = [CentredArith(**given, apart=apart, cyclic=cyclic, between=b) for b in (0, *range(LEVELS, 1, -1))]
    return min([a, *ways], key=lambda way: way.words)  # the first of equals
