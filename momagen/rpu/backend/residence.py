"""Spilling and store-to-load forwarding: the choice of the values that are in registers at each instruction.

A value that was removed from its register is loaded again before its next reader. Belady's rule chooses the
value whose next reader is furthest away. If memory has a copy of the value until then, the value is simply
dropped; otherwise it is stored to the spill area first. A value that was stored, and whose place is loaded
again later, may stay in its register until then if one is free; the load is then removed. If the register is
needed earlier, the load remains in the code, so that nothing is lost.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.table import b512

from .copies import memory_copies
from .virtual import ZERO, Place, VirtualOp

NEVER = 1 << 62
"""The index of an instruction that does not exist."""
CONTIGUOUS = b512().modes["contiguous"].number
"""The number of the address mode for contiguous words."""


class Resident(NamedTuple):
    """Code in which every value is in a register when it is read, and the number of words that it spills."""

    ops: list[VirtualOp]
    spilled: int


def resident(ops: Sequence[VirtualOp], most: int, kept: int, area: int) -> Resident:
    """Return the code on ``most`` registers.

    Args:
        ops: The code.
        most: The number of registers, at least the number of operands and results of an instruction.
        kept: The number of registers in use up to which stored values stay in registers for later loads; 0
            disables this.
        area: The first word of the spill area.
    """
    state = _Residence(ops, most, kept, area)
    for at, op in enumerate(ops):
        state.step(at, op)
    return Resident(state.found, state.spilled)


class _Residence:
    """The state of the registers. Values have the numbers of the virtual registers in the original code."""

    def __init__(self, ops: Sequence[VirtualOp], most: int, kept: int, area: int) -> None:
        self.found, self.spilled = list[VirtualOp](), 0
        self._most, self._kept, self._area = most, kept, area
        copies = memory_copies(ops)
        self._copies, self._source = copies.of, copies.source if kept else {}
        self._reads, self._loads = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
        for at, op in enumerate(ops):
            for each in {*op.arguments}:
                self._reads[each].append(at)
        for at, register in self._source.items():
            self._loads[register].append(at)
        self._same, self._where = dict[int, int](), dict[int, int]()
        self._slots, self._free = dict[int, int](), list[int]()
        self._fresh = 1 + max((each for op in ops for each in op.results), default=0)

    def step(self, at: int, op: VirtualOp) -> None:
        """Append instruction ``at``, and the loads and stores that it needs."""
        if self._forwarded(at):
            self._stays(at, op.results[0])
            return
        own = [self._same.get(each, each) for each in op.arguments]
        for each in own:
            if each not in self._where:
                self._make_room(at - 1, 1, own)
                self._load(at - 1, each)
        arguments = tuple(self._where[each] for each in own)
        for each in {*own}:
            self._end(at, each)
        self._make_room(at, len(op.results), ())
        self.found.append(VirtualOp(op.name, op.results, arguments, op.fields))
        self._where |= {each: each for each in op.results}
        for each in op.results:
            self._end(at, each)

    def _forwarded(self, at: int) -> bool:
        """Return whether instruction ``at`` loads a value that is in a register."""
        source = self._source.get(at, NEVER)
        return self._same.get(source, source) in self._where

    def _stays(self, at: int, result: int) -> None:
        """Replace the load ``at``, whose result is ``result``, by the register of the stored value."""
        value = self._same.get(self._source[at], self._source[at])
        self._same[result] = value
        for positions in (self._reads, self._loads):
            positions[value] = sorted((*positions[value], *positions[result]))
        self._copies[value].extend(self._copies[result])
        self._end(at, value)

    def _end(self, at: int, value: int) -> None:
        """Remove a value from its register if nothing reads it after ``at``."""
        if _next(self._reads[value], at) == _next(self._loads[value], at) == NEVER:
            self._drop(value)

    def _drop(self, value: int) -> None:
        """Remove a value from its register, and free its place in the spill area."""
        del self._where[value]
        if value in self._slots:
            heappush(self._free, self._slots.pop(value))

    def _make_room(self, at: int, count: int, needed: Sequence[int]) -> None:
        """Remove values until ``count`` registers are free after ``at``.

        Values that only wait for a forwarded load are removed first. The values in ``needed`` stay.
        """
        if len(self._where) + count > self._kept:
            idle = {each: _next(self._loads[each], at) for each in self._where if _next(self._reads[each], at) == NEVER}
            for each in sorted(idle, key=lambda value: -idle[value])[: len(self._where) + count - self._kept]:
                self._drop(each)
        while len(self._where) + count > self._most:
            rest = [each for each in self._where if each not in needed]
            self._leave(at, max(rest, key=lambda value: _next(self._reads[value], at)))

    def _leave(self, at: int, value: int) -> None:
        """Remove a value that is read later from its register. It is stored to the spill area if memory has no copy."""
        if self._copy(at, value) is None:
            if not self._free:
                self._free.append(self._area + self.spilled)
                self.spilled += LANES
            self._slots[value] = heappop(self._free)
            fields = _fields((self._slots[value], CONTIGUOUS, 0))
            self.found.append(VirtualOp("vstore", (), (self._where[value],), fields))
        del self._where[value]

    def _copy(self, at: int, value: int) -> Place | None:
        """Return a place that contains the value from ``at`` to its next reader, or None."""
        if value in self._slots:
            return self._slots[value], CONTIGUOUS, 0
        after = _next(self._reads[value], at)
        return next((each.place for each in self._copies[value] if each.begin <= at and after <= each.end), None)

    def _load(self, at: int, value: int) -> None:
        """Append a load of the value from its copy."""
        place = self._copy(at, value)
        assert place is not None
        name = "vload" if place[1] is not None else "vbroadcast"
        self.found.append(VirtualOp(name, (self._fresh,), (), _fields(place)))
        self._where[value], self._fresh = self._fresh, self._fresh + 1


def _next(positions: Sequence[int], at: int) -> int:
    """Return the first of the sorted ``positions`` after ``at``, or ``NEVER``."""
    place = bisect_right(positions, at)
    return positions[place] if place < len(positions) else NEVER


def _fields(place: Place) -> dict[str, int]:
    """Return the fields of a load or store at a place."""
    address, mode, value = place
    return {"RA": ZERO, "ADDRESS": address, **({} if mode is None else {"MODE": mode, "VALUE": value})}
