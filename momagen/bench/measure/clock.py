"""A timer for C functions that measures nanoseconds and CPU cycles without hardware counters.

The duration of a cycle is derived from a chain of dependent multiplications: it is the time of one
multiplication, divided by the multiplication's latency in cycles. Such chains run before and after every
sample. The latency is the quotient of the times of a chain of multiplications and a chain of additions,
because an addition takes one cycle.
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
"""The argument lists of the C functions, in the order of the enumeration in clock.c: (plan, z, x, count),
(plan, z, x, y, count), (plan, z, a, x, y, count), the same as ``pair``, and (z, plan)."""
ROUNDS = 2000
"""The number of rounds of eight multiplications in a chain, which takes 48 000 cycles on x86-64."""
TRIES = 20
"""The largest number of attempts to measure the latency of a multiplication; each of them takes 3 ms."""
CHAINS, SHORT = 4, 250
"""The number of chains before and after a sample, and the number of rounds of each of them, which take 6000
cycles."""


SAME: Mapping[str, int] = MappingProxyType({})
"""The fields of a job whose calls all read the same operands."""
QUIET = 0.9
"""The fraction of the best pace below which another thread is assumed to share the core."""
STEADY = 0.01
"""The largest relative change of the clock frequency during a sample for which the number of cycles is
accepted."""


@dataclass(frozen=True)
class Reading:
    """One sample: the time of a call in nanoseconds, and in cycles if the latency of a multiplication is known.

    Attributes:
        ns: The CPU time of the calling thread if that thread does the whole call; the wall time if several
            threads do it.
        cycles: The same time in cycles, or None.
        pace: The number of independent additions that the core executes in one multiplication's latency, the
            lower of the values before and after the sample. It is lower while another thread shares the core.
        wall: The wall time in nanoseconds, which is longer than ``ns`` if other threads ran on the core in
            between.
        cpu: The CPU time in nanoseconds, summed over all threads of the process; 0 if one thread does the
            call.
        drift: The relative change of the clock frequency from before the sample to after it.
    """

    ns: float
    cycles: float | None
    pace: float = 0.0
    wall: float = 0.0
    cpu: float = 0.0
    drift: float = 0.0

    def __truediv__(self, units: float) -> Reading:
        """Return the reading per unit."""
        cycles = None if self.cycles is None else self.cycles / units
        return Reading(self.ns / units, cycles, self.pace, self.wall / units, self.cpu / units, self.drift)


def quiet(readings: Sequence[Reading], best: float | None = None) -> list[Reading]:
    """Return the readings that were taken while no other thread shared the core, or all if those are fewer than three.

    Args:
        readings: The readings.
        best: The pace of an unshared core; by default it is derived from the readings.
    """
    limit = QUIET * (usual(readings) if best is None else best)
    found = [reading for reading in readings if reading.pace >= limit]
    return found if len(found) >= 3 else list(readings)


def steady(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings during which the clock stayed the same; all of them if those are fewer than three."""
    found = [reading for reading in readings if reading.drift <= STEADY]
    return found if len(found) >= 3 else list(readings)


def usual(readings: Sequence[Reading]) -> float:
    """Return the 90th percentile of the paces.

    This is the pace of an unshared core if the core was unshared for at least a tenth of the readings.
    """
    return spread([reading.pace for reading in readings]).high


class TimerJob(ctypes.Structure):
    """The structure ``job`` of clock.c, which explains the fields."""

    _fields_ = [
        ("shape", ctypes.c_uint64), ("function", ctypes.c_void_p), ("plan", ctypes.c_void_p), ("z", ctypes.c_void_p),
        ("a", ctypes.c_void_p), ("x", ctypes.c_void_p), ("y", ctypes.c_void_p), ("count", ctypes.c_uint64),
        *((name, ctypes.c_uint64) for name in ("fresh", "vectors", "ring", "at")),
        *((name, ctypes.c_uint64) for name in ("size", "words", "top", "mask", "most", "seed")),
        ("turn", ctypes.c_void_p), ("load", ctypes.c_void_p), ("team", ctypes.c_uint64),
    ]  # fmt: skip


