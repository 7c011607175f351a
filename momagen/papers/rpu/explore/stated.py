"""What the paper states in numbers, and how far a figure of ours is from it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from momagen.tables import checked, read_toml

TABLE = Path(__file__).with_name("paper.toml")
TEXT, NUMBER = "a text", "a number"
ROW = {"key": TEXT, "where": TEXT, "figure": TEXT, "what": TEXT, "low": NUMBER}
MORE: Mapping[str, tuple[str, object]] = {
    "unit": (TEXT, ""), "high": (NUMBER, None), "within": (NUMBER, None), "points": (NUMBER, None), "note": (TEXT, "")
}  # fmt: skip
"""Entries that a row may leave out: their kinds, and what they are then."""
OTHERS = {"f1": ("nanoseconds", "mm2"), "rpu": ("nanoseconds", "mm2"), "v100": ("microseconds",),
          "hbm": ("gigabytes_per_second", "vectors"), "cpu_64": ("least", "most")}  # fmt: skip
PASS, MISS, NO_BAR = "PASS", "miss", ""


@dataclass(frozen=True)
class Stated:
    """A figure of the paper.

    Attributes:
        where, figure, what, unit, note: as paper.toml has them. low, high: what is stated, ends included.
        within, points: the bar, percent of the stated value, or in the figure's unit; None where there is none.
    """

    key: str
    where: str
    figure: str
    what: str
    unit: str
    low: float
    high: float
    within: float | None
    points: float | None
    note: str

    @property
    def text(self) -> str:
        """What is stated: a value, a range, or at least a value."""
        if self.low == self.high:
            return f"{self.low:g}"
        return f"at least {self.low:g}" if self.high == float("inf") else f"{self.low:g} to {self.high:g}"

    @property
    def bar(self) -> str:
        """As text."""
        if self.points is not None:
            return f"± {self.points:g} points"
        if self.within is not None:
            return f"± {self.within:g} %" if self.within else "equal"
        return "in the range" if self.low < self.high else ""

    def far(self, ours: float) -> float:
        """From the nearest end of what is stated; 0 within."""
        return ours - min(max(ours, self.low), self.high)

    def error(self, ours: float) -> float | None:
        """The same in percent of that end; None where it is 0."""
        end = min(max(ours, self.low), self.high)
        return 100 * self.far(ours) / end if end else None

    def verdict(self, ours: float) -> str:
        """PASS, miss, or nothing where there is no bar."""
        if self.points is not None:
            return PASS if abs(self.far(ours)) <= self.points else MISS
        if self.within is None and self.low == self.high:
            return NO_BAR
        end = min(max(ours, self.low), self.high)
        return PASS if abs(self.far(ours)) <= abs(end) * (self.within or 0.0) / 100 else MISS


@functools.cache
def stated() -> Mapping[str, Stated]:
    """All figures of paper.toml by key, in its order."""
    rows = [_row(raw, at) for at, raw in enumerate(_table()["stated"])]
    return {row.key: row for row in rows}


def _row(raw: Any, at: int) -> Stated:
    kinds = {**ROW, **{name: kind for name, (kind, _) in MORE.items() if name in raw}}
    row = checked(raw, kinds, f"{TABLE.name}, [[stated]] {at}")
    row = {**{name: usual for name, (_, usual) in MORE.items()}, **row}
    return Stated(**{**row, "high": row["low"] if row["high"] is None else row["high"]})


@functools.cache
def others() -> Mapping[str, Mapping[str, float]]:
    """Machines beside the RPU, and its memory."""
    return {name: checked(_table()[name], dict.fromkeys(keys, NUMBER), f"{TABLE.name}, [{name}]")
            for name, keys in OTHERS.items()}  # fmt: skip


@functools.cache
def _table() -> dict[str, Any]:
    return read_toml(TABLE, "figures in TOML", TABLE.name)
