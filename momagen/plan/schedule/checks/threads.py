"""The checks of schedules for blocks of threads: launches, shared memory, and the work of every thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.kernels.flow.columns import ONE
from momagen.kernels.flow.layouts import USER
from momagen.plan.schedule.launches import LaunchPlan, launch_nests, launches_of
from momagen.plan.schedule.types import OPERAND, RESULT, SCRATCH, SHARED, Schedule, Step, ThreadLaunch

from .formula import count, moves, nested, orders, table
from .limits import Problems, ScheduleLimits

THREADS = 1024
"""The largest number of threads of a block."""
PADDING = 16
"""The largest value of ``padding``."""
RESIDENT = 32
"""The largest number of blocks of a multiprocessor."""


def shape(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield launches, steps and edges whose numbers or index bits do not fit the transform."""
    if schedule.breakdown.columns != limits.columns:
        yield "breakdown.columns", f"all {limits.columns} columns are index bits"
    if len(launch_nests(schedule)) < len(schedule.nests):
        yield "nests", "the nests of threads are launches"
    yield from count(schedule)
    yield from nested(schedule, "launches")
    for at, nest in enumerate(launch_nests(schedule)):
        yield from _nest(f"nests[{at}]", nest)


def _nest(where: str, nest: ThreadLaunch) -> Problems:
    """Yield numbers of a launch that are out of range."""
    if not 1 <= nest.threads <= THREADS or nest.threads & nest.threads - 1:
        yield f"{where}.threads", f"expected a power of two up to {THREADS}, got {nest.threads}"
    if not 1 <= nest.padding <= PADDING:
        yield f"{where}.padding", f"expected 1 to {PADDING}, got {nest.padding}"
    if not 1 <= nest.resident <= RESIDENT:
        yield f"{where}.resident", f"expected 1 to {RESIDENT}, got {nest.resident}"
    if nest.resident_multiplying:
        yield f"{where}.resident_multiplying", f"expected 0 for a transform alone, got {nest.resident_multiplying}"


def _nests(schedule: Schedule) -> Iterator[tuple[int, ThreadLaunch, int]]:
    """Yield each launch with its index and the index of its first step."""
    first = 0
    for at, nest in enumerate(launch_nests(schedule)):
        yield at, nest, first
        first += nest.steps


def bits(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield launches whose blocks, operands and loops do not contain each index bit once."""
    vectors = [0, *(first + nest.steps for _, nest, first in _nests(schedule))]
    yield from orders(schedule, vectors)
    for at, edge in enumerate(schedule.edges):
        memories = (SHARED,) if at not in vectors else (OPERAND,) if at == 0 else (RESULT, SCRATCH)
        if edge.memory not in memories or edge.layout != USER:
            yield f"edges[{at}].memory", f"expected {' or '.join(memories)} in the layout {USER}"
    if schedule.edges[-1].memory != RESULT:
        yield f"edges[{len(schedule.edges) - 1}].memory", f"expected {RESULT}"
    own = range(len(schedule.edges[0].order))
    for at, nest, first in _nests(schedule):
        held = _held(schedule, first)
        members = [bit for bit in held if bit >= len(own)]
        if sorted((*nest.blocks, *held)) != [*own, *range(len(own), len(own) + len(members))]:
            yield f"nests[{at}].blocks", "each index bit must number blocks or elements of a block"
        for number in range(first, first + nest.steps):
            if _held(schedule, number) != held:
                yield f"steps[{number}].loops", "operands and loops must be the index bits of the elements of a block"
        for number in range(first + 1, first + nest.steps):
            if sorted(schedule.edges[number].order) != held:
                yield f"edges[{number}].order", "shared memory must have a place for each element of a block"
            if schedule.edges[number].order != schedule.edges[first + 1].order:
                yield f"edges[{number}].order", "elements keep their places in shared memory"


def _held(schedule: Schedule, at: int) -> list[int]:
    """Return the index bits of the operands and loops of a step, in ascending order."""
    step = schedule.steps[at]
    return sorted((*(step.operands if isinstance(step, Step) else ()), *step.loops))


def launches(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield launches that shared memory does not hold, or that overwrite what they still have to read."""
    yield from moves(schedule)
    for (at, nest, first), launch in zip(_nests(schedule), launches_of(schedule), strict=True):
        if not launch.shared and nest.padding > 1:
            yield f"nests[{at}].padding", f"expected 1 without shared memory, got {nest.padding}"
        if 1 << len(launch.tile) > limits.room:
            yield f"nests[{at}].blocks", f"a block has at most {limits.room} elements"
        if launch.shared > limits.room:
            yield f"nests[{at}]", f"shared memory holds {limits.room} residues, not {launch.shared}"
        source, goal = schedule.edges[first], schedule.edges[first + nest.steps]
        same = source.memory == goal.memory or (at == 0 and goal.memory == RESULT)  # the result may be the operand
        if same and not _in_place(launch):
            where = f"edges[{first + nest.steps}].memory"
            yield where, f"blocks of launch {at} would overwrite elements that others read"
        if not any(isinstance(step, Step) for step in schedule.steps[first : first + nest.steps]):
            yield f"nests[{at}]", "a launch must compute"
        yield from _steps(schedule, first, nest)


def _in_place(launch: LaunchPlan) -> bool:
    """Return whether a launch may store to the vector from which it loads."""
    threads: Sequence[int] = launch.stages[0].work if len(launch.stages) == 1 else ()
    return launch.in_place and all(launch.load[bit] == launch.store[bit] for bit in threads if bit < launch.bits)


def _steps(schedule: Schedule, first: int, nest: ThreadLaunch) -> Problems:
    """Yield problems of the steps of one launch."""
    for at in range(first, first + nest.steps):
        step = schedule.steps[at]
        if not isinstance(step, Step):
            continue
        if step.lanes or step.columns != ONE:
            yield f"steps[{at}].lanes", "threads have no vectors"
        yield from table(at, step)
