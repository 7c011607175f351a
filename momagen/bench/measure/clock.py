"""Nanoseconds and cycles of a C function, without hardware counters.

A cycle is the time of one link in a chain of dependent multiplications, divided by the multiplication's latency; such
chains run beside every sample. The latency itself is the quotient of two chains: an addition takes one cycle.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

from momagen.params.words import Words
from momagen.runtime import compile_shared, load

from .sample import spread

SHAPES = ("transform", "pair", "scaled_pair", "product", "in_place")
"""Argument lists: (plan, z, x, count), (plan, z, x, y, count), (plan, z, a, x, y, count), as ``pair``, (z, plan)."""
ROUNDS = 2000
"""Rounds of eight multiplications in a chain: 48 000 cycles on x86-64."""
TRIES = 20
"""Most measurements of the latency of a multiplication, 3 ms each."""
CHAINS, SHORT = 4, 250
"""Chains before and after a sample, and their rounds: 6000 cycles each."""


SAME: Mapping[str, int] = MappingProxyType({})
"""Arguments of a call that has the same operands every time."""
QUIET = 0.9
"""Fraction of the best pace below which another thread shares the core."""
STEADY = 0.01
"""Relative change of the clock during a sample above which nobody knows how long its cycles were."""


@dataclass(frozen=True)
class Reading:
    """One sample: the nanoseconds that a call takes, and cycles where this machine's latency is known.

    Attributes:
        ns: CPU time of the calling thread if that thread does the whole call; wall time if a team of threads does.
        cycles: the same time in cycles.
        pace: independent additions per multiplication's latency beside the sample, the worse of before and after.
        wall: nanoseconds that passed: more than ``ns`` where other threads had the core meanwhile.
        cpu: CPU time in nanoseconds, summed over all threads of the process; 0 if no team did the call.
        drift: relative change of the clock from before the sample to after it.
    """

    ns: float
    cycles: float | None
    pace: float = 0.0
    wall: float = 0.0
    cpu: float = 0.0
    drift: float = 0.0

    def __truediv__(self, units: float) -> Reading:
        """Per unit."""
        cycles = None if self.cycles is None else self.cycles / units
        return Reading(self.ns / units, cycles, self.pace, self.wall / units, self.cpu / units, self.drift)


def quiet(readings: Sequence[Reading], best: float | None = None) -> list[Reading]:
    """Readings taken while no other thread shared the core, by the ``best`` pace; all where those are fewer than three.

    Without ``best`` it is the upper end of their own paces.
    """
    limit = QUIET * (usual(readings) if best is None else best)
    found = [reading for reading in readings if reading.pace >= limit]
    return found if len(found) >= 3 else list(readings)


def steady(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings during which the clock stayed the same; all of them if those are fewer than three."""
    found = [reading for reading in readings if reading.drift <= STEADY]
    return found if len(found) >= 3 else list(readings)


def usual(readings: Sequence[Reading]) -> float:
    """The pace that a tenth of ``readings`` exceed: what this core does alone, if it ever was."""
    return spread([reading.pace for reading in readings]).high


class TimerJob(ctypes.Structure):
    """``job`` in clock.c, which explains the fields."""

    _fields_ = [
        ("shape", ctypes.c_uint64), ("function", ctypes.c_void_p), ("plan", ctypes.c_void_p), ("z", ctypes.c_void_p),
        ("a", ctypes.c_void_p), ("x", ctypes.c_void_p), ("y", ctypes.c_void_p), ("count", ctypes.c_uint64),
        *((name, ctypes.c_uint64) for name in ("fresh", "vectors", "ring", "at")),
        *((name, ctypes.c_uint64) for name in ("size", "words", "top", "mask", "most", "seed")),
        ("turn", ctypes.c_void_p), ("load", ctypes.c_void_p), ("team", ctypes.c_uint64),
    ]  # fmt: skip


