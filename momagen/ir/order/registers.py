"""The order of instructions for machines with few registers: a list schedule that limits the live values.

The schedule rather waits than begins an instruction that would exceed the limit. An out-of-order CPU selects
ready instructions from a window of about a hundred; the order must provide enough of them there, and spills
by the compiler would take the place of others.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from momagen.ir.block import Block, Instr

from .dependences import waits


class IssueTiming(NamedTuple):
    """The timing of a machine.

    Attributes:
        latency: The function that returns the number of cycles until the result of an instruction is ready.
        slots: The function that returns the number of issue slots that an instruction takes.
        width: The number of issue slots of a cycle.
    """

    latency: Callable[[Instr], int]
    slots: Callable[[Instr], int]
    width: int


def schedule_within(block: Block, timing: IssueTiming, values: int) -> Block:
    """Return a block in an order in which at most ``values`` values are live at any time, if possible.

    A result is live from its instruction to its last reader, and an input of the block from its first to its
    last reader. Other values are operands in memory and do not count.

    Args:
        block: The block.
        timing: The timing of the machine.
        values: The largest number of live values.
    """
    return Block(block.inputs, _Schedule(block, timing, values).order(), block.outputs)


class _Schedule:
    """The state of a list scheduler.

    Attributes:
        instrs: The instructions of the block; all other attributes refer to them by index.
        timing: The timing of the machine.
        values: The largest number of live values.
        users: The instructions that read the results of each instruction.
        height: The number of cycles from the start of each instruction to the end of the block.
        left: The number of arguments of each instruction that are not scheduled yet.
        start: The first cycle in which each instruction can begin.
        coming: A heap of instructions whose arguments are scheduled, with their first cycles.
        ready: The instructions that can begin now.
        counted: The ids of the values that take registers.
        reads: The number of remaining readers of each value.
        waiting: The ids of the live values.
    """

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
        """Return the number of cycles from the start of each instruction to the end of the block."""
        height = [self.timing.latency(i) for i in self.instrs]
        for at in reversed(range(len(height))):
            height[at] += max((height[user] for user in self.users.get(at, ())), default=0)
        return height

    def order(self) -> list[Instr]:
        """Return all instructions in the order of the schedule."""
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
        """Return the instruction that begins next, or None to wait for a result.

        It is the one with the longest path to an output among those that the limit permits. If none is
        permitted and no result is pending, it is the one that adds the fewest live values.
        """
        self.ready.sort(key=lambda at: (-self.height[at], at))
        for at in self.ready:
            more = self._more(at)
            if more <= 0 or len(self.waiting) + more <= self.values:
                return at
        return min(self.ready, key=self._more) if self.ready and not self.coming else None

    def _more(self, at: int) -> int:
        """Return by how much the number of live values grows if the instruction begins."""
        instr = self.instrs[at]
        read = [a for a in _read(instr) if a in self.counted]
        done = sum(a in self.waiting and self.reads[a] == 1 for a in read)
        opened = sum(a not in self.waiting and self.reads[a] > 1 for a in read)
        return sum(self.reads[id(r)] > 0 for r in instr.results) + opened - done

    def _begin(self, at: int, cycle: int) -> None:
        """Begin an instruction in a cycle.

        Update the live values, and release the instructions that waited only for it.
        """
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
    """Return the ids of the arguments of an instruction."""
    return {id(a) for a in instr.args}
