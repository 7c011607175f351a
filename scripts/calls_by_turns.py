"""Interleaved timing of calls, on arrays that begin at cache lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import quantiles
from typing import Any

import numpy as np
import numpy.typing as npt

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


def time_calls(calls: list[Callable[[], Any]], rounds: int) -> list[list[float]]:
    """Return the seconds of CPU time of each call in every round.

    A sample repeats a call until it takes about ``ENOUGH`` seconds. Every round takes one sample of each call.
    """
    repeats = [max(1, round(ENOUGH / min(_seconds(call, 1) for _ in range(3)))) for call in calls]
    samples = {at: partial(_seconds, *each) for at, each in enumerate(zip(calls, repeats, strict=True))}
    return [*interleave(samples, repetitions=rounds).values()]


def lower_quartile(samples: list[float]) -> float:
    """Return the value that a quarter of the samples does not exceed."""
    return quantiles(samples)[0]


def _seconds(call: Callable[[], Any], times: int) -> float:
    begin = time.thread_time()
    for _ in range(times):
        call()
    return (time.thread_time() - begin) / times
