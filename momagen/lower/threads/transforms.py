"""The kernels of a transform: stages between barriers, each of which applies a codelet to elements in registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from momagen.formula.transforms import digit_reversal
from momagen.kernels.residues.arith import Arith
from momagen.lower.names import TABLES, C, X, Y
from momagen.plan.schedule.launches import BlockStage, LaunchPlan, launches_of
from momagen.plan.schedule.passes import step_codelet
from momagen.plan.schedule.types import Bits, Schedule, Step
from momagen.program import Expr, Function, Name, Number, Type, choice
from momagen.program.device import BLOCK, THREAD, Launch
from momagen.program.statements import Barrier

from .codelets import write_codelet
from .ends import SharedEnd, VectorEnd, chunk_of
from .places import constant, linear
from .writer import DeviceWriter

BATCH = Name("batch")


def write_transform(
    writer: DeviceWriter, schedule: Schedule, arith: Arith, tables: Sequence[int], size: int, name: str = "pass_",
    product: str = "",
) -> list[Launch]:  # fmt: skip
    """Write the kernels of one transform, and return their launches.

    Args:
        writer: The writer of the program.
        schedule: The steps of the transform.
        arith: The representation of residues, which may reduce them otherwise than the rest of the program.
        tables: The offset of the table of each step.
        size: The number of words of all tables for each modulus.
        name: The prefix of the names of the kernels.
        product: The name of a function of two residues, or "". If it is given, only the last launch is
            written. It multiplies its results by the elements that they replace.
    """
    at, found, launches = 0, [], launches_of(schedule)
    for number, launch in enumerate(launches):
        if not product or launch is launches[-1]:
            made = _LaunchWriter(writer, launch, arith, tables[at:], size, product)
            found.append(made.launch(f"{name}{number}"))
        at += sum(stage.step is not None for stage in launch.stages)
    return found


class _LaunchWriter:
    """A writer of one kernel."""

    def __init__(
        self, writer: DeviceWriter, launch: LaunchPlan, arith: Arith, tables: Sequence[int], size: int, product: str
    ) -> None:
        self.writer, self.of, self.arith = writer, launch, arith
        self.tables, self.kept, self.size, self.product = iter(tables), writer.constants, size, product
        self.stride, self.words = writer.stride, writer.arith.words
        self.widest = max(len(stage.step.operands) for stage in launch.stages if stage.step)
        self.chunk = chunk_of(writer.arith.word, self.stride)

    def launch(self, name: str) -> Launch:
        """Write the kernel, and return its launch."""
        of = self.of
        nest = of.nest
        bounds = f"kernel {nest.threads}, {nest.resident_multiplying if self.product else nest.resident}"
        f = Function(name, (Y, X, C, TABLES, BATCH), copies=bounds)
        members = of.members
        self.group = f.let("group", BLOCK >> len(nest.blocks)) if nest.blocks else BLOCK
        self.block = f.let("part", BLOCK & (1 << len(nest.blocks)) - 1) if nest.blocks else Number(0)
        self.c = self.writer.of_row(f, "own", C, self.kept)
        self.table = self.writer.of_row(f, "own_tables", TABLES, self.size)
        for number, stage in enumerate(of.stages):
            if number:
                f.add(Barrier())
            self._stage(f, stage)
        self.writer.put(f)
        shared = of.shared * self.stride * self.writer.arith.word // 8
        source, goal = of.stages[0].source, of.stages[-1].goal
        return Launch(name, nest.threads, 1 << len(nest.blocks), 1 << members, shared, (goal, source))

    # Stages.

    def _stage(self, f: Function, stage: BlockStage) -> None:
        threads = self.of.nest.threads
        tables = next(self.tables) if stage.step else 0
        work, beside = self._beside(stage)
        stage, count = stage._replace(work=work), 1 << len(work)
        with ExitStack() as stack:
            if count > threads:
                turn = stack.enter_context(f.each("turn", count // threads))
                number: Expr = f.let("work", THREAD + turn * threads)
            else:
                stack.enter_context(f.scope())
                number = THREAD
                if count < threads:
                    stack.enter_context(f.if_(count > THREAD))
            self._turn(f, stage, number, beside, tables)

    def _beside(self, stage: BlockStage) -> tuple[Bits, Bits]:
        """Return the index bits of consecutive iterations of a thread, and those of work in the same iteration.

        In one iteration, a thread processes as many elements as the widest pass has, all of which are loaded
        before the first one is needed.
        """
        first = self.of.nest.threads.bit_length() - 1
        own = [bit for bit in stage.work[first:] if bit < self.of.bits]
        beside = tuple(own[max(0, len(own) - max(0, self.widest - len(stage.legs))) :])
        return tuple(bit for bit in stage.work if bit not in beside), beside

    def _turn(self, f: Function, stage: BlockStage, work: Expr, beside: Bits, tables: int) -> None:
        """Write one thread's part of a stage.

        A stage that loads from memory and stores to memory has no barrier between the two. If it works in
        place, a thread beyond the batch must not load an element that another thread stores, so the whole
        stage is guarded. If a barrier follows, such a thread loads an element of the last transform instead,
        without a branch.
        """
        ends = {stage.source, stage.goal}
        with ExitStack() as stack:
            member, inside = self._member(f, stage, work) if ends != {"shared"} else (self.group, None)
            if inside is not None and "shared" not in ends:
                stack.enter_context(f.if_(inside))
                inside = None
            existing = member if inside is None else choice(inside, member, BATCH - 1)
            load = self._side(f, stage.source, self.of.load, stage, work, beside, existing)
            store = self._side(f, stage.goal, self.of.store, stage, work, beside, member, True)
            arrays = self._computed(f, stage, load, work, beside, tables)
            if inside is not None and stage.goal != "shared":
                stack.enter_context(f.if_(inside))
            self._stored(f, stage, store, arrays)

    def _member(self, f: Function, stage: BlockStage, work: Expr) -> tuple[Expr, Expr | None]:
        """Return the index of a thread's transform, and the condition that the batch has this transform."""
        if not self.of.members:
            return self.group, None
        own = [1 << bit - self.of.bits if bit >= self.of.bits else 0 for bit in stage.work]
        member = f.let("member", (self.group << self.of.members) + linear(work, own))
        return member, member < BATCH

    def _computed(
        self, f: Function, stage: BlockStage, load: SharedEnd | VectorEnd, work: Expr, beside: Bits, tables: int
    ) -> list[Name]:
        """Write the loads and the codelets of a stage, and return the arrays of its results."""
        radix = 1 << len(stage.legs)
        arrays = [f.array(f"x{i}", self.words) for i in range(radix << len(beside))]
        backwards = stage.step is not None and stage.step.late
        for i, array in enumerate(arrays):
            load.move(f, _leg(i, radix, backwards), array, False)
        if stage.step:
            for number in range(1 << len(beside)):
                some = arrays[number * radix : (number + 1) * radix]
                f.do(self._codelet(f, stage.step, some, work, stage.work, (number, beside), tables))
        return arrays

    def _stored(
        self, f: Function, stage: BlockStage, store: SharedEnd | VectorEnd, arrays: Sequence[Name]
    ) -> None:  # fmt: skip
        """Write the stores of a stage, and the products with the elements that they replace."""
        backwards = stage.step is not None and not stage.step.late
        for i, array in enumerate(arrays):
            leg = _leg(i, 1 << len(stage.legs), backwards)
            if self.product and stage.goal != "shared":
                other = f.array(f"other{i}", self.words)
                store.move(f, leg, other, False)
                f.do(self.writer.call(self.product, array, other, self.c))
            store.move(f, leg, array, True)

    def _side(
        self, f: Function, end: str, ends: Mapping[int, int], stage: BlockStage, work: Expr, beside: Bits,
        member: Expr, out: bool = False,
    ) -> SharedEnd | VectorEnd:  # fmt: skip
        """Return the memory from which a stage loads its elements, or to which it stores them.

        Args:
            f: The kernel.
            end: "shared", or the name of a vector.
            ends: The bits of an address in the vector, by bit.
            stage: The stage.
            work: The index of the thread's work.
            beside: The index bits of work in the same iteration.
            member: The index of the transform.
            out: Whether the elements are stored.
        """
        prefix, moved = "to_" * out, (*stage.legs, *beside)
        if end == "shared":
            weights = {bit: self.of.padded(1 << at) for at, bit in enumerate(self.of.tile)}
            place = f.let(f"{prefix}place", linear(work, [weights[s] for s in stage.work]))
            return SharedEnd(place, [weights[bit] for bit in moved], self.of.shared, self.chunk, self.words)
        vector = Y if out else X
        weights = {bit: 1 << address for bit, address in ends.items()}
        inner = [weights.get(bit, 0) for bit in stage.work]
        at = linear(self.block, [weights[bit] for bit in self.of.nest.blocks]) + linear(work, inner)
        which = f.let(f"{prefix}whole", member * self.writer.rows + self.writer.row, Type.LONG)
        base = vector + which * (self.stride << self.of.bits) + at * self.stride
        place = f.let(f"{prefix}vector", base, vector.type)
        return VectorEnd(place, [weights[bit] for bit in moved], self.stride, self.words, self.chunk)

    def _codelet(
        self, f: Function, done: Step, arrays: Sequence[Name], work: Expr, order: Bits,
        beside: tuple[int, Bits], tables: int,
    ) -> Expr:  # fmt: skip
        """Return the call of a codelet, with the address of its twiddles.

        Args:
            f: The kernel.
            done: The pass.
            arrays: The arrays with the elements.
            work: The index of the thread's work.
            order: The index bits of the bits of this index.
            beside: The index of the butterfly in the iteration, and the index bits of the bits of this index.
            tables: The offset of the pass's table.
        """
        entry = self.stride * len(self.writer.arith.columns)
        weights = {bit: 1 << at for at, bit in enumerate(done.table.bits)}
        every = self.of.nest.blocks, order, beside[1]
        blocks, inner, more = ([weights.get(bit, 0) for bit in some] for some in every)
        at = linear(self.block, blocks) + linear(work, inner) + constant(beside[0], more)
        table = self.table + tables + at * self.stride
        step = entry << len(done.table.bits)
        name = write_codelet(self.writer, step_codelet(done, self.arith), done.scaled)
        return self.writer.call(name, *arrays, self.c, table, step)


def _leg(i: int, radix: int, backwards: bool) -> int:
    """Return the index of the butterfly input that element i is, or of the result.

    Its digits are reversed if ``backwards`` is set, since the elements then have the other order.
    """
    return i - i % radix + digit_reversal(i % radix, radix) if backwards else i
