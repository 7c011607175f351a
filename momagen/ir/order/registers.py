"""The order of a block's instructions for a machine with few registers: a list schedule that rather waits than begins
what takes one more value than may wait.

Hardware that looks ahead finds what is ready among the next hundred instructions or so: it has to find enough there,
and what compilers store and load again for want of registers takes the place of others.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from momagen.ir.block import Block, Instr

from .dependences import waits


class IssueTiming(NamedTuple):
    """Of a machine: cycles until an instruction's result is ready, the slots that it takes, and slots of a cycle."""

    latency: Callable[[Instr], int]
    slots: Callable[[Instr], int]
    width: int


def schedule_within(block: Block, timing: IssueTiming, values: int) -> Block:
    """``block`` in the order of a schedule that has so many ``values`` wait for their readers, where it can.

    Results count from when they are made, the block's inputs from when they are read first, to when they are read last.
    Others are operands in memory.
    """
    return Block(block.inputs, _Schedule(block, timing, values).order(), block.outputs)


class _Schedule:
    """One in the making."""

    def __init__(self, block: Block, timing: IssueTiming, values: int) -> None:
        self.instrs, self.timing, self.values = block.instrs, timing, values
        needs, self.users = waits(block)
        self.height = self._heights()
        self.left = [len(sources) for sources in needs]
        self.start = [0] * len(needs)
        self.coming = [(0, at) for at, sources in enumerate(needs) if not sources]
        self.ready = list[int]()
        self.counted = {id(v) for v in block.inputs.values()} | {id(r) for i in block.instrs for r in i.results}
        self.reads = Counter(a for i in block.instrs for a in _read(i))
        self.waiting = set[int]()

    def _heights(self) -> list[int]:
        """The cycles from each instruction to the end of the block."""
        height = [self.timing.latency(i) for i in self.instrs]
        for at in reversed(range(len(height))):
            height[at] += max((height[user] for user in self.users.get(at, ())), default=0)
        return height

    def order(self) -> list[Instr]:
        """All instructions, cycle by cycle."""
        found, cycle, taken = list[Instr](), 0, 0
        while self.ready or self.coming:
            while self.coming and self.coming[0][0] <= cycle:
                self.ready.append(heapq.heappop(self.coming)[1])
            taken = max(0, taken - self.timing.width)
            while taken < self.timing.width and (at := self._next()) is not None:
                self._begin(at, cycle)
                found.append(self.instrs[at])
                taken += self.timing.slots(self.instrs[at])
            cycle += 1
        return found

    def _next(self) -> int | None:
        """What begins now: with the longest way to an output of those that fit; None: better wait."""
        self.ready.sort(key=lambda at: (-self.height[at], at))
        for at in self.ready:
            more = self._more(at)
            if more <= 0 or len(self.waiting) + more <= self.values:
                return at
        return min(self.ready, key=self._more) if self.ready and not self.coming else None

    def _more(self, at: int) -> int:
        """How many more values wait once it has begun."""
        instr = self.instrs[at]
        read = [a for a in _read(instr) if a in self.counted]
        done = sum(a in self.waiting and self.reads[a] == 1 for a in read)
        opened = sum(a not in self.waiting and self.reads[a] > 1 for a in read)
        return sum(self.reads[id(r)] > 0 for r in instr.results) + opened - done

    def _begin(self, at: int, cycle: int) -> None:
        instr = self.instrs[at]
        self.ready.remove(at)
        self.reads.subtract(_read(instr))
        self.waiting |= _read(instr) & self.counted | {id(r) for r in instr.results}
        self.waiting -= {a for a in self.waiting if not self.reads[a]}
        for user in self.users.get(at, ()):
            self.start[user] = max(self.start[user], cycle + self.timing.latency(instr))
            self.left[user] -= 1
            if not self.left[user]:
                heapq.heappush(self.coming, (self.start[user], user))


def _read(instr: Instr) -> set[int]:
    return {id(a) for a in instr.args}
