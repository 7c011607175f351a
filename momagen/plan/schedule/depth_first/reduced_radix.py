"""Transforms on reduced-radix limbs: the passes, the loops and the memory that their schedules state."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from momagen.kernels.flow.columns import Columns
from momagen.kernels.flow.layouts import LANES
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kinds.modular.spec import Spec
from momagen.plan.schedule.nests import nests_of
from momagen.plan.schedule.tiles import PassTiles, TilePass, Tiles, is_across, row_of, tile_passes
from momagen.plan.schedule.types import OPEN_LIMBS, Step
from momagen.targets import Target

from .choices import MEMORY, REGISTERS, LimbChoices
from .limbs import limbs_of
from .transform import DepthFirstTransform


def stated_limbs(spec: Spec, product: bool, made: LimbChoices) -> ReducedRadix:
    """Return the representation of residues in limbs that choices lead to.

    Args:
        spec: The specification of the transform.
        product: Whether the transform is part of a product of polynomials.
        made: The choices.
    """
    found = limbs_of(spec, product, made.twiddles)
    if made.resting and found.words != spec.arith.words:
        return limbs_of(spec, product, made.twiddles, rests=True)
    return found


def matrix_row(spec: Spec) -> int:
    """Return the number of residues of a row of the matrix between passes, or 0 without a matrix."""
    return row_of(Columns(spec.columns), spec.target.lanes)


def is_fused(inner: ReducedRadix, made: LimbChoices) -> bool:
    """Return whether a loop computes two levels, because the registers hold four residues and three twiddles."""
    return inner.single and not made.paired and made.constants == REGISTERS


def opened_levels(spec: Spec, inner: ReducedRadix, levels: tuple[int, ...]) -> int:
    """Return the number of levels that are fused with the conversion of the input, or of the results of an inverse.

    It is 0 if the results of an inverse transform are scaled.

    Args:
        spec: The specification of the transform.
        inner: The representation of residues.
        levels: The numbers of levels of the passes over columns.
    """
    if spec.inverse and not inner.over:
        return 0
    rows = 1 << levels[0] if levels else spec.target.lanes
    return 2 if not spec.splits and rows >= 4 and (inner.sums_first or spec.inverse) else 1


@dataclass(frozen=True)
class LimbTransform(DepthFirstTransform):
    """A transform on reduced-radix limbs.

    Attributes:
        choices: The choices that the schedule states.
    """

    choices: LimbChoices = field(kw_only=True)

    layout = LANES

    @property
    def shortest(self) -> int:
        """The number of bits that every modulus exceeds."""
        return self.inner.cut + 1

    @cached_property
    def target(self) -> Target:
        """The target, with the chains of the schedule."""
        return replace(self.spec.target, longest=self.choices.chain)

    @cached_property
    def inner(self) -> ReducedRadix:
        """The representation of residues in limbs between levels."""
        return stated_limbs(self.spec, self.product, self.choices)

    @cached_property
    def passes(self) -> list[TilePass]:
        """The passes over columns, followed by the pass over rows."""
        return tile_passes(self.schedule, self.lanes, self.spec.arith.words, self.inner.words)

    @property
    def row(self) -> int:
        """The number of residues of a row of the matrix between passes, or 0 without a matrix."""
        return matrix_row(self.spec)

    @cached_property
    def tiles(self) -> Tiles:
        """The passes over memory."""
        n, (*columns, last) = self.spec.n, self.passes
        if self.row:
            return Tiles(n, self.lanes, (*columns, last), PassTiles(n.bit_length() - 1, 0, self.lanes), self.row)
        return Tiles(n, self.lanes, tuple(columns), last)

    @property
    def kind(self) -> str:
        """A description of the limbs of a residue."""
        return self.schedule.residues

    def block_words(self, at: int) -> int:
        """Return the number of words of the constants of one block of pass ``at``."""
        if at < 0 and self.row:
            return 0
        one, inner = self.passes[at], self.inner
        return (one.rows - 1) * (inner.shared_words + self.lanes * inner.apart_words * (one.across > 0))

    @property
    def again(self) -> bool:
        """Whether every butterfly reads its constants from memory, because they do not fit the registers."""
        return self.choices.constants == MEMORY

    @property
    def paired(self) -> bool:
        """Whether the instructions of two butterflies are interleaved."""
        return self.choices.paired

    @property
    def fused(self) -> bool:
        """Whether a loop computes two levels at once."""
        return is_fused(self.inner, self.choices)

    @property
    def waits(self) -> bool:
        """Whether levels across lanes, which then are those of an inverse transform, leave carries of sums."""
        last = nests_of(self.schedule)[-1]
        after = zip(last.steps, last.edges[1:], strict=True)
        *_, layout = (edge.layout for step, edge in after if isinstance(step, Step) and is_across(step))
        return self.spec.inverse and layout == OPEN_LIMBS

    @property
    def opened(self) -> int:
        """The number of levels that are fused with the conversion of the input, or of the results of an inverse."""
        return opened_levels(self.spec, self.inner, self.choices.levels)

    @property
    def legs(self) -> int:
        """The number of butterfly inputs of the conversion that is fused with levels."""
        return 1 << self.opened

    @property
    def conversions(self) -> set[str]:
        """The names of the functions that convert rows from words to limbs, from limbs to limbs, and back."""
        moves = {name for one in self.passes for name in (one.fetch, one.put)}
        if self.row:
            return moves | {"end_scaled"} & {"end_scaled" * ("end" in moves and self.spec.inverse)}
        return moves | {"begin_turned" if self.spec.inverse else "end_turned", *["end_scaled"] * ("end" in moves)}

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The number of rows and the width of the first level of each loop nest, without repetitions."""
        return sorted({(one.vectors, one.half) for one in self.passes if one.half})

    @property
    def room(self) -> int:
        """The number of words of scratch memory for limbs between passes, and for results that are reordered."""
        words = self.spec.elements * self.spec.arith.words * (self.spec.order == "natural" and self.apart)
        return self.tiles.room * self.inner.words + words

    @property
    def apart(self) -> bool:
        """Whether words before reordering need scratch memory separate from the limbs' scratch memory.

        They do if residues are stored as words between some passes, or if the words of a matrix would
        overwrite limbs that have not been converted yet.
        """
        return self.row > 0 or self.choices.resting > 0

    @property
    def tile_vectors(self) -> int:
        """The largest number of vectors in the tiles that a pass processes at once."""
        return max(one.rows * one.width for one in self.passes)
