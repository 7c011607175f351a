"""Interleaved timing of calls, on arrays that begin at cache lines."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from statistics import median, quantiles
from typing import Any

import numpy as np
import numpy.typing as npt

from momagen.bench.measure.clock import frequency
from momagen.bench.measure.sample import interleave
from momagen.runtime import compile_shared, load
from momagen.runtime.compiled import address

LINE, PAGE, ENOUGH = 64, 4096, 2e-4
"""Bytes of a cache line and of a page; the least number of seconds of a sample: shorter calls are repeated."""
PLACEMENTS = 8
"""The number of placements of results with which a call is timed."""
WORDS_OF_PAGES = 2 * PAGE // 8
"""The number of words by which an array is longer than results that are placed in it."""

MOST = 6
REPEATER = """
#include <stddef.h>
#include <stdint.h>
typedef uint64_t function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
void repeat(function *f, const uint64_t *x, size_t times)
{
    for (size_t i = 0; i < times; i++)
        f(x[0], x[1], x[2], x[3], x[4], x[5]);
}
"""
"""A function that calls another one repeatedly with up to ``MOST`` integers and pointers. On x86-64 these are passed in
registers, so that a function with fewer arguments ignores the others. A call from Python takes about as long as a call
with a thousand residues."""

Words = npt.NDArray[np.uint64]
Call = tuple[Any, Sequence[int]]
"""A function of a library, and its arguments: integers and addresses."""


def allocate(shape: tuple[int, ...]) -> Words:
    """Return an array of words, all zero, that begins at a cache line."""
    size = int(np.prod(shape))
    room = np.zeros(size * 8 + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    return room[begin : begin + size * 8].view(np.uint64).reshape(shape)


def places(data: Words, results: Words) -> Iterator[int]:
    """Yield addresses in ``results`` at ``PLACEMENTS`` distances from ``data``, evenly spread over a page.

    A load waits for an earlier store to the same place of another page, so that the time of a call depends on this
    distance. The last two pages of ``results`` only leave space for it.
    """
    first = address(results) + (address(data) - address(results)) % PAGE
    return iter(range(first, first + PAGE, PAGE // PLACEMENTS))


def time_calls(calls: Sequence[Call], rounds: int) -> tuple[list[list[float]], float]:
    """Return the seconds of CPU time of each call in every round, and the median clock of all rounds in GHz.

    A sample repeats a call until it takes about ``ENOUGH`` seconds. Every round takes one sample of each call and of
    the clock, which changes from second to second.
    """
    loops = [_loop(*call) for call in calls]
    repeats = [max(1, round(ENOUGH / min(_seconds(loop, 1) for _ in range(3)))) for loop in loops]
    samples: list[Callable[[], float]] = [partial(_seconds, *each) for each in zip(loops, repeats, strict=True)]
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


def _loop(function: Any, arguments: Sequence[int]) -> Callable[[int], Any]:
    """Return a function of a number of times, which calls ``function`` that many times."""
    words = (ctypes.c_uint64 * MOST)(*arguments)
    return partial(_repeater(), ctypes.cast(function, ctypes.c_void_p), words)


@cache
def _repeater() -> Any:
    """Return the compiled function ``repeat``."""
    repeat = load(compile_shared(REPEATER, name="repeat", flags=["-O2"])).repeat
    repeat.argtypes, repeat.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t], None
    return repeat


def _seconds(loop: Callable[[int], Any], times: int) -> float:
    """Return the seconds of CPU time of one of ``times`` calls."""
    begin = time.thread_time()
    loop(times)
    return (time.thread_time() - begin) / times
