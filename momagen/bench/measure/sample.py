"""Interleaved samples and their summaries.

Other work on a machine disturbs samples that are close in time alike, so ratios are computed per round and
summarised afterwards.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from momagen.errors import MomagenError

K = TypeVar("K")
T = TypeVar("T")
LEAST_ROUNDS = 3


@dataclass(frozen=True)
class Spread:
    """The summary of a sample.

    Attributes:
        median: The median.
        low: The 10th percentile.
        high: The 90th percentile.
        count: The number of values.
    """

    median: float
    low: float
    high: float
    count: int


def spread(values: Sequence[float]) -> Spread:
    """Return the summary of at least one value: the median, and percentiles by nearest rank."""
    if not values:
        raise MomagenError("at least one sample", "none", "samples")
    ordered = sorted(values)
    return Spread(median(ordered), _rank(ordered, 0.1), _rank(ordered, 0.9), len(ordered))


def _rank(ordered: Sequence[float], part: float) -> float:
    return ordered[max(math.ceil(part * len(ordered)) - 1, 0)]


def ratio(above: Sequence[float], below: Sequence[float]) -> Spread:
    """Return the summary of above[i] / below[i] over the rounds i of one interleaved run.

    Raises:
        MomagenError: The lists have different lengths or are empty.
    """
    if len(above) != len(below):
        raise MomagenError(f"two lists of {len(above)} samples, one per round", f"{len(below)} in the second", "ratio")
    return spread([a / b for a, b in zip(above, below, strict=True)])


def interleave(
    runs: Mapping[K, Callable[[], T]],
    *,
    repetitions: int,
    seconds: float = math.inf,
    each: Callable[[int], None] | None = None,
) -> dict[K, list[T]]:
    """Run all functions once per round, and return their results by name, one per round.

    Each round begins with another function than the previous one.

    Args:
        runs: The functions by name.
        repetitions: The number of rounds, at least 1.
        seconds: The time in seconds after which no round begins, except for the first three.
        each: A function that is called after every round with the number of completed rounds.

    Raises:
        MomagenError: There are no functions, or ``repetitions`` is less than 1.
    """
    if repetitions < 1 or not runs:
        got = f"{repetitions} repetitions of {len(runs)} functions"
        raise MomagenError("at least 1 repetition of at least 1 function", got, "repetitions")
    names, end = list(runs), time.monotonic() + seconds
    results: dict[K, list[T]] = {name: [] for name in names}
    for done in range(repetitions):
        if done >= LEAST_ROUNDS and time.monotonic() > end:
            break
        for name in names[done % len(names) :] + names[: done % len(names)]:
            results[name].append(runs[name]())
        if each:
            each(done + 1)
    return results
