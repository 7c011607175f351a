"""The planner of transforms as products with matrices, and twiddles between them.

Elements move only to change their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import NamedTuple

from momagen.errors import MomagenError
from momagen.formula.atoms import Diagonal, Permutation, Scale
from momagen.formula.breakdown import DENSE, asked, expand
from momagen.formula.factors import stages
from momagen.formula.transforms import Ring, Transform
from momagen.kernels.flow.columns import Columns
from momagen.kernels.flow.index_bits import order_of, phase_of, renamed
from momagen.kernels.matrices.blocks import MatrixBlock
from momagen.kernels.matrices.engines import FOLDED, MONTGOMERY, SUMS, EngineChoice, engine_for, fold_on, room_of
from momagen.kernels.matrices.folds import check_room
from momagen.kernels.matrices.sums import DigitSums
from momagen.kernels.residues.arith import FULL_LIMBS, Arith
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.options.declared import OptionGroup
from momagen.kinds.modular.options.factors import MOST, factors_text
from momagen.kinds.modular.spec import Spec
from momagen.plan.schedule.matrices import MatrixTransform, product_nests
from momagen.plan.schedule.passes import entry_of, formula_of
from momagen.plan.schedule.types import (
    ARRAYS,
    DIGITS,
    FREQUENCY,
    OPERAND,
    RESULT,
    SCRATCH,
    TIME,
    Bits,
    Edge,
    MatrixProduct,
    Move,
    Schedule,
    Step,
    StepTable,
)  # fmt: skip

from .breakdowns import breakdown_of
from .planner import ChoicePlanner, Demand

USUAL = 256
"""The default of the largest number of points of a matrix."""


def by_matrices(spec: Spec) -> bool:
    """Return whether a transform is computed by matrix products.

    It is if options request it, or if the target does so by default and no option requests butterflies.

    Raises:
        MomagenError: The options request both matrices and another data flow, or exclude one another.
    """
    check(spec, LIMITS)
    return bool(_of_matrices(spec) or (spec.target.dense and not _of_passes(spec)))


def _of_matrices(spec: Spec) -> tuple[str, ...]:
    """Return the names of the options that request matrices."""
    return spec.options.without(*["fused"] * (not spec.options.fused)).names(OptionGroup.MATRICES)


def _of_passes(spec: Spec) -> tuple[str, ...]:
    """Return the names of the options that request passes of butterflies."""
    return spec.options.only(("algorithm", "radix")).names()


def _of_both(spec: Spec) -> Sequence[str]:
    """Return an option of passes and an option of matrices, or [] unless both are requested."""
    passes, matrices = _of_passes(spec), _of_matrices(spec)
    return [min(passes), min(matrices)] if passes and matrices else []


LIMITS = (
    Limit(_of_both, "{1[0]}", "`{1[0]}` cannot be combined with `{1[1]}`", "omit one of the two"),
    Limit(lambda spec: spec.options.dense and spec.options.factors,
          "dense", "`dense` cannot be combined with `factors`", "omit one of the two"),
    Limit(lambda spec: spec.options.fused and spec.options.sums == FOLDED,
          "sums", f'`sums="{FOLDED}"` cannot be combined with `fused="yes"`', "use another value of `sums`"),
    Limit(lambda spec: spec.options.fused and not spec.target.block,
          "fused", "`fused` is not available on {0.target}", "use a target like jax_tpu"),
)  # fmt: skip
"""The options that exclude one another, or that a target with matrix engines does not support."""


class MatrixChoices(NamedTuple):
    """The choices of the planner, from which everything else follows.

    Attributes:
        factors: The numbers of points of the matrices; a forward transform begins with the first one.
        engines: The names of their engines.
        fused: Whether one kernel converts blocks of columns from residues to residues.
        sums: The reduction of sums of products of digits to residues.
        fold: The name of the engine of a reduction by folding, or "".
    """

    factors: tuple[int, ...]
    engines: tuple[str, ...]
    fused: bool
    sums: str
    fold: str


def matrix_choices(schedule: Schedule) -> MatrixChoices:
    """Return the choices that a schedule states."""
    nests, turn = product_nests(schedule), slice(None, None, -1 if schedule.breakdown.inverse else 1)
    sums = next(step.reduction for step in schedule.computing if step.operands)
    engines, fused = tuple(nest.engine for nest in nests)[turn], any(nest.lanes for nest in nests)
    return MatrixChoices(schedule.breakdown.radices, engines, fused, sums, nests[0].fold)


@dataclass(frozen=True)
class MatrixPlanner(ChoicePlanner[MatrixChoices]):
    """The planner of one transform."""

    stated = staticmethod(matrix_choices)

    @cached_property
    def arith(self) -> Arith:
        """The representation of residues, for every modulus."""
        return replace(self.spec.arith, modulus=0)

    @cached_property
    def choices(self) -> MatrixChoices:
        """The choices of the planner."""
        options, sums = self.spec.options, self.spec.options.sums or MONTGOMERY
        factors = tuple(options.factors or self._sizes())
        if prod(factors) != self.spec.n:
            got = f"{factors_text(factors)}, whose product is {prod(factors)}"
            raise MomagenError(f"factors whose product is {self.spec.n}", got, "factors")
        engines = tuple(self._engine(size, options.engine or "", sums).engine.name for size in factors)
        fold = self._fold(factors, engines, options.engine or "") if sums == FOLDED else ""
        return MatrixChoices(factors, engines, bool(options.fused), sums, fold)

    def _sizes(self) -> list[int]:
        """Return the default numbers of points: as few matrices as possible, of nearly equal sizes.

        Raises:
            MomagenError: The option ``dense`` is not a power of two from 2 to ``MOST``.
        """
        most = self.spec.options.dense or self.spec.target.dense or USUAL
        if not 2 <= most <= MOST or most & most - 1:
            raise MomagenError(f"a power of two from 2 to {MOST}", most, "dense")
        formula = expand(*asked(DENSE, self.spec.n, most, even=True), dense=True)
        cores = [stage.core for stage in stages(formula, dense=True)]
        return [core.n for core in cores if isinstance(core, Transform)]

    def _engine(self, points: int, name: str, sums: str) -> EngineChoice:
        """Return the engine for a matrix, and its digits; the cheapest engine if the name is ""."""
        return engine_for(self.spec.target.engine, self.arith, points, points, name, room=room_of(sums, self.arith))

    def _fold(self, factors: Sequence[int], engines: Sequence[str], name: str) -> str:
        """Return the name of the engine that folds all sums, by default the cheapest one for the longest sums."""
        arith = self.arith
        check_room(arith)
        for points, engine in sorted(zip(factors, engines, strict=True), reverse=True):
            choice = self._engine(points, engine, FOLDED)
            sums = DigitSums(arith, choice.digits, choice.digits, points, max(choice.engine.held, arith.word))
            name = fold_on(self.spec.target.engine, arith, (arith.top << sums.gain() + 1) + 1, name)[0].name
        return name

    def scheduled(self, made: MatrixChoices) -> Schedule:
        """Return the schedule that follows from choices.

        Values are only reduced as far as the digits of the next matrix, or the result, require.
        """
        spec, arith, turn = self.spec, self.arith, slice(None, None, -1 if self.spec.inverse else 1)
        sizes, steps, begins = made.factors[turn], list[Step | Move](), list[int]()
        engines = [self._engine(size, name, made.sums) for size, name in zip(sizes, made.engines[turn], strict=True)]
        breakdown = breakdown_of(spec, self.product, max(sizes), algorithm=DENSE, radices=made.factors)
        order: Bits = tuple(range(spec.n.bit_length() - 1))
        edges = [Edge(OPERAND, ARRAYS, order, 0, spec.ranges.input)]
        for _, core, right in stages(formula_of(breakdown), dense=True):
            low, accepts, left = right.bit_length() - 1, edges[-1].below, engines[len(begins) :]
            bits, below = order[low : low + core.size.bit_length() - 1], edges[-1].below
            match core:
                case Scale():
                    continue
                case Permutation():
                    order = tuple(order[bit] for bit in order_of(core))
                    steps.append(Move(()))
                case Diagonal():
                    below = 1 + (2 * arith.top - 1 <= left[0].digits.most and arith.room > 1)
                    turns = renamed(phase_of(core), bits.__getitem__)
                    table = StepTable(entry_of(arith), bits, {}, {}, turns, False)
                    steps.append(self._step((), order, arith.kind, accepts, below, table))
                case Ring():
                    below = min(2, arith.room if left[1:] else spec.ranges.output)
                    own = (-1 if core.inverse else 1) * core.turn / core.n % 1
                    heap = {frozenset[int](): own} if own else {}
                    table = StepTable((DIGITS,), (), heap, {}, {}, spec.inverse and not left[1:])
                    begins.append(len(steps))
                    steps.append(self._step(bits, order, made.sums, accepts, below, table))
            edges.append(Edge(SCRATCH, ARRAYS, order, 0, below))
        edges[-1] = replace(edges[-1], memory=RESULT)
        ends = [*begins[1:], len(steps)]
        found = zip([0, *ends], ends, engines, sizes, strict=False)
        nests = [self._nest(end - begin, own, size, made) for begin, end, own, size in found]
        return Schedule(breakdown, FULL_LIMBS, tuple(nests), tuple(steps), tuple(edges))

    def _step(
        self, operands: Bits, order: Bits, reduction: str, accepts: int, below: int, table: StepTable
    ) -> Step:  # fmt: skip
        """Return a step on an array whose bits have an order, with results below ``below``·q."""
        loops = tuple(bit for bit in order if bit not in operands)
        columns, decimation = Columns(self.spec.columns, 1, self.spec.columns), FREQUENCY if self.spec.inverse else TIME
        return Step(operands, (), loops, columns, decimation, reduction, accepts, below, table)

    def _nest(self, steps: int, choice: EngineChoice, points: int, made: MatrixChoices) -> MatrixProduct:
        """Return the nest of a product with a matrix of ``points`` points.

        Raises:
            MomagenError: Blocks of columns do not support the digits of the engine, or the memory does not hold one.
        """
        block = MatrixBlock(points, choice.digits.count, choice.engine.takes, self.arith.words)
        lanes = block.lanes(self.spec.target.block, self.spec.target.first.bytes) if made.fused else 0
        return MatrixProduct(steps, choice.engine.name, choice.digits.size, lanes, made.fold)

    def transform(self, schedule: Schedule) -> MatrixTransform:
        """Return the transform with a schedule."""
        return MatrixTransform(self.spec, self.product, chosen=schedule)

    def demands(self, stated: MatrixChoices) -> Iterator[Demand]:
        """Yield the demands on the choices of a schedule."""
        n, sizes = self.spec.n, all(2 <= size <= MOST and not size & size - 1 for size in stated.factors)
        fits = sizes and prod(stated.factors) == n
        yield fits, "breakdown.radices", f"expected powers of two from 2 to {MOST} whose product is {n}"
        yield len(stated.engines) == len(stated.factors), "nests", "each nest has one product with a matrix"
        yield stated.sums in SUMS, "steps", f"sums are reduced by {' or '.join(SUMS)}"
        able = not stated.fused or (bool(self.spec.target.block) and stated.sums != FOLDED)
        yield able, "nests", "blocks of columns are not available for this reduction on this target"
        known = [each.name for each in self.spec.target.engine if not each.words]
        yield {*stated.engines} <= {*known}, "nests", f"the engines are {' and '.join(known)}"
        yield (stated.fold != "") == (stated.sums == FOLDED), "nests", "sums are folded by one engine, or by none"
        if refused := self._refused(stated):
            yield False, "nests", refused

    def _refused(self, stated: MatrixChoices) -> str:
        """Return why the engines do not compute the sums of products exactly, or the memory holds no block, or ""."""
        try:
            for size, name in zip(stated.factors, stated.engines, strict=True):
                self._nest(0, self._engine(size, name, stated.sums), size, stated)
            if stated.fold:
                self._fold(stated.factors, stated.engines, stated.fold)
        except MomagenError as error:
            return str(error)
        return ""


matrix_plan = MatrixPlanner.plan
"""The function :meth:`ChoicePlanner.plan` for matrix products."""
