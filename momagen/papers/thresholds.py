"""Thresholds of reproductions: how far a number of ours may be from what a paper states."""

from __future__ import annotations

from dataclasses import dataclass

PASS, MISS, NO_BAR = "PASS", "miss", ""


@dataclass(frozen=True)
class Threshold:
    """What a paper states, and how far a reproduction may be from it.

    Attributes:
        low: The stated value, or the lower end of a stated range, which belongs to it.
        high: The upper end; infinite if the paper only states a lower end.
        within: The tolerance in per cent of the nearest end; None if there is none.
        points: The tolerance in the unit of the number; None if there is none.
    """

    low: float
    high: float
    within: float | None = None
    points: float | None = None

    @property
    def text(self) -> str:
        """What is stated: a value, a range, or at least a value."""
        if self.low == self.high:
            return f"{self.low:g}"
        return f"at least {self.low:g}" if self.high == float("inf") else f"{self.low:g} to {self.high:g}"

    @property
    def bar(self) -> str:
        """The tolerance as text; empty if there is none."""
        if self.points is not None:
            return f"± {self.points:g} points"
        if self.within is not None:
            return f"± {self.within:g} %" if self.within else "equal"
        return "in the range" if self.low < self.high else ""

    def far(self, ours: float) -> float:
        """Return the difference from the nearest end of what is stated; 0 inside a range."""
        return ours - self._end(ours)

    def error(self, ours: float) -> float | None:
        """Return the difference in per cent of the nearest end; None if that is 0."""
        end = self._end(ours)
        return 100 * self.far(ours) / end if end else None

    def verdict(self, ours: float) -> str:
        """Return ``PASS``, ``MISS``, or ``NO_BAR`` if there is no tolerance and no range."""
        if not self.bar:
            return NO_BAR
        most = self.points if self.points is not None else abs(self._end(ours)) * (self.within or 0.0) / 100
        return PASS if abs(self.far(ours)) <= most else MISS

    def _end(self, ours: float) -> float:
        return min(max(ours, self.low), self.high)