@dataclass(frozen=True)
class TimedCall:
    """A C function on its buffers, ready to be timed; it keeps everything alive that the call needs.

    Attributes:
        job: what the C loop reads. keep: the library, the plan's owner and the buffers behind it.
    """

    job: TimerJob
    keep: Sequence[object]

    def once(self) -> None:
        """One call, not timed."""
        library().momagen_call(ctypes.byref(self.job))

    def time(self, calls: int) -> Reading:
        """One call, averaged over ``calls`` in a row, each on operands of its own where the job says how."""
        links, sums, wall = (ctypes.c_double * (2 * CHAINS))(), (ctypes.c_double * 2)(), ctypes.c_double()
        given = (ctypes.byref(self.job), calls, CHAINS, SHORT)
        cpu: float = library().momagen_time(*given, links, sums, ctypes.byref(wall))
        link, pace = median(links), median(links) / max(sums) if all(sums) else 0.0
        ns, summed = (wall.value, cpu) if self.job.team else (cpu, 0.0)
        drift = abs(median(links[CHAINS:]) / median(links[:CHAINS]) - 1) if link else 0.0
        cycles = ns / link * known if (known := latency()) else None
        return Reading(ns, cycles, pace, wall.value, summed, drift)

    def renew(self) -> None:
        """Give the next call its own operands, as between two timed ones."""
        library().momagen_next(ctypes.byref(self.job))


def make_call(
    shape: str, function: Any, plan: int, *, z: Words, x: Words | None = None, y: Words | None = None,
    a: Words | None = None, count: int = 1, keep: Sequence[object] = (),
    renewal: Mapping[str, int] = SAME, team: bool = False,
) -> TimedCall:  # fmt: skip
    """The call of ``function`` (from ctypes) with the argument list called ``shape``; buffers are C-contiguous.

    Args:
        team: whether several threads do a call, so that the wall says how long it takes.
        renewal: fields of the job that say where later calls find operands; without any, where the first one does.
    """
    address = ctypes.cast(function, ctypes.c_void_p).value
    pointers = [None if buffer is None else buffer.ctypes.data for buffer in (z, a, x, y)]
    job = TimerJob(SHAPES.index(shape), address, plan, *pointers, count, **dict(renewal), team=team)
    return TimedCall(job, (function, z, a, x, y, *keep))


@functools.cache
def library() -> ctypes.CDLL:
    """The compiled clock.c."""
    source = Path(__file__).with_name("clock.c").read_text(encoding="utf-8")
    lib = load(compile_shared(source, name="momagen_clock", flags=["-std=c99"]))
    for name in ("additions", "multiplications", "time"):
        getattr(lib, f"momagen_{name}").restype = ctypes.c_double
    lib.momagen_additions.argtypes = lib.momagen_multiplications.argtypes = [ctypes.c_uint64]
    for function in (lib.momagen_call, lib.momagen_next):
        function.argtypes, function.restype = [ctypes.c_void_p], None
    lib.momagen_time.argtypes = [ctypes.c_void_p, *[ctypes.c_uint64] * 3, *[ctypes.c_void_p] * 3]
    return lib


@functools.cache
def latency() -> int | None:
    """Cycles of a dependent 64-bit multiplication (3 on x86-64), or None where that is no whole number."""
    lib = library()
    for _ in range(TRIES):  # others on the same core may disturb one
        pairs = [(lib.momagen_multiplications(ROUNDS), lib.momagen_additions(ROUNDS)) for _ in range(31)]
        if found := whole([mul / add for mul, add in pairs if add]):
            return found
    return None


def whole(ratios: Sequence[float], tolerance: float = 0.1) -> int | None:
    """The integer of at least 2 that the median lies next to, or None."""
    if not ratios:
        return None
    middle = median(ratios)
    return round(middle) if middle > 1.5 and abs(middle - round(middle)) <= tolerance else None


def frequency() -> float | None:
    """The clock at this moment, in GHz."""
    link: float = library().momagen_multiplications(ROUNDS)
    return known / link if (known := latency()) and link else None
