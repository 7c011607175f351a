"""Interleaved timing of calls, on arrays that begin at cache lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import median, quantiles
from typing import Any

import numpy as np
import numpy.typing as npt

from momagen.bench.measure.clock import frequency
from momagen.bench.measure.sample import interleave

LINE, ENOUGH = 64, 2e-4
"""Bytes of a cache line; the least number of seconds of a sample: shorter calls are repeated."""

Words = npt.NDArray[np.uint64]


def allocate(shape: tuple[int, ...]) -> Words:
    """Return an array of words, all zero, that begins at a cache line."""
    size = int(np.prod(shape))
    room = np.zeros(size * 8 + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    return room[begin : begin + size * 8].view(np.uint64).reshape(shape)


def time_calls(calls: list[Callable[[], Any]], rounds: int) -> tuple[list[list[float]], float]:
    """Return the seconds of CPU time of each call in every round, and the median clock of all rounds in GHz.

    A sample repeats a call until it takes about ``ENOUGH`` seconds. Every round takes one sample of each call and of
    the clock, which changes from second to second.
    """
    repeats = [max(1, round(ENOUGH / min(_seconds(call, 1) for _ in range(3)))) for call in calls]
    samples = [partial(_seconds, *each) for each in zip(calls, repeats, strict=True)]
    *times, clocks = interleave(dict(enumerate([*samples, _clock])), repetitions=rounds).values()
    return times, median(clocks)


def _clock() -> float:
    clock = frequency()
    assert clock is not None, "a CPU whose clock can be told"
    return clock


def cells(calls: list[float], bounds: list[float]) -> str:
    """Return cells of a table: the time of calls, two lower bounds of it, and its ratio to the larger one.

    Times are lower quartiles in nanoseconds; quartiles follow the ratio.
    """
    low, middle, high = quantiles(each / max(bounds) for each in calls)
    times = (lower_quartile(calls), *bounds)
    return f"{' | '.join(f'{each:.2f} ns' for each in times)} | {low:.2f} ({middle:.2f}, {high:.2f})"


def lower_quartile(samples: list[float]) -> float:
    """Return the value that a quarter of the samples does not exceed."""
    return quantiles(samples)[0]


def _seconds(call: Callable[[], Any], times: int) -> float:
    begin = time.thread_time()
    for _ in range(times):
        call()
    return (time.thread_time() - begin) / times
