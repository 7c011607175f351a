"""Plans of transforms on full-radix limbs: any data flow, in passes that each process all data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from momagen.formula.breakdown import RING
from momagen.kernels.flow.layouts import LANES, USER
from momagen.kernels.residues.arith import SIGNED, Arith
from momagen.kinds.limits import Limit, check

from .planners.breakdowns import breakdown_of
from .planners.whole_words import words_schedule
from .schedule.checks.check import edited
from .schedule.checks.limits import ScheduleLimits
from .schedule.transform import ScheduledTransform
from .schedule.types import Breakdown, Move, Schedule

SHORT = 2
"""The largest number of words of a residue for which radix-4 codelets on vectors fit the instruction cache."""


LIMITS = (
    Limit(lambda spec: spec.options.quotients == "table" and spec.arith.kind == "montgomery" and spec.arith.held - 1,
          "quotients", '`quotients="table"` is not available for a modulus of {0.arith.bits} bits',
          "omit `quotients`, or use a modulus of at most {1} bits"),
)  # fmt: skip
"""The options that transforms on full-radix limbs do not support."""


@dataclass(frozen=True)
class WordPlan(ScheduledTransform):
    """A plan of one transform.

    The points of products stay in bit-reversed order, in the layout that vector code processes fastest.
    """

    shortest = 0
    """The number of bits that every modulus exceeds."""

    def __post_init__(self) -> None:
        check(self.spec, LIMITS)

    @property
    def layout(self) -> str:
        """The layout of the points between the transforms of a product.

        Remainders modulo x^d - z have the user's layout.
        """
        return LANES if self.spec.degree == 1 else USER

    @cached_property
    def arith(self) -> Arith:
        """The representation and multiplication of residues."""
        return replace(self.spec.arith, half_products=self.target.half_products)

    @property
    def lanes(self) -> int:
        """The number of lanes of vectors, or 1 for scalar code.

        Code is scalar if there are fewer columns than lanes, and either the number of columns is not a power
        of two, or the data does not fill two vectors.
        """
        lanes, columns = self.target.lanes, self.spec.columns
        few = columns & columns - 1 or self.spec.elements < 2 * lanes
        return 1 if columns < lanes and few else lanes

    @property
    def radix(self) -> int:
        """The largest radix of a pass that the number of points, the columns and the lanes allow.

        The target may state the radix. Otherwise it is 4 if the registers hold four residues; it is 2 if they
        do not, or if long chains of operations are faster in neighbouring radix-2 butterflies.
        """
        a, spec, lanes = self.arith, self.spec, self.lanes
        four = 4 * a.words <= self.target.registers and (lanes == 1 or (a.words <= SHORT and a.kind != SIGNED))
        usual = self.target.radix_for(a.words) or (4 if four else 2)
        return min(spec.options.radix or usual, spec.n // max(1, lanes // spec.columns))

    @cached_property
    def schedule(self) -> Schedule:
        """The steps of the transform: the planned ones, or those of the option ``schedule``.

        Raises:
            MomagenError: The schedule of the option does not compute the transform.
        """
        return edited(text, self.limits) if (text := self.spec.options.schedule) else self._usual()

    def _usual(self) -> Schedule:
        """Return the steps that the planner chooses."""
        spec, points = self.spec, self.layout if self.product else USER
        asked, ranges = self._asked, (spec.ranges.input, spec.ranges.output)
        return words_schedule(asked, self.arith, self.lanes, spec.columns, ranges=ranges, points=points)

    @property
    def _asked(self) -> Breakdown:
        """The transform, and the rules of the planner that break it down."""
        return breakdown_of(self.spec, self.product, self.radix)

    @property
    def limits(self) -> ScheduleLimits:
        """What an edited schedule must agree with."""
        spec, bounds = self.spec, (self.spec.ranges.input, self.spec.ranges.output)
        return ScheduleLimits(self._asked, self.arith, spec.columns, *bounds, lanes=self.target.lanes)

    @property
    def notes(self) -> Sequence[str]:
        """Notes on the plan for reports."""
        if self.product:
            return []
        columns, lanes = self.spec.columns, self.lanes
        left = [f"scalar code for {columns % lanes} of {columns} columns"] * (columns % lanes > 0 and columns > lanes)
        return [*left, *self._remarks() * (self.spec.algorithm != RING)]

    def _remarks(self) -> list[str]:
        """Return remarks for the report about mixed radices and steps that only move values."""
        radices = [step.radix for step in self.schedule.steps if not isinstance(step, Move)]
        moves = len(self.schedule.steps) - len(radices)
        mixed = f"n = {self.spec.n} is not a power of {max(radices)}: mixed radices {' · '.join(map(str, radices))}"
        moved = f"{moves} pass{'es' * (moves > 1)} over the data that only reorder{'s' * (moves == 1)} it"
        return [mixed] * (len(set(radices)) > 1) + [moved] * (moves > 0)

    @property
    def why(self) -> str:
        """The property of the machine that determines the radix."""
        stated = self.target.radix_for(self.arith.words)
        return f"radix     {'set by the target' if stated else f'limited by {self.target.registers} registers'}"
