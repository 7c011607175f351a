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
from momagen.formula.factors import Stage, stages
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
    Breakdown,
    Edge,
    MatrixProduct,
    Move,
    Schedule,
    Step,
    StepTable,
)  # fmt: skip
from momagen.plan.word_plan import breakdown_of

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
        """Return the schedule that follows from choices."""
        return _MatrixBuilder(self, made).schedule()

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
        """Return why the engines do not compute the sums of products exactly, or ""."""
        try:
            for size, name in zip(stated.factors, stated.engines, strict=True):
                self._engine(size, name, stated.sums)
            if stated.fold:
                self._fold(stated.factors, stated.engines, stated.fold)
        except MomagenError as error:
            return str(error)
        return ""


class _MatrixBuilder:
    """A builder of the schedule of one transform.

    Values are only reduced as far as the digits of the next matrix, or the result, require.

    Attributes:
        order: The index bit at each address bit.
        steps: The steps.
        edges: The edges.
        nests: The nests.
    """

    def __init__(self, planner: MatrixPlanner, made: MatrixChoices) -> None:
        spec, turn = planner.spec, slice(None, None, -1 if planner.spec.inverse else 1)
        self.planner, self.spec, self.made, self.arith = planner, spec, made, planner.arith
        asked = breakdown_of(spec, max(made.factors), algorithm=DENSE)
        self.breakdown: Breakdown = replace(asked, radices=made.factors)
        engines = zip(made.factors[turn], made.engines[turn], strict=True)
        self.choices = [planner._engine(size, name, made.sums) for size, name in engines]
        self.order: Bits = tuple(range(spec.n.bit_length() - 1))
        self.steps, self.nests = list[Step | Move](), list[MatrixProduct]()
        self.edges = [Edge(OPERAND, ARRAYS, self.order, 0, spec.ranges.input)]

    def schedule(self) -> Schedule:
        """Return the schedule."""
        found = stages(formula_of(self.breakdown), dense=True)
        scaled = any(isinstance(stage.core, Scale) for stage in found)
        left, first = [stage for stage in found if not isinstance(stage.core, Scale)], 0
        for at, stage in enumerate(left):
            later = sum(not isinstance(each.core, Permutation) for each in left[at + 1 :])
            self._put(stage, later, scaled)
            if isinstance(stage.core, Transform):
                self._close(first, len(self.nests) == len(self.choices) - 1, len(left))
                first = len(self.steps)
        self.edges[-1] = replace(self.edges[-1], memory=RESULT)
        return Schedule(self.breakdown, FULL_LIMBS, tuple(self.nests), tuple(self.steps), tuple(self.edges))

    def _close(self, first: int, is_last: bool, count: int) -> None:
        """Append the nest of the steps from number ``first`` on, which are all remaining ones of ``count`` if last."""
        at, turn = len(self.nests), slice(None, None, -1 if self.spec.inverse else 1)
        choice, block, points = self.choices[at], self.spec.target.block, self.made.factors[turn][at]
        lanes, steps = 0, (count if is_last else len(self.steps)) - first
        if self.made.fused:
            own = MatrixBlock(points, choice.digits.count, choice.engine.takes, self.arith.words)
            lanes = own.lanes(block, self.spec.target.first.bytes)
        self.nests.append(MatrixProduct(steps, choice.engine.name, choice.digits.size, lanes, self.made.fold))

    def _put(self, stage: Stage, later: int, scaled: bool) -> None:
        """Append the step of a stage, and the edge after it.

        Args:
            stage: The stage.
            later: The number of later stages that compute.
            scaled: Whether the last product is divided by n.
        """
        low, core = stage.right.bit_length() - 1, stage.core
        own, below = self.order[low : low + core.size.bit_length() - 1], self.edges[-1].below
        if isinstance(core, Permutation):
            assert stage.left == stage.right == 1, "permutations of the rules move whole indices"
            self.order = tuple(self.order[bit] for bit in order_of(core))
            self.steps.append(Move(()))
        elif isinstance(core, Diagonal):
            digits = self.choices[len(self.nests)].digits
            below = 1 + (2 * self.arith.top - 1 <= digits.most and self.arith.room > 1)
            table = StepTable(entry_of(self.arith), own, {}, {}, renamed(phase_of(core), own.__getitem__), False)
            self.steps.append(self._step((), self.arith.kind, below, table))
        else:
            assert isinstance(core, Ring) and core.blocks == 1, "the rules leave no other transforms"
            sign, last = -1 if core.inverse else 1, len(self.nests) == len(self.choices) - 1
            heap = {frozenset[int](): turn} if (turn := sign * core.turn / core.n % 1) else {}
            below = min(2, self.arith.room if later else self.spec.ranges.output)
            table = StepTable((DIGITS,), (), heap, {}, {}, scaled and last)
            self.steps.append(self._step(own, self.made.sums, below, table))
        self.edges.append(Edge(SCRATCH, ARRAYS, self.order, 0, below))

    def _step(self, operands: Bits, reduction: str, below: int, table: StepTable) -> Step:
        """Return a step on an array whose results are below ``below``·q."""
        loops = tuple(bit for bit in self.order if bit not in operands)
        columns, decimation = Columns(self.spec.columns, 1, self.spec.columns), FREQUENCY if self.spec.inverse else TIME
        return Step(operands, (), loops, columns, decimation, reduction, self.edges[-1].below, below, table)


matrix_plan = MatrixPlanner.plan
"""The function :meth:`ChoicePlanner.plan` for matrix products."""
