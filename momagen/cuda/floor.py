"""The lower bound on the time of a kernel on a GPU that follows from its instruction counts.

Each pipe executes a number of lanes per cycle, the schedulers have a number of issue slots, of which some
instructions take several, and the memory transfers a number of bytes. The slowest of these parts is the
floor. Latencies, dependences and register banks can only add to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from momagen.errors import MomagenError, among

from .devices import WARP, Gpu
from .sass.classes import OTHER, sass_classes


@dataclass(frozen=True)
class GpuFloor:
    """The time that a GPU takes for the counted instructions of one thread, in picoseconds.

    All multiprocessors are busy, so that the time of an instruction is divided by their number.

    Attributes:
        pipes: The time of each pipe.
        issue: The time of the schedulers.
        memory: The time of the memory for the bytes.
        unknown: The classes without a known pipe or rate, which only count towards ``issue``.
    """

    pipes: Mapping[str, float]
    issue: float
    memory: float
    unknown: tuple[str, ...] = ()

    @property
    def bound(self) -> str:
        """The slowest part: "issue", "memory", or the name of a pipe."""
        return max(self.parts, key=lambda name: self.parts[name])

    @property
    def picoseconds(self) -> float:
        """The time of the slowest part."""
        return self.parts[self.bound]

    @property
    def parts(self) -> dict[str, float]:
        """The times of all parts, by name."""
        return {**self.pipes, "issue": self.issue, "memory": self.memory}


def gpu_floor(
    classes: Mapping[str, int], gpu: Gpu, *, bytes_moved: float = 0, lanes: Mapping[str, float] | None = None
) -> GpuFloor:
    """Return the lower bound on the time of ``gpu`` for instructions counted by class (``SassCount.classes``).

    Args:
        classes: The number of instructions in each class.
        gpu: The device.
        bytes_moved: The number of bytes transferred to and from memory.
        lanes: The results per cycle of one multiprocessor, by pipe or rate, which override the table. For
            instance, "wide": 32 assumes the half rate of sm_90 on a core for which "wide" was not measured.

    Raises:
        MomagenError: A class or a rate is unknown, a rate is not above 0, or the number of bytes is negative.
    """
    rates = {**gpu.core.lanes, **_checked(lanes or {}, gpu)}
    if not bytes_moved >= 0:
        raise MomagenError("a non-negative number of bytes", bytes_moved, "bytes_moved")
    pipes: dict[str, float] = defaultdict(float)
    unknown: list[str] = []
    slots = 0.0
    for name, count in classes.items():
        row = OTHER if name == OTHER.name else sass_classes().get(name)
        if row is None:
            raise among("one of the instruction classes", sass_classes(), name, "class")
        slots += count * gpu.core.slots.get(row.lanes or "", 1)
        if row.lanes in rates:
            pipes[row.pipe] += count * gpu.picoseconds(rates[row.lanes])
        else:
            unknown.append(name)
    issue = slots * gpu.picoseconds(gpu.core.issue * WARP)
    return GpuFloor(dict(pipes), issue, bytes_moved * 1e3 / gpu.memory_gb_s, tuple(sorted(unknown)))


def _checked(lanes: Mapping[str, float], gpu: Gpu) -> Mapping[str, float]:
    for name, rate in lanes.items():
        if name not in gpu.core.lanes:
            raise among("one of the pipes and rates", gpu.core.lanes, name, "lanes")
        if not rate > 0:
            raise MomagenError("a number of results per cycle above 0", rate, f"lanes, {name}")
    return lanes
