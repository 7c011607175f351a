"""The numbers that the paper states, and their distance from ours."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from momagen.papers.exhibit import Exhibit, read_exhibits
from momagen.papers.series import StatedSeries
from momagen.papers.thresholds import Threshold

TABLE = Path(__file__).parents[1] / "paper.toml"
OTHERS = ("f1", "rpu", "v100", "hbm", "cpu_64")
"""The prefixes, before the dot, of the keys of numbers about other machines than the RPU, and about its
memory."""
UNNAMED = {"figure-": "", "section-7": "VII", "Sections ": "", "Section ": "", "Abstract": "abstract"}
"""How reports shorten the names of exhibits and locations."""


@dataclass(frozen=True, kw_only=True)
class Stated(Threshold):
    """A figure of the paper: one number of paper.toml that a report compares with ours.

    Attributes:
        key: The name by which measures.py or areas.py computes it.
        where: The section.
        figure: The figure of a report with which it goes.
        what: The quantity.
        unit: The unit; empty for ratios and counts.
        note: How the text was read, or why ours differs.
    """

    key: str
    where: str
    figure: str
    what: str
    unit: str
    note: str


@functools.cache
def exhibits() -> tuple[Exhibit, ...]:
    """Return the tables and figures of the paper, including the numbers that only its text states."""
    return tuple(read_exhibits(TABLE))


@functools.cache
def stated() -> Mapping[str, Stated]:
    """Return the figures of reports by key, in the order of paper.toml, each once.

    Keys with a dot are not part of reports.
    """
    rows = [(each.name, row) for each in exhibits() for row in each.stated if row.key and "." not in row.key]
    found: dict[str, Stated] = {}
    for name, row in rows:
        found.setdefault(row.key, _stated(name, row))
    return found


def _stated(exhibit: str, row: StatedSeries) -> Stated:
    at = next(iter(row.points))
    threshold = row.threshold(at)
    return Stated(
        low=threshold.low, high=threshold.high, within=threshold.within, points=threshold.points, key=row.key,
        where=_short(row.where), figure=_short(exhibit), what=str(at), unit=row.unit, note=row.note or row.why,
    )  # fmt: skip


def _short(name: str) -> str:
    for long, short in UNNAMED.items():
        name = name.replace(long, short)
    return name


@functools.cache
def others() -> Mapping[str, Mapping[str, float]]:
    """Return the numbers of other machines than the RPU, and of its memory, by their names and quantities."""
    found: dict[str, dict[str, float]] = {name: {} for name in OTHERS}
    for row in (row for each in exhibits() for row in each.stated):
        name, _, quantity = row.key.partition(".")
        if name not in found:
            continue
        found[name][quantity] = next(iter(row.points.values()))  # type: ignore[assignment]
    return found
