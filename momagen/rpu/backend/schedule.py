"""Greedy list scheduling with register allocation: of the instructions that may come next, the one that waits least."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from momagen.errors import MomagenError
from momagen.rpu.isa.instruction import RpuInstruction
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.costs import held, latency
from momagen.rpu.machine.design import Design

from .allocate import allocate, placed
from .timing import Slot, Timeline, UnitUse
from .virtual import VirtualOp

AHEAD = 160
"""Instructions from the first that waits on, among which the next one is sought."""
RESERVE = 8
"""Registers that stay free of what begins new work, so that work in hand can end."""
PATIENCE = 2
"""Cycles that an instruction may wait for its pipeline. These three were searched on transforms of 1K to 64K points."""


def arranged(ops: Sequence[VirtualOp], design: Design | None, timed: bool = True) -> list[RpuInstruction]:
    """The instructions scheduled for ``design``; in the order of the code without one."""
    return schedule(ops, design, timed=timed) if design else allocate(ops)


@dataclass
class _Left:
    """What is left to do."""

    ops: Sequence[VirtualOp]
    stacked: int
    readers: dict[int, int]
    after: dict[int, list[int]]
    missing: list[int]
    made: dict[int, int] = field(default_factory=dict)
    free: set[int] = field(default_factory=lambda: {*range(b512().machine["registers"])})
    partners: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))


def schedule(ops: Sequence[VirtualOp], design: Design, *, timed: bool = True) -> list[RpuInstruction]:
    """The instructions on registers, in an order that keeps the pipelines of ``design`` at work.

    Args:
        timed: whether it knows when ports of the register file are taken; if not, it still keeps operands of one
            instruction in different memories.

    Raises:
        MomagenError: more vectors are alive than there are registers.
    """
    state, found = _state(ops, design.stacked or 1), list[RpuInstruction]()
    time = Timeline(design if timed else design.having(stacked=0))
    works = [_work(op, design) for op in ops]
    waiting, first = {at for at, count in enumerate(state.missing) if not count}, 0
    left = set(range(len(ops)))
    while left:
        while first not in left:
            first += 1
        best = min(_choices(state, time, works, sorted(at for at in waiting if at < first + AHEAD), first),
                   default=None, key=lambda each: each[0])  # fmt: skip
        if best is None:
            raise MomagenError(f"at most {b512().machine['registers']} vectors alive", "more", f"instruction {first}")
        at = best[1]
        arguments = [state.made[each] for each in ops[at].arguments]
        results = _registers(state, time, ops[at], works[at], arguments)
        time.put(works[at], arguments, results)
        found.append(placed(ops[at], arguments, results))
        _done(state, at, results)
        waiting.remove(at)
        left.remove(at)
        for each in state.after[at]:
            state.missing[each] -= 1
            if not state.missing[each]:
                waiting.add(each)
    return found


def _state(ops: Sequence[VirtualOp], stacked: int) -> _Left:
    readers, after, missing = defaultdict[int, int](int), defaultdict[int, list[int]](list), [0] * len(ops)
    made, stored, partners = dict[int, int](), dict[int, int](), defaultdict[int, set[int]](set)
    loaded = defaultdict[int, list[int]](list)
    for at, op in enumerate(ops):
        before = {made[each] for each in op.arguments}
        words = op.words
        before |= {stored[each] for each in words if each in stored}
        if op.name == "vstore":
            before |= {other for each in words for other in loaded.pop(each, ())}
            stored |= dict.fromkeys(words, at)
        else:
            for each in words:
                loaded[each].append(at)
        for each in before:
            after[each].append(at)
        missing[at] = len(before)
        for each in op.arguments:
            readers[each] += 1
            partners[each] |= {*op.arguments} - {each}
        made |= dict.fromkeys(op.results, at)
    return _Left(ops, stacked, readers, after, missing, partners=partners)


def _work(op: VirtualOp, design: Design) -> UnitUse:
    given = placed(op, range(len(op.arguments)), range(3, 3 + len(op.results)))
    return UnitUse(given.opcode.pipeline, held(given, design), latency(given, design))


Choice = tuple[tuple[int, ...], int]


def _choices(
    state: _Left, time: Timeline, works: Sequence[UnitUse], waiting: Iterable[int], first: int
) -> Iterable[Choice]:
    for at in waiting:
        op = state.ops[at]
        needed = len(op.results)
        ends = sum(state.readers[each] == 1 for each in {*op.arguments})
        if needed > len(state.free) or (at != first and needed > ends and len(state.free) - needed < RESERVE):
            continue
        arguments = [state.made[each] for each in op.arguments]
        yield _cost(time, works[at], time.ask(works[at], arguments, ()), at), at


def _cost(time: Timeline, work: UnitUse, slot: Slot, at: int) -> tuple[int, ...]:
    """Cycles that the front end stalls and the pipeline stands still; then how long the instruction waits for it."""
    stall, wait = slot.dispatch - time.slot, slot.start - slot.dispatch - 1
    idle = slot.start - max(time.free[work.pipeline], slot.dispatch + 1)
    return stall + max(0, wait - PATIENCE) + idle, wait, at


def _registers(state: _Left, time: Timeline, op: VirtualOp, work: UnitUse, arguments: Sequence[int]) -> list[int]:
    """Registers for the results: free soonest, in memories that neither one another, nor the operands of their readers,
    nor other accesses at that time use."""
    found, stacked = list[int](), state.stacked
    begin = time.ask(work, arguments, ()).end - work.holds
    alive = Counter(number // stacked for number in state.made.values())
    window = range(begin, begin + work.holds)
    for each in op.results:
        avoid = {state.made[other] // stacked for other in state.partners[each] if other in state.made}
        avoid |= {other // stacked for other in found}
        choice = min(
            (number for number in state.free if number not in found),
            key=lambda number: (
                max(time.read[number], time.ready[number]) > time.slot, number // stacked in avoid,
                not time.taken[number // stacked].isdisjoint(window), alive[number // stacked],
                max(time.read[number], time.ready[number]), number,
            ),
        )  # fmt: skip
        found.append(choice)
    return found


def _done(state: _Left, at: int, results: Sequence[int]) -> None:
    op = state.ops[at]
    for register in {*op.arguments}:
        state.readers[register] -= op.arguments.count(register)
        if not state.readers[register]:
            state.free.add(state.made.pop(register))
    for virtual, number in zip(op.results, results, strict=True):
        state.free.remove(number)
        if state.readers[virtual]:
            state.made[virtual] = number
        else:
            state.free.add(number)
