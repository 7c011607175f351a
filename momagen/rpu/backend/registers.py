"""The register file while code is scheduled: what is where, what is free, and how many registers the rest will need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from momagen.rpu.isa.table import b512

from .timing import Timeline, UnitUse
from .virtual import VirtualOp

COUNT = b512().machine["registers"]


class RegisterFile:
    """Which value is in which register.

    Args:
        stacked: registers that share a memory with one port; 0: none do, as far as choices of registers go.

    Attributes:
        made: the register of each value that is alive. free: registers of no value. left: by value, how many
            instructions will still read it.
    """

    def __init__(self, ops: Sequence[VirtualOp], stacked: int) -> None:
        self.made, self.free, self._memory = dict[int, int](), {*range(COUNT)}, stacked or COUNT
        self._alive, self._placing = [0] * COUNT, stacked > 0
        self.left = defaultdict[int, int](int)
        self._partners = defaultdict[int, set[int]](set)
        for op in ops:
            own = {*op.arguments}
            for each in own:
                self.left[each] += 1
                self._partners[each] |= own - {each}

    def last(self, op: VirtualOp) -> list[int]:
        """Registers of operands that nothing else will read."""
        return [self.made[each] for each in {*op.arguments} if self.left[each] == 1]

    def chosen(self, time: Timeline, op: VirtualOp, work: UnitUse, arguments: Sequence[int]) -> list[int]:
        """Registers for the results: free soonest, in memories that neither one another, nor the operands of their
        readers, nor other accesses at that time use; where too few are free, those of operands that end here."""
        found, stacked, made = list[int](), self._memory, self.made
        begin = time.ask(work, arguments, ()).end - work.holds
        free = self.free if len(self.free) >= len(op.results) else {*self.free, *self.last(op)}
        since = {number: time.idle[number] for number in free}
        for each in op.results:
            avoid = {made[other] // stacked for other in self._partners[each] if other in made}
            avoid |= {other // stacked for other in found}
            rank: dict[int, tuple[int, ...]] = {
                memory: (memory in avoid, time.busy(memory, begin, work), self._alive[memory]) if self._placing else ()
                for memory in {number // stacked for number in since}
            }
            choice = min(
                since, key=lambda number: (since[number] > time.slot, *rank[number // stacked], since[number], number)
            )
            del since[choice]
            found.append(choice)
        return found

    def put(self, op: VirtualOp, results: Sequence[int]) -> None:
        """``op`` was run, with ``results`` in these registers: those of values that nothing reads are free again."""
        for each in {*op.arguments}:
            self.left[each] -= 1
            if not self.left[each]:
                number = self.made.pop(each)
                self.free.add(number)
                self._alive[number // self._memory] -= 1
        for virtual, number in zip(op.results, results, strict=True):
            if self.left[virtual]:
                self.free.remove(number)
                self.made[virtual] = number
                self._alive[number // self._memory] += 1


class Pressure:
    """How many registers are in use at each instruction of the rest, if that runs in its order.

    While none needs more than there are, the rest can be run: instructions are drawn forward only where that stays so.
    """

    def __init__(self, ops: Sequence[VirtualOp]) -> None:
        self._made, self._reads = dict[int, int](), defaultdict[int, list[int]](list)
        for at, op in enumerate(ops):
            self._made |= dict.fromkeys(op.results, at)
            for each in {*op.arguments}:
                self._reads[each].append(at)
        change = np.zeros(len(ops) + 1, np.int32)
        for each, begin in self._made.items():  # from the instruction that makes it to the one before its last reader
            change[begin] += 1
            change[self._reads[each][-1] if each in self._reads else begin + 1] -= 1
        self.needed = np.cumsum(change[:-1])

    @property
    def most(self) -> int:
        """The most that are in use, if all runs in order."""
        return int(self.needed.max(initial=0))

    def allows(self, at: int, first: int, results: int) -> bool:
        """Whether instruction ``at`` may run before those from ``first`` on."""
        return at == first or int(self.needed[first:at].max()) + results <= COUNT

    def put(self, at: int, first: int, op: VirtualOp) -> None:
        """Instruction ``at`` runs before those from ``first`` on."""
        kept = sum(each in self._reads for each in op.results)
        self.needed[first:at] += kept
        for each in {*op.arguments}:
            reads, last = self._reads[each], self._reads[each][-1]
            reads.remove(at)
            self.needed[reads[-1] if reads else first : last] -= 1


def pressure(ops: Iterable[VirtualOp]) -> int:
    """The most registers in use at a time, in the order of the code."""
    return Pressure([*ops]).most
