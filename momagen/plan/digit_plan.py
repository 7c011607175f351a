"""Plans of transforms on reduced-radix limbs: the passes, the loops and the memory that their schedules state."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from momagen.kernels.flow.layouts import LANES
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kinds.modular.derived.sharing import is_split
from momagen.kinds.modular.spec import Spec
from momagen.targets import Target

from .depth_first import DepthFirstPlan
from .planners.limb_choices import MEMORY, LimbChoices, is_fused, opened_levels, stated_limbs
from .planners.limb_schedules import limb_schedule
from .planners.reduced_radix import LimbPlanner, check_choices, choices_of
from .schedule.checks.check import restated
from .schedule.nests import nests_of
from .schedule.tiles import PassTiles, TilePass, Tiles, is_across, row_of, tile_passes
from .schedule.types import OPEN_LIMBS, Schedule, Step


def digit_plan(spec: Spec, product: bool = False) -> DigitPlan:
    """Return the plan of one transform, with the planner's schedule or that of the option ``schedule``.

    Args:
        spec: The specification of the transform.
        product: Whether the transform is part of a product of polynomials.

    Raises:
        MomagenError: The schedule of the option does not compute the transform.
    """
    text = spec.options.schedule
    own = replace(spec, options=spec.options.without("schedule")) if text else spec
    usual = LimbPlanner(own, product)

    def again(found: Schedule) -> Schedule:
        stated = choices_of(found)
        check_choices(stated, usual)
        return limb_schedule(own, product, stated)

    schedule = limb_schedule(own, product, usual.choices)
    return DigitPlan(own, product, chosen=restated(text, schedule, again) if text else schedule)


@dataclass(frozen=True)
class DigitPlan(DepthFirstPlan):
    """A plan of one transform on reduced-radix limbs.

    Attributes:
        chosen: The schedule of the planner, or that of the option ``schedule``.
    """

    chosen: Schedule = field(kw_only=True)

    inside = "limbs"
    layout = LANES

    @property
    def shortest(self) -> int:
        """The number of bits that every modulus exceeds."""
        return self.inner.cut + 1

    @property
    def schedule(self) -> Schedule:
        """The steps of the transform."""
        return self.chosen

    @cached_property
    def choices(self) -> LimbChoices:
        """The choices that the schedule states."""
        return choices_of(self.schedule)

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
        return row_of(self.schedule.computing[0].columns, self.lanes)

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

    def steps(self, at: int) -> list[int]:
        """Return the numbers of levels between a load and a store of pass ``at``: one for each level."""
        if at < 0 and self.row:
            return []
        one = self.passes[at]
        return [1] * (one.levels + one.across)

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
    def split(self) -> bool:
        """Whether threads share one transform."""
        return is_split(self.spec) and not self.passes[0].left

    @property
    def tile_vectors(self) -> int:
        """The largest number of vectors in the tiles that a pass processes at once."""
        return max(one.rows * one.width for one in self.passes)
