"""How many times more one contestant takes than another: at every size, and on average, as the paper gives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from statistics import mean

from momagen.bench.measure.sample import Spread, ratio

from .rows import TIME, FigureRow

Pair = tuple[str, str]
Paper = Mapping[Pair, Mapping[str, float]]
"""What a paper gives, by pair and CPU."""


@dataclass(frozen=True)
class Ratio:
    """How many times more ``above`` takes than ``below``.

    Attributes:
        by: by what is compared (time, instructions, the port floor of a CPU), the ratio in every column that both have:
            of times the median of the rounds' ratios between percentiles, else the one number.
        paper: by CPU, what the paper says of the times.
    """

    above: str
    below: str
    by: Mapping[str, Mapping[str, Spread]]
    paper: Mapping[str, float] = field(default_factory=dict)

    def average(self, what: str) -> float:
        """The mean over columns."""
        return mean(found.median for found in self.by[what].values())

    def data(self) -> dict[str, object]:
        """For JSON."""
        by = {
            what: {"mean": self.average(what), "at": {label: asdict(found) for label, found in labels.items()}}
            for what, labels in self.by.items()
        }
        return {"above": self.above, "below": self.below, "by": by, "paper": dict(self.paper)}


def ratios(rows: Sequence[FigureRow], paper: Paper) -> list[Ratio]:
    """Each tier over the next; all others over projected ones; pairs of which the paper tells; libraries over tiers.

    Pairs that have nothing in common are left out.
    """
    found = [compared(pair, rows, paper.get(pair, {})) for pair in dict.fromkeys(pairs(rows, paper))]
    return [each for each in found if each.by]


def pairs(rows: Sequence[FigureRow], paper: Paper) -> Iterator[Pair]:
    """The pairs of :func:`ratios`, some of them twice."""
    names = list(dict.fromkeys(row.name for row in rows))
    libraries = {row.name for row in rows if row.baseline}
    projected = {row.name for row in rows if row.projected}
    tiers = [name for name in names if name not in libraries]
    yield from pairwise(tiers)
    yield from ((above, below) for below in tiers if below in projected for above in tiers if above not in projected)
    yield from (pair for pair in paper if {*pair} <= {*tiers})
    yield from ((above, below) for above in names if above in libraries for below in tiers)


def compared(pair: Pair, rows: Sequence[FigureRow], paper: Mapping[str, float]) -> Ratio:
    """One pair, by everything that both have in one column or more."""
    by: dict[str, dict[str, Spread]] = {}
    lower = {row.label: row for row in rows if row.name == pair[1]}
    for row in rows:
        if row.name == pair[0] and row.label in lower:
            for what, found in over(row, lower[row.label]).items():
                by.setdefault(what, {})[row.label] = found
    return Ratio(*pair, by, paper)


def over(above: FigureRow, below: FigureRow) -> dict[str, Spread]:
    """The ratios of two rows of one race; of times round by round."""
    own, other = above.quantities(), below.quantities()
    plain = {what: own[what] / other[what] for what in own if what in other and what != TIME}
    found = {what: Spread(value, value, value, 1) for what, value in plain.items()}
    if above.timing and below.timing:
        return {TIME: ratio(above.timing.rounds, below.timing.rounds), **found}
    return found
