"""The kernels of a transform: stages between barriers, each a codelet on elements that go through registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from momagen.formula.transforms import digit_reversal
from momagen.lower.names import TABLES, C, X, Y
from momagen.plan.thread_plan import ThreadPlan
from momagen.plan.threads.flow import SlotPass
from momagen.plan.threads.launches import LaunchPlan
from momagen.plan.threads.stages import BlockStage
from momagen.program import Expr, Function, Name, Number, Type, choice
from momagen.program.device import BLOCK, ROW, ROWS, SHARED, THREAD, Launch
from momagen.program.statements import Barrier, Transfer

from .codelets import write_codelet
from .places import constant, linear
from .writer import DeviceWriter

BATCH = Name("batch")
ACCESS = 128
"""Bits that one access moves at most."""


def write_transform(
    writer: DeviceWriter, plan: ThreadPlan, tables: Sequence[int], size: int, name: str = "pass_", product: str = "",
) -> list[Launch]:  # fmt: skip
    """The launches of one transform.

    Args:
        tables: where the table of each pass begins. size: words of all tables of a modulus. name: what those of kernels
            begin with. product: the function of two residues by which the last launch, which alone is written then,
            multiplies what it finds where it stores.
    """
    at, found = 0, []
    for number, launch in enumerate(plan.launches):
        if not product or launch is plan.launches[-1]:
            made = _LaunchWriter(writer, plan, launch, tables[at:], size, product)
            found.append(made.launch(f"{name}{number}"))
        at += sum(stage.pass_ is not None for stage in launch.stages)
    return found


class _LaunchWriter:
    """Writes one kernel."""

    def __init__(
        self, writer: DeviceWriter, plan: ThreadPlan, launch: LaunchPlan, tables: Sequence[int], size: int, product: str
    ) -> None:
        self.writer, self.plan, self.of = writer, plan, launch
        self.tables, self.kept, self.size, self.product = iter(tables), writer.constants, size, product
        self.stride, self.words = plan.stride, writer.arith.words
        self.chunk = min(ACCESS // writer.arith.word, self.stride & -self.stride)

    def launch(self, name: str) -> Launch:
        """The kernel and how it is launched."""
        of, bounds = self.of, f"kernel {self.of.threads}, {self.plan.together}"
        f = Function(name, (Y, X, C, TABLES, BATCH), copies=bounds)
        members = of.members
        self.group = f.let("group", BLOCK >> len(of.blocks)) if of.blocks else BLOCK
        self.block = f.let("part", BLOCK & (1 << len(of.blocks)) - 1) if of.blocks else Number(0)
        self.c = f.let("own", C + ROW * self.kept, Type.INPUT)
        self.table = f.let("own_tables", TABLES + ROW * self.size, Type.INPUT)
        for number, stage in enumerate(of.stages):
            if number:
                f.add(Barrier())
            self._stage(f, stage)
        self.writer.put(f)
        shared = of.shared * self.stride * self.writer.arith.word // 8
        source, goal = of.stages[0].source, of.stages[-1].goal
        return Launch(name, of.threads, 1 << len(of.blocks), 1 << members, shared, (goal, source))

    # Stages

    def _stage(self, f: Function, stage: BlockStage) -> None:
        threads, count = self.of.threads, 1 << len(stage.work)
        tables = next(self.tables) if stage.pass_ else 0
        with ExitStack() as stack:
            if count > threads:
                turn = stack.enter_context(f.each("turn", count // threads))
                work: Expr = f.let("work", THREAD + turn * threads)
            else:
                stack.enter_context(f.scope())
                work = THREAD
                if count < threads:
                    stack.enter_context(f.if_(count > THREAD))
            self._turn(f, stage, work, tables)

    def _turn(self, f: Function, stage: BlockStage, work: Expr, tables: int) -> None:
        """One thread's part of a stage."""
        load = self._side(f, stage.source, self.of.load, stage, work, False)
        store = self._side(f, stage.goal, self.of.store, stage, work, True)
        count = 1 << len(stage.legs)
        arrays = [f.array(f"x{i}", self.words) for i in range(count)]
        reversed_in, reversed_out = (False, False)
        if stage.pass_:
            reversed_in, reversed_out = stage.pass_.done.late, not stage.pass_.done.late
        for i, array in enumerate(arrays):
            load.move(f, digit_reversal(i, count) if reversed_in else i, array, False)
        if stage.pass_:
            f.do(self._codelet(f, stage.pass_, arrays, work, stage.work, tables))
        with ExitStack() as stack:
            if store.guard is not None:
                stack.enter_context(f.if_(store.guard))
            for i, array in enumerate(arrays):
                leg = digit_reversal(i, count) if reversed_out else i
                if self.product and stage.goal != "shared":
                    other = f.array(f"other{i}", self.words)
                    store.move(f, leg, other, False)
                    f.do(self.writer.call(self.product, array, other, self.c))
                store.move(f, leg, array, True)

    def _side(
        self, f: Function, end: str, ends: Mapping[int, int], stage: BlockStage, work: Expr, out: bool
    ) -> _Shared | _Vector:
        """Where the elements of a stage come from, or go."""
        prefix = "to_" * out
        if end == "shared":
            weights = {slot: self.of.padded(1 << at) for at, slot in enumerate(self.of.tile)}
            place = f.let(f"{prefix}place", linear(work, [weights[s] for s in stage.work]))
            legs = [weights[slot] for slot in stage.legs]
            return _Shared(place, legs, self.of.shared, self.chunk, self.words)
        bits = self.of.bits
        vector = Y if out else X
        weights = {slot: 1 << bit for slot, bit in ends.items()}
        inner = [weights.get(slot, 0) for slot in stage.work]
        member: Expr = self.group
        if self.of.members:
            own = [1 << slot - bits if slot >= bits else 0 for slot in stage.work]
            member = (self.group << self.of.members) + linear(work, own)
        guard = None
        if self.of.members:
            member = f.let(f"{prefix}member", member)
            guard = member < BATCH if out else None
            member = member if out else choice(member < BATCH, member, BATCH - 1)
        rows = ROWS if self.plan.spec.basis else Number(1)
        at = linear(self.block, [weights[slot] for slot in self.of.blocks]) + linear(work, inner)
        which = f.let(f"{prefix}whole", member * rows + ROW, Type.LONG)
        base = vector + which * (self.stride << bits) + at * self.stride
        place = f.let(f"{prefix}vector", base, vector.type)
        legs = [weights[slot] for slot in stage.legs]
        return _Vector(place, legs, self.stride, self.words, self.chunk, guard)

    def _codelet(
        self, f: Function, done: SlotPass, arrays: Sequence[Name], work: Expr, order: Sequence[int], tables: int
    ) -> Expr:
        """The call of a codelet, with its twiddles."""
        entry = self.stride * len(self.writer.arith.columns)
        weights = {slot: 1 << at for at, slot in enumerate(done.table)}
        own = [weights.get(slot, 0) for slot in self.of.blocks], [weights.get(slot, 0) for slot in order]
        at = linear(self.block, own[0]) + linear(work, own[1])
        table = self.table + tables + at * self.stride
        step = entry << len(done.table)
        name = write_codelet(self.writer, done.done.codelet, done.done.scaled)
        return self.writer.call(name, *arrays, self.c, table, step)


