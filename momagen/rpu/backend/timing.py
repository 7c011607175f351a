"""A model of the time at which instructions run: the machine of simulate/cycles.c, one instruction after another.

It tells the scheduler the cost of each choice. Each instruction reserves its ports when it is added; on the
machine, a later instruction of another pipeline that starts earlier may take them first. All times are
therefore equal to those of the simulator up to the first instruction that a later one overtakes in this way,
and all of them are equal without ports (``stacked`` 0). The model only knows vector registers, and ignores
loads of scalars.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from momagen.rpu.isa.instruction import COMPUTE, RpuInstruction
from momagen.rpu.isa.table import PIPELINES, b512
from momagen.rpu.machine.costs import held, latency
from momagen.rpu.machine.design import Design

VECTORS = "v"
"""The file of vector registers."""
KEPT = 256
"""The number of cycles after which past cycles are forgotten."""


class Slot(NamedTuple):
    """The times of one instruction, in cycles.

    Attributes:
        dispatch: The cycle in which it leaves the front end.
        start: The cycle in which it begins to read.
        read: The cycle in which it has read its operands.
        end: The cycle in which it has written all results.
        free: The cycle in which the next instruction may enter its pipeline.
    """

    dispatch: int
    start: int
    read: int
    end: int
    free: int


class UnitUse(NamedTuple):
    """The use of the machine by an instruction.

    Attributes:
        pipeline: The pipeline.
        holds: The number of cycles for which it occupies the pipeline.
        latency: The number of cycles until the first result.
        step: The number of cycles from one access to a memory to the next.
    """

    pipeline: str
    holds: int
    latency: int
    step: int = 1


def unit_use(given: RpuInstruction, design: Design) -> UnitUse:
    """Return the use of the machine ``design`` by an instruction."""
    pipeline = given.opcode.pipeline
    step = design.interval if pipeline == COMPUTE else 1
    return UnitUse(pipeline, held(given, design), latency(given, design), step)


class Timeline:
    """The state of the machine after the instructions that were added.

    Attributes:
        design: The machine.
        slot: The first cycle in which the front end may dispatch.
        last: The cycle in which all results are available.
        idle: For each register, the cycle in which its value is available and was read.
        free: For each pipeline, the cycle in which it is free.
    """

    def __init__(self, design: Design) -> None:
        count = b512().machine["registers"]
        self.design, self.slot, self.last, self._base = design, 0, 0, 0
        self._ready, self.idle, self._taken = [0] * count, [0] * count, [0] * count
        self._sources = self._ready if design.share else self.idle
        self.free = dict.fromkeys(PIPELINES, 0)
        self._queues = {name: deque[int](maxlen=design.queue) for name in PIPELINES}

    def front(self, work: UnitUse, reads: Iterable[int], writes: Iterable[int]) -> tuple[int, int]:
        """Return the cycles in which the next instruction would be dispatched and, if all ports were free, would start.

        Args:
            work: The use of the machine by the instruction.
            reads: The registers that it reads.
            writes: The registers that it writes.
        """
        dispatch, sources, idle = self.slot, self._sources, self.idle
        for each in reads:
            if sources[each] > dispatch:
                dispatch = sources[each]
        for each in writes:
            if idle[each] > dispatch:
                dispatch = idle[each]
        queue = self._queues[work.pipeline]
        if len(queue) == self.design.queue and queue[0] > dispatch:
            dispatch = queue[0]
        free = self.free[work.pipeline]
        return dispatch, free if free > dispatch else dispatch + 1

    def ask(self, work: UnitUse, reads: Sequence[int], writes: Sequence[int]) -> Slot:
        """Return the times at which the next instruction would run. See :meth:`front` for the arguments."""
        dispatch, start = self.front(work, reads, writes)
        return self.behind(work, reads, writes, dispatch, start)

    def behind(self, work: UnitUse, reads: Sequence[int], writes: Sequence[int], dispatch: int, start: int) -> Slot:
        """Return the same times as :meth:`ask`, from the two cycles that :meth:`front` returns."""
        holds, step = work.holds, work.step
        if not self.design.stacked:
            return Slot(dispatch, start, start + holds, start + holds + work.latency, start + holds)
        reading, taking = self._use({*reads}, holds)
        writing, giving = self._use(writes, holds)
        lag, asked, given = taking - holds + work.latency, cycles(taking, step), cycles(giving, step)
        at = start - self._base
        while clash := reading >> at & asked or writing >> at + lag & given:
            at += clash.bit_length() if step == 1 else 1
        start = at + self._base
        return Slot(dispatch, start, start + taking, start + lag + giving, start + max(taking, giving))

    def _use(self, registers: Iterable[int], holds: int) -> tuple[int, int]:
        """Return the cycles in which a memory of ``registers`` is busy, and the number of cycles that accesses take.

        The busy cycles are the bits of an integer. Accesses to registers in the same memory take place one
        after another.
        """
        memories = [each // self.design.stacked for each in registers]
        found = 0
        for each in memories:
            found |= self._taken[each]
        crowded = len({*memories}) < len(memories)
        return found, holds * max(memories.count(each) for each in memories) if crowded else holds

    def busy(self, memory: int, begin: int, work: UnitUse) -> bool:
        """Return whether a port of ``memory`` is busy in a cycle in which ``work`` would use it.

        Args:
            memory: The number of the memory of registers.
            begin: The first cycle in which ``work`` would use it.
            work: The use of the machine by an instruction.
        """
        return bool(self._taken[memory] >> begin - self._base & cycles(work.holds, work.step))

    def put(self, work: UnitUse, reads: Sequence[int], writes: Sequence[int]) -> Slot:
        """Add an instruction, and return its times. See :meth:`front` for the arguments."""
        design, found = self.design, self.ask(work, reads, writes)
        self.slot = found.dispatch + design.dispatch
        self.free[work.pipeline], self.last = found.free, max(self.last, found.end)
        self._queues[work.pipeline].append(found.start)
        if design.stacked:
            result = found.read - work.holds + work.latency
            for registers, begin, end in (({*reads}, found.start, found.read), (writes, result, found.end)):
                window = cycles(end - begin, work.step) << begin - self._base
                for each in registers:
                    self._taken[each // design.stacked] |= window
            self._forget()
        done = found.end if design.late else found.read
        for each in reads:
            self.idle[each] = max(self.idle[each], done)
        for each in writes:
            self._ready[each] = self.idle[each] = found.end
        return found

    def _forget(self) -> None:
        """Forget the cycles before the next dispatch if there are many."""
        if (over := self.slot - self._base) >= KEPT:
            self._taken = [each >> over for each in self._taken]
            self._base = self.slot


def expected(program: Iterable[RpuInstruction], design: Design) -> int:
    """Return the number of cycles until the last result of a program."""
    time = Timeline(design)
    for each in program:
        reads, writes = ([number for _, number in each.registers(names, VECTORS)]
                         for names in (each.opcode.reads, each.opcode.writes))  # fmt: skip
        time.put(unit_use(each, design), reads, writes)
    return time.last


@functools.cache
def cycles(count: int, step: int) -> int:
    """Return a bit mask of every ``step``-th of ``count`` cycles."""
    return sum(1 << at for at in range(0, count, step))
