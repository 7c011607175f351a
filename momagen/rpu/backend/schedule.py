"""Greedy list scheduling with register allocation: the next instruction is the ready one that waits least."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from itertools import count

from momagen.errors import build_error
from momagen.rpu.isa.instruction import RpuInstruction
from momagen.rpu.machine.design import Design

from .allocate import placed
from .dependences import waits
from .registers import COUNT, Pressure, RegisterFile
from .steps import ALL, PLACEMENT, PORTS, SCHEDULING, Steps
from .timing import Timeline, UnitUse, unit_use
from .virtual import VirtualOp

AHEAD = 160
"""The number of instructions, from the first waiting one on, among which the next one is chosen."""
RESERVE = 8
"""The number of registers that instructions which begin new work leave free, so that started work can end."""
PATIENCE = 2
"""The number of cycles that an instruction may wait for its pipeline without a cost. This constant and the
two above were found by a search on transforms of 1K to 64K points."""
MOST_RESULTS = 2
"""The largest number of results of an instruction."""


def schedule(ops: Sequence[VirtualOp], design: Design, steps: Steps = ALL) -> list[RpuInstruction]:
    """Return the instructions on physical registers, in an order that keeps the pipelines of ``design`` busy.

    Args:
        ops: The code.
        design: The machine.
        steps: The steps of the back end. Without SCHEDULING the order does not change. Without PLACEMENT the
            choice of registers ignores their memories. Without PORTS the scheduler assumes that no
            instruction waits for a port.

    Raises:
        MomagenError: More vectors are live than there are registers.
    """
    return _Scheduler(ops, design, steps).run()


class _Scheduler:
    """The state of the schedule: the instructions that ran, and the instructions that are ready."""

    def __init__(self, ops: Sequence[VirtualOp], design: Design, steps: Steps) -> None:
        self.ops, self.ahead = ops, AHEAD if SCHEDULING in steps else 1
        self.file = RegisterFile(ops, design.stacked if PLACEMENT in steps else 0)
        self.time = Timeline(design if PORTS in steps else design.having(stacked=0))
        self.works = [_use(op, design) for op in ops]
        self.pressure: Pressure | None = Pressure(ops)
        if self.pressure.most > COUNT:
            self.pressure = None  # the code may fit in another order
        self.after: list[list[int]] = [[] for _ in ops]
        self.missing = [0] * len(ops)
        for at, before in enumerate(waits(ops)):
            self.missing[at] = len(before)
            for each in before:
                self.after[each].append(at)
        self.waiting = [at for at, missing in enumerate(self.missing) if not missing]
        self.reads = {at: list[int]() for at in self.waiting}  # the operands' registers of waiting instructions

    def run(self) -> list[RpuInstruction]:
        """Return the scheduled instructions."""
        found, done, first = list[RpuInstruction](), bytearray(len(self.ops) + 1), 0
        while first < len(self.ops):
            at = self._best(first)
            op, arguments = self.ops[at], self.reads.pop(at)
            results = self.file.chosen(self.time, op, self.works[at], arguments)
            self.time.put(self.works[at], arguments, results)
            found.append(placed(op, arguments, results))
            self.file.put(op, results)
            if self.pressure:
                self.pressure.put(at, first, op)
            self.waiting.remove(at)
            done[at] = True
            first = next(each for each in count(first) if not done[each])
            for each in self.after[at]:
                self.missing[each] -= 1
                if not self.missing[each]:
                    insort(self.waiting, each)
                    self.reads[each] = [self.file.made[value] for value in self.ops[each].arguments]
        return found

    def _best(self, first: int) -> int:
        """Return the ready instruction with the least cost.

        The cost is the number of cycles that the front end stalls and the pipeline is idle, then the wait for
        the pipeline, then the index. The cost without ports is a lower bound of the cost with ports.
        """
        best, found, time, plenty = (1 << 62, 0), -1, self.time, len(self.file.free) >= RESERVE + MOST_RESULTS
        for at in self.waiting:
            if at >= first + self.ahead or best == (0, 0):
                break
            if not plenty and not self._fits(at, first):
                continue
            work, reads = self.works[at], self.reads[at]
            dispatch, start = time.front(work, reads, ())
            free, stall = time.free[work.pipeline], dispatch - time.slot
            if free <= dispatch:
                free = dispatch + 1
            if stall > best[0] or _cost(stall, dispatch, start, free) >= best:
                continue
            cost = _cost(stall, dispatch, time.behind(work, reads, (), dispatch, start).start, free)
            if cost < best and (not self.pressure or self.pressure.allows(at, first, len(self.ops[at].results))):
                best, found = cost, at
        if found < 0:
            problem = f"more than {COUNT} vectors are live at once"
            raise build_error(problem, f"instruction {first}", "enable the back end's step `spilling`")
        return found

    def _fits(self, at: int, first: int) -> bool:
        """Return whether registers for the results are free.

        An instruction that begins new work must leave a reserve.
        """
        op, free = self.ops[at], len(self.file.free)
        needed = len(op.results)
        if free - needed >= RESERVE:
            return True
        ends = len(self.file.last(op))
        return needed <= free + ends and (at == first or needed <= ends)


def _use(op: VirtualOp, design: Design) -> UnitUse:
    """Return the use of the machine by an instruction."""
    return unit_use(placed(op, range(len(op.arguments)), range(3, 3 + len(op.results))), design)


def _cost(stall: int, dispatch: int, start: int, free: int) -> tuple[int, int]:
    """Return the cost of an instruction as a pair: cycles lost, and cycles of waiting for the pipeline.

    Args:
        stall: The number of cycles that the front end stalls.
        dispatch: The cycle of the dispatch.
        start: The cycle in which the pipeline starts the instruction.
        free: The cycle in which the pipeline is free.
    """
    wait = start - dispatch - 1
    return stall + (wait - PATIENCE if wait > PATIENCE else 0) + start - free, wait