@dataclass(frozen=True)
class TimedCall:
    """A C function with its arguments, ready to be timed.

    Attributes:
        job: The arguments of the functions in clock.c.
        keep: The objects that must stay alive: the library, the owner of the plan, and the buffers.
    """

    job: TimerJob
    keep: Sequence[object]

    def once(self) -> None:
        """Execute one call without timing it."""
        library().momagen_call(ctypes.byref(self.job))

    def time(self, calls: int) -> Reading:
        """Time a number of consecutive calls, and return the time of one call.

        If the job says how, each call gets other operands than the previous ones.
        """
        links, sums, wall = (ctypes.c_double * (2 * CHAINS))(), (ctypes.c_double * 2)(), ctypes.c_double()
        given = (ctypes.byref(self.job), calls, CHAINS, SHORT)
        cpu: float = library().momagen_time(*given, links, sums, ctypes.byref(wall))
        link, pace = median(links), median(links) / max(sums) if all(sums) else 0.0
        ns, summed = (wall.value, cpu) if self.job.team else (cpu, 0.0)
        drift = abs(median(links[CHAINS:]) / median(links[:CHAINS]) - 1) if link else 0.0
        cycles = ns / link * known if (known := latency()) else None
        return Reading(ns, cycles, pace, wall.value, summed, drift)

    def renew(self) -> None:
        """Prepare the operands of the next call, as between two timed calls."""
        library().momagen_next(ctypes.byref(self.job))


def make_call(
    shape: str, function: Any, plan: int, *, z: Words, x: Words | None = None, y: Words | None = None,
    a: Words | None = None, count: int = 1, keep: Sequence[object] = (),
    renewal: Mapping[str, int] = SAME, team: bool = False,
) -> TimedCall:  # fmt: skip
    """Return a timed call of a C function; all buffers must be C-contiguous.

    Args:
        shape: The argument list, one of ``SHAPES``.
        function: The function, as ctypes loads it.
        plan: The address of the plan.
        z: The buffer of the result.
        x: The first vector.
        y: The second vector.
        a: The scalar.
        count: The number of transforms, products or elements in a call.
        keep: More objects that must stay alive.
        renewal: The fields of the job that determine the operands of later calls. By default all calls read
            the same ones.
        team: Whether several threads compute a call, so that its time is wall time.
    """
    address = ctypes.cast(function, ctypes.c_void_p).value
    pointers = [None if buffer is None else buffer.ctypes.data for buffer in (z, a, x, y)]
    job = TimerJob(SHAPES.index(shape), address, plan, *pointers, count, **dict(renewal), team=team)
    return TimedCall(job, (function, z, a, x, y, *keep))


@functools.cache
def library() -> ctypes.CDLL:
    """Return the compiled library of clock.c."""
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
    """Return the latency of a 64-bit multiplication in cycles (3 on x86-64), or None if no integer is found."""
    lib = library()
    for _ in range(TRIES):  # another process on the same core may disturb a measurement
        pairs = [(lib.momagen_multiplications(ROUNDS), lib.momagen_additions(ROUNDS)) for _ in range(31)]
        if found := whole([mul / add for mul, add in pairs if add]):
            return found
    return None


def whole(ratios: Sequence[float], tolerance: float = 0.1) -> int | None:
    """Return the integer of at least 2 from which the median differs by at most ``tolerance``, or None."""
    if not ratios:
        return None
    middle = median(ratios)
    return round(middle) if middle > 1.5 and abs(middle - round(middle)) <= tolerance else None


def frequency() -> float | None:
    """Return the current clock frequency in GHz, or None if the latency of a multiplication is unknown."""
    link: float = library().momagen_multiplications(ROUNDS)
    return known / link if (known := latency()) and link else None
