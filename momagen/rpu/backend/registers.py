"""The register file during scheduling: values, free registers, and the registers that the remaining code needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from momagen.rpu.isa.table import b512

from .timing import Timeline, UnitUse
from .virtual import VirtualOp

COUNT = b512().machine["registers"]
"""The number of vector registers."""


class RegisterFile:
    """The assignment of values to registers.

    Args:
        ops: The code.
        stacked: The number of registers that share a memory with one port, or 0 to ignore memories in the
            choice of registers.

    Attributes:
        made: The register of each live value.
        free: The registers without a value.
        left: For each value, the number of instructions that will still read it.
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
        """Return the registers of the operands that no later instruction reads."""
        return [self.made[each] for each in {*op.arguments} if self.left[each] == 1]

    def chosen(self, time: Timeline, op: VirtualOp, work: UnitUse, arguments: Sequence[int]) -> list[int]:
        """Return registers for the results of an instruction.

        Registers that are free soonest are preferred, in memories that are not used by the other result, by
        the other operands of the readers, or by other accesses at that time. If there are too few free
        registers, those of operands that nothing else reads are used.

        Args:
            time: The timeline.
            op: The instruction.
            work: Its use of the machine.
            arguments: The registers of its operands.
        """
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
        """Record that ``op`` runs with ``results`` in these registers.

        Registers of values that nothing else reads become free.
        """
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
    """The number of registers in use at each instruction of the remaining code, if it runs in program order.

    As long as no instruction needs more registers than there are, the remaining code can be executed. An
    instruction is only moved forward if this remains true.

    Attributes:
        needed: The number of registers in use at each instruction.
    """

    def __init__(self, ops: Sequence[VirtualOp]) -> None:
        self._made, self._reads = dict[int, int](), defaultdict[int, list[int]](list)
        for at, op in enumerate(ops):
            self._made |= dict.fromkeys(op.results, at)
            for each in {*op.arguments}:
                self._reads[each].append(at)
        change = np.zeros(len(ops) + 1, np.int32)
        for each, begin in self._made.items():  # live from its definition to the instruction before its last reader
            change[begin] += 1
            change[self._reads[each][-1] if each in self._reads else begin + 1] -= 1
        self.needed = np.cumsum(change[:-1])

    @property
    def most(self) -> int:
        """The largest number of registers in use, if all instructions run in program order."""
        return int(self.needed.max(initial=0))

    def allows(self, at: int, first: int, results: int) -> bool:
        """Return whether instruction ``at`` may run before the instructions from ``first`` on.

        Args:
            at: The index of the instruction.
            first: The index of the first instruction that has not run yet.
            results: The number of results of the instruction.
        """
        return at == first or int(self.needed[first:at].max()) + results <= COUNT

    def put(self, at: int, first: int, op: VirtualOp) -> None:
        """Record that instruction ``at``, which is ``op``, runs before the instructions from ``first`` on."""
        kept = sum(each in self._reads for each in op.results)
        self.needed[first:at] += kept
        for each in {*op.arguments}:
            reads, last = self._reads[each], self._reads[each][-1]
            reads.remove(at)
            self.needed[reads[-1] if reads else first : last] -= 1


def pressure(ops: Iterable[VirtualOp]) -> int:
    """Return the largest number of registers in use at a time, in program order."""
    return Pressure([*ops]).most
