"""The ratios of two contestants' times or counts, at every size and on average, as the paper states them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from statistics import mean

from momagen.bench.measure.sample import Spread, ratio

from .rows import TIME, FigureRow

Pair = tuple[str, str]
Paper = Mapping[Pair, Mapping[str, float]]
"""The ratios that a paper states, by pair and CPU."""


@dataclass(frozen=True)
class Ratio:
    """The ratios of the times or counts of ``above`` to those of ``below``.

    Attributes:
        above: The name of the first contestant.
        below: The name of the second one.
        by: For each quantity (time, instructions, the port floor of a CPU) the ratio in every column that
            both have. For times it is the median of the rounds' ratios with percentiles, otherwise a single
            number.
        paper: The ratios of the times that the paper states, by CPU.
    """

    above: str
    below: str
    by: Mapping[str, Mapping[str, Spread]]
    paper: Mapping[str, float] = field(default_factory=dict)

    def average(self, what: str) -> float:
        """Return the mean over all columns."""
        return mean(found.median for found in self.by[what].values())

    def data(self) -> dict[str, object]:
        """Return the ratios as plain data for JSON."""
        by = {
            what: {"mean": self.average(what), "at": {label: asdict(found) for label, found in labels.items()}}
            for what, labels in self.by.items()
        }
        return {"above": self.above, "below": self.below, "by": by, "paper": dict(self.paper)}


def ratios(rows: Sequence[FigureRow], paper: Paper) -> list[Ratio]:
    """Return the ratios of all pairs that have a quantity in common.

    The pairs are each tier and the next one, all other tiers and the projected ones, the pairs for which the
    paper states ratios, and libraries and tiers.
    """
    found = [compared(pair, rows, paper.get(pair, {})) for pair in dict.fromkeys(pairs(rows, paper))]
    return [each for each in found if each.by]


def pairs(rows: Sequence[FigureRow], paper: Paper) -> Iterator[Pair]:
    """Yield the pairs of :func:`ratios`, some of them twice."""
    names = list(dict.fromkeys(row.name for row in rows))
    libraries = {row.name for row in rows if row.baseline}
    projected = {row.name for row in rows if row.projected}
    tiers = [name for name in names if name not in libraries]
    yield from pairwise(tiers)
    yield from ((above, below) for below in tiers if below in projected for above in tiers if above not in projected)
    yield from (pair for pair in paper if {*pair} <= {*tiers})
    yield from ((above, below) for above in names if above in libraries for below in tiers)


def compared(pair: Pair, rows: Sequence[FigureRow], paper: Mapping[str, float]) -> Ratio:
    """Return the ratios of one pair, for all quantities that both have in at least one column."""
    by: dict[str, dict[str, Spread]] = {}
    lower = {row.label: row for row in rows if row.name == pair[1]}
    for row in rows:
        if row.name == pair[0] and row.label in lower:
            for what, found in over(row, lower[row.label]).items():
                by.setdefault(what, {})[row.label] = found
    return Ratio(*pair, by, paper)


def over(above: FigureRow, below: FigureRow) -> dict[str, Spread]:
    """Return the ratios of two rows of one race; those of times are computed round by round."""
    own, other = above.quantities(), below.quantities()
    plain = {what: own[what] / other[what] for what in own if what in other and what != TIME}
    found = {what: Spread(value, value, value, 1) for what, value in plain.items()}
    if above.timing and below.timing:
        return {TIME: ratio(above.timing.rounds, below.timing.rounds), **found}
    return found
