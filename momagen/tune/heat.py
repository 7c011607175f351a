"""Races: candidates are timed in alternation in one run, and clear losers are dropped early.

One candidate is *better* than another if it is faster in nine rounds of ten: the median of the paired ratios exceeds 1
by more than the spread from the median to the 10th percentile. Consecutive samples share the clock frequency and the
load of the machine, so their ratio varies less than that of separate runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from momagen.bench.measure.sample import Spread, ratio

LEAST, MOST = 7, 41
"""The number of rounds before a candidate may be dropped, and the largest number of rounds."""
Sample = Callable[[], float]
"""The type of a function that takes one sample: a time in any unit."""


def heat(
    runners: Mapping[str, Sample], *, least: int = LEAST, rounds: int = MOST, more: Callable[[], bool] = lambda: True
) -> dict[str, list[float]]:
    """Return the samples of every runner, one for each round in which it takes part.

    Args:
        runners: The functions that take a sample, by name. The first one takes part in all rounds.
        least: The number of rounds before any runner is dropped.
        rounds: The largest number of rounds.
        more: A function that returns whether there is time left, called before every sample except the first. If there
            is none, some runners may have one sample less than others, or none.
    """
    names, first = list(runners), next(iter(runners))
    times: dict[str, list[float]] = {name: [] for name in names}
    for done in range(rounds):
        if done >= least and len(names) < min(len(runners), 2):
            break
        start = done % len(names)
        for name in names[start:] + names[:start]:  # no runner is always the first one
            if times[first] and not more():
                return times
            times[name].append(runners[name]())
        if done + 1 >= least:
            lost = {name for name in names if name != first and _beaten(times[name], [times[n] for n in names])}
            names = [name for name in names if name not in lost]
    return times


def _beaten(own: Sequence[float], others: Sequence[Sequence[float]]) -> bool:
    """Return whether one of ``others`` is better than ``own``."""
    return any(better(own, other) for other in others if other is not own)


def better(old: Sequence[float], new: Sequence[float]) -> bool:
    """Return whether ``new`` is better than ``old``, round by round, in at least ``LEAST`` rounds."""
    return min(len(old), len(new)) >= LEAST and paired(old, new).low > 1


def paired(old: Sequence[float], new: Sequence[float]) -> Spread:
    """Return the ratios old/new in the rounds in which both took part; they are above 1 if ``new`` is faster."""
    rounds = min(len(old), len(new))
    return ratio(old[:rounds], new[:rounds])
