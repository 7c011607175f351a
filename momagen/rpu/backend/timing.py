"""When instructions would run: the machine of simulate/cycles.c, one instruction after another.

It tells a scheduler what each choice costs. What a program really takes, the simulator says.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import NamedTuple

from momagen.rpu.machine.design import Design


class Slot(NamedTuple):
    """Times of one instruction."""

    dispatch: int
    start: int
    end: int
    holds: int


class UnitUse(NamedTuple):
    """What an instruction asks of the machine: its pipeline, cycles that it holds that, cycles to the first result."""

    pipeline: str
    holds: int
    latency: int


class Timeline:
    """The machine behind the instructions that were put."""

    def __init__(self, design: Design) -> None:
        self.design, self.slot = design, 0
        self.ready, self.read = defaultdict[int, int](int), defaultdict[int, int](int)
        self.free, self.waiting = defaultdict[str, int](int), defaultdict[str, deque[int]](deque)
        self.taken = defaultdict[int, set[int]](set)

    def ask(self, work: UnitUse, reads: Sequence[int], writes: Sequence[int]) -> Slot:
        """When it would run, next in order, on these registers."""
        design, distinct = self.design, {*reads}
        dispatch = max(
            [self.slot, *(self.ready[each] for each in (*reads, *writes)), *(self.read[each] for each in writes)]
        )
        if not design.share:
            dispatch = max([dispatch, *(self.read[each] for each in distinct)])
        waiting = self.waiting[work.pipeline]
        if len(waiting) >= design.queue:
            dispatch = max(dispatch, waiting[-design.queue])
        start = max(dispatch + 1, self.free[work.pipeline])
        if not design.stacked:
            return Slot(dispatch, start, start + work.latency + work.holds, work.holds)
        source, goal = ([each // design.stacked for each in some] for some in (distinct, writes))
        taking, giving = (work.holds * _crowd(some) for some in (source, goal))
        while True:
            result = start + taking - work.holds + work.latency
            if self._free(source, start, taking) and self._free(goal, result, giving):
                return Slot(dispatch, start, result + giving, max(taking, giving))
            start += 1

    def _free(self, memories: Sequence[int], begin: int, count: int) -> bool:
        cycles = range(begin, begin + count)
        return all(self.taken[each].isdisjoint(cycles) for each in memories)

    def put(self, work: UnitUse, reads: Sequence[int], writes: Sequence[int]) -> Slot:
        """Run it."""
        design, found = self.design, self.ask(work, reads, writes)
        self.slot = found.dispatch + design.dispatch
        self.free[work.pipeline] = found.start + found.holds
        waiting = self.waiting[work.pipeline]
        waiting.append(found.start)
        if len(waiting) > design.queue:
            waiting.popleft()
        if design.stacked:
            source, goal = ([each // design.stacked for each in some] for some in ({*reads}, writes))
            taking, giving = (work.holds * _crowd(some) for some in (source, goal))
            for each in source:
                self.taken[each].update(range(found.start, found.start + taking))
            for each in goal:
                self.taken[each].update(range(found.end - giving, found.end))
        done = found.end if design.late else found.start + found.holds
        for each in reads:
            self.read[each] = max(self.read[each], done)
        for each in writes:
            self.ready[each] = found.end
        return found


def _crowd(memories: Sequence[int]) -> int:
    return max((memories.count(each) for each in memories), default=1)
