"""Candidates timed in alternation, in one run; clear losers are dropped early.

One is *better* than another where it is faster in nine rounds of ten: the median of the paired ratios beats 1 by more
than the spread, from the median to the 10th percentile. Samples next to each other in time share the clock frequency
and the load of the machine, so their ratio varies less than that of separate runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from momagen.bench.measure.sample import Spread, ratio

LEAST, MOST = 7, 41
"""Rounds before a candidate may be dropped, and most rounds."""
Sample = Callable[[], float]
"""Takes one sample: a time, in any unit."""


def heat(
    runners: Mapping[str, Sample], *, least: int = LEAST, rounds: int = MOST, more: Callable[[], bool] = lambda: True
) -> dict[str, list[float]]:
    """The samples of every runner, one a round as long as it is in; the first of ``runners`` is always in.

    Args:
        least: rounds before anyone is dropped. rounds: at most. more: whether there is time, asked before every sample
            but the first; where there is none, some may have a sample less than others, or none.
    """
    names, first = list(runners), next(iter(runners))
    times: dict[str, list[float]] = {name: [] for name in names}
    for done in range(rounds):
        if done >= least and len(names) < min(len(runners), 2):
            break
        start = done % len(names)
        for name in names[start:] + names[:start]:  # nobody always comes first
            if times[first] and not more():
                return times
            times[name].append(runners[name]())
        if done + 1 >= least:
            lost = {name for name in names if name != first and _beaten(times[name], [times[n] for n in names])}
            names = [name for name in names if name not in lost]
    return times


def _beaten(own: Sequence[float], others: Sequence[Sequence[float]]) -> bool:
    return any(better(own, other) for other in others if other is not own)


def better(old: Sequence[float], new: Sequence[float]) -> bool:
    """Whether ``new`` is better than ``old``, round by round, in at least ``LEAST`` rounds."""
    return min(len(old), len(new)) >= LEAST and paired(old, new).low > 1


def paired(old: Sequence[float], new: Sequence[float]) -> Spread:
    """old over new in the rounds that both ran: above 1 where new is faster."""
    rounds = min(len(old), len(new))
    return ratio(old[:rounds], new[:rounds])
