"""The ratios that the text of the MQX paper states about its Figures 4 and 5, from the table of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from momagen.papers.exhibit import read_exhibits
from momagen.papers.series import middle

SHIPPED = Path(__file__).parents[1] / "paper.toml"
BETWEEN = " / "
"""The separator of the two names of a pair."""


class Reported(NamedTuple):
    """A stated ratio.

    Attributes:
        figure: The name of the figure.
        above: The first name of the pair.
        below: The second name of the pair.
        cpu: The CPU.
        times: The mean time of ``above`` over that of ``below``.
    """

    figure: str
    above: str
    below: str
    cpu: str
    times: float


@cache
def reported() -> tuple[Reported, ...]:
    """Return the ratios that the paper states, by the pairs in the keys of its table."""
    rows = [(each.name, row) for each in read_exhibits(SHIPPED) for row in each.stated if BETWEEN in row.key]
    return tuple(_row(name, row.key, str(at), middle(value)) for name, row in rows for at, value in row.points.items())


def _row(exhibit: str, key: str, at: str, times: float) -> Reported:
    above, below = key.split(BETWEEN)
    return Reported(exhibit.replace("-", "_"), above, below, at.rpartition(", ")[2], times)


def of_paper(figure: str) -> dict[tuple[str, str], Mapping[str, float]]:
    """Return the ratios of one figure, by pair and CPU."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in reported():
        if row.figure == figure:
            found.setdefault((row.above, row.below), {})[row.cpu] = row.times
    return {**found}