class _Shared:
    """Elements in shared memory: the first ``chunk`` words of all of them, then the next."""

    guard = None

    def __init__(self, place: Expr, legs: Sequence[int], count: int, chunk: int, words: int) -> None:
        self.place, self.legs, self.count, self.chunk, self.words = place, legs, count, chunk, words

    def move(self, f: Function, leg: int, array: Name, out: bool) -> None:
        """Element ``leg`` to or from ``array``."""
        at = self.place + constant(leg, self.legs)
        for first in range(0, self.words, self.chunk):
            memory = SHARED + (at + first // self.chunk * self.count) * self.chunk
            count = min(self.chunk, self.words - first)
            f.add(Transfer(array, first, memory, count, self.chunk, out))
            if out and count < self.chunk:  # compilers load the whole chunk
                f.clear(memory + count, self.chunk - count)


class _Vector:
    """Elements of a vector in memory. ``guard``: where they are there at all."""

    def __init__(
        self, place: Expr, legs: Sequence[int], stride: int, words: int, chunk: int, guard: Expr | None
    ) -> None:  # fmt: skip
        self.place, self.legs, self.guard = place, legs, guard
        self.stride, self.words, self.chunk = stride, words, chunk

    def move(self, f: Function, leg: int, array: Name, out: bool) -> None:
        """Element ``leg`` to or from ``array``."""
        memory = self.place + constant(leg, self.legs) * self.stride
        f.add(Transfer(array, 0, memory, self.words, self.chunk, out))
        if out and self.stride > self.words:
            f.clear(memory + self.words, self.stride - self.words)

