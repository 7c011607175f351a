"""Plans of transforms as products with matrices and twiddles between them; elements move only to change their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from momagen.errors import MomagenError
from momagen.formula.atoms import Diagonal, Permutation, Scale
from momagen.formula.breakdown import DENSE, derivation, expand
from momagen.formula.factors import Stage, stages
from momagen.formula.three_steps import Factored, by_factors
from momagen.formula.transforms import Transform
from momagen.kernels.flow.index_bits import Order, order_of
from momagen.kernels.matrices.blocks import MatrixBlock
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.options.declared import OptionGroup
from momagen.kinds.modular.options.factors import MOST, factors_text
from momagen.kinds.modular.spec import Spec

from .array_plan import ARRAY
from .engines import FOLDED, MONTGOMERY, EngineChoice, engine_for, room_of
from .schedule.passes import asked_of
from .tree import AXIS, LEG, PlannedPass
from .word_plan import WordPlan, breakdown_of

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
    return spec.options.only(("algorithm", "radix", "schedule")).names()


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


@dataclass(frozen=True)
class DensePass:
    """A product of a matrix and the middle axis of an array of shape (left, points, right).

    Attributes:
        left: The length of the first axis.
        core: The transform that the matrix computes.
        right: The length of the last axis.
        choice: The engine and the digits.
        scaled: Whether the matrix is divided by n.
        lanes: The number of columns of a block that one kernel converts from residues to residues, or 0 if
            digits, sums and residues are computed by separate kernels.
    """

    left: int
    core: Transform
    right: int
    choice: EngineChoice
    scaled: bool = False
    lanes: int = 0

    @property
    def points(self) -> int:
        """The number of points of the matrix."""
        return self.core.n


@dataclass(frozen=True)
class TwiddlePass:
    """The product of each element of an array of shape (left, size, right) by a power of the root.

    Attributes:
        left: The length of the first axis.
        core: The diagonal matrix of the twiddles, whose size is the length of the middle axis.
        right: The length of the last axis.
    """

    left: int
    core: Diagonal
    right: int


MatrixPass = DensePass | TwiddlePass | Order


@dataclass(frozen=True)
class MatrixPlan(WordPlan):
    """A plan of one transform whose kernels are matrix products."""

    @property
    def dense(self) -> int:
        """The largest number of points of a matrix.

        Raises:
            MomagenError: The value is not a power of two from 2 to ``MOST``.
        """
        asked = self.spec.options.dense or self.target.dense or USUAL
        if not 2 <= asked <= MOST or asked & asked - 1:
            raise MomagenError(f"a power of two from 2 to {MOST}", asked, "dense")
        return asked

    @property
    def sums(self) -> str:
        """The reduction of sums of products of digits to residues."""
        return self.spec.options.sums or MONTGOMERY

    @cached_property
    def factored(self) -> Factored:
        """The transform broken down into matrices.

        They have the requested sizes, or there are as few as possible of nearly equal sizes.

        Raises:
            MomagenError: The product of the requested sizes is not n.
        """
        if not (factors := self.spec.options.factors):
            asked = asked_of(breakdown_of(self.spec, self.dense, even=True, algorithm=DENSE))
            return Factored(expand(*asked, dense=True), derivation(*asked, dense=True))
        if prod(factors) != self.spec.n:
            got = f"{factors_text(factors)}, whose product is {prod(factors)}"
            raise MomagenError(f"factors whose product is {self.spec.n}", got, "factors")
        return by_factors(asked_of(breakdown_of(self.spec, MOST))[0], factors)

    @cached_property
    def passes(self) -> list[MatrixPass]:
        """The passes in the order in which they act."""
        found, scaled = list[MatrixPass](), False
        for stage in stages(self.factored.formula, dense=True):
            if isinstance(stage.core, Scale):
                scaled = True
            else:
                found.append(self._of(stage))
        last = max(at for at, each in enumerate(found) if isinstance(each, DensePass))
        dense = found[last]
        assert isinstance(dense, DensePass)
        found[last] = replace(dense, scaled=scaled)
        return found

    def _of(self, stage: Stage) -> MatrixPass:
        """Return the pass of a stage of the formula."""
        left, core, right = stage
        if isinstance(core, Transform):
            asked = self.spec.options.engine or ""
            room = room_of(self.sums, self.arith)
            choice = engine_for(self.target.engine, self.arith, core.n, core.n, asked, room=room)
            lanes = self._lanes(choice, core.n) if self.spec.options.fused else 0
            return DensePass(left, core, right, choice, lanes=lanes)
        if isinstance(core, Permutation):
            assert left == right == 1, "what the rules make turns whole indices"
            return order_of(core)
        assert isinstance(core, Diagonal)
        return TwiddlePass(left, core, right)

    def _lanes(self, choice: EngineChoice, points: int) -> int:
        """Return the number of columns of a block.

        Raises:
            MomagenError: Blocks do not support the type of this engine's digits, or the memory is too small
                for one.
        """
        block = MatrixBlock(points, choice.digits.count, choice.engine.takes, self.arith.words)
        return block.lanes(self.target.block, self.target.first.bytes)

    @property
    def why(self) -> str:
        """The engines that were chosen."""
        chosen = dict.fromkeys(str(each.choice) for each in self.passes if isinstance(each, DensePass))
        return f"engine    {'; '.join(chosen)}"

    def planned(self) -> list[PlannedPass]:
        """Return the passes in the order of execution."""
        return [self._planned(each) for each in self.passes]

    def _planned(self, each: MatrixPass) -> PlannedPass:
        """Return the description of a pass."""
        if isinstance(each, DensePass):
            levels = each.core.n.bit_length() - 1
            sides = [AXIS * (side.bit_length() - 1) for side in (each.left, each.right)]
            entries = each.points**2
            note = f"matrix of {each.points} × {each.points}{f', blocks of {each.lanes} columns' * (each.lanes > 0)}"
            return PlannedPass(f"{sides[0]}{LEG * levels}{sides[1]}", ARRAY, ARRAY, (levels,), entries, note=note)
        if isinstance(each, TwiddlePass):
            size = each.core.size
            bits = AXIS * (prod((each.left, size, each.right)).bit_length() - 1)
            return PlannedPass(bits, ARRAY, ARRAY, (), size, size * self.arith.twiddle_words, note="twiddles")
        return PlannedPass("", ARRAY, ARRAY, note="transposes")
