"""Plans of transforms in register-blocked passes, whose residues fit one limb, word or double.

A step loads 2^levels vectors into registers. In the order of the transform, each step begins with the range
of values that the previous one leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from momagen.kernels.residues.single_digit import OneDigit, one_digit, unreduced
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.single_signed import OneSigned
from momagen.kinds.modular.derived.sharing import is_split
from momagen.kinds.modular.spec import Spec
from momagen.lazy import on_call
from momagen.plan.tiles import few, parts, ragged, tiles
from momagen.targets import Target

from .choices import by_signed_halves, in_double
from .depth_first import DepthFirstPlan
from .schedule.checks.check import restated
from .schedule.placed import Kept, Placed
from .schedule.tiles import PassTiles, Tiles
from .schedule.types import Schedule
from .steps.choices import RUN, StepChoices
from .steps.levels import passes, radix_levels

step_schedule: Callable[[StepPlan], Schedule] = on_call("momagen.plan.planners.single_limb", "step_schedule")
step_chain: Callable[[StepPlan, Sequence[Sequence[int]]], list[list[Placed]]] = on_call(
    "momagen.plan.steps.chain", "step_chain"
)
choices_of: Callable[[Schedule], StepChoices] = on_call("momagen.plan.planners.single_limb", "choices_of")
check_choices: Callable[[StepChoices, StepPlan], None] = on_call("momagen.plan.planners.single_limb", "check_choices")
GAPS = 3
"""The number of additional gaps between blocks of rows."""
FAR_LEVELS = 3
"""The largest number of levels of a step in an inverse pass over columns that takes several steps."""


def step_plan(spec: Spec, product: bool = False) -> StepPlan:
    """Return the plan of one transform: the planner's, or that of the schedule which an option states.

    Args:
        spec: The specification of the transform.
        product: Whether the transform is part of a product of polynomials.

    Raises:
        MomagenError: The schedule of the option does not compute the transform.
    """
    text = spec.options.schedule
    usual = StepPlan(replace(spec, options=spec.options.without("schedule")) if text else spec, product)

    def again(found: Schedule) -> Schedule:
        stated = choices_of(found)
        check_choices(stated, usual)
        return replace(usual, stated=stated).schedule

    return replace(usual, stated=choices_of(restated(text, usual.schedule, again))) if text else usual


@dataclass(frozen=True)
class StepPlan(DepthFirstPlan):
    """A plan of one transform in register-blocked passes.

    Attributes:
        stated: The choices of a schedule, which replace those of the planner, or None.
    """

    stated: StepChoices | None = None

    @cached_property
    def schedule(self) -> Schedule:
        """The steps of the transform."""
        return step_schedule(self)

    @property
    def scheduled(self) -> StepPlan:
        """The plan with the choices that its schedule states, which is what code is lowered from."""
        return replace(self, stated=choices_of(self.schedule))

    @property
    def choices(self) -> StepChoices:
        """The choices from which everything else follows."""
        columns = tuple(tuple(placed.levels for placed in row) for row in self.chain[:-1])
        if self.tiles.row:
            return StepChoices(self.longer, self.inner.ring, columns)
        return StepChoices(self.longer, self.inner.ring, columns, self.row_levels, self.whole, self.together)

    @property
    def whole(self) -> bool:
        """Whether constants that differ by lane have all columns."""
        return self.inner.letters(self.pairs) == self.inner.letters(True)

    @cached_property
    def longer(self) -> bool:
        """Whether values between the loads of operands and the stores of results are limbs in longer lanes.

        These lanes have several words of the target.
        """
        if self.stated:
            return self.stated.longer
        spec = self.spec
        plain = spec.columns == spec.blowup == 1 and not is_split(spec)
        least, most = self.target.points.get("inverse" if spec.inverse else "forward", (1, 0))
        able = self.target.inside and plain and least <= spec.n <= most
        if not able or spec.options.quotients == "computed":
            return False
        return unreduced(spec.arith.bits, self.target.inside_target.digit, spec.depth, spec.ranges.input, spec.inverse)

    @cached_property
    def machine(self) -> Target:
        """The target whose operations the steps use."""
        return self.target.inside_target if self.longer else self.target

    @property
    def has_whole_words(self) -> bool:
        """Whether each residue is one whole word instead of a shorter limb or a double."""
        return not isinstance(self.inner, OneDouble) and self.inner.word == self.target.word

    @property
    def lanes(self) -> int:
        """The number of lanes of a vector."""
        return self.machine.lanes

    @property
    def value_words(self) -> int:
        """The number of words of a value between passes."""
        return self.machine.word // self.target.word

    @property
    def gap(self) -> int:
        """The number of unused words between rows of values between passes.

        Without gaps, rows at a distance of a power of two would share a few sets of the caches.
        """
        return self.line * self.longer

    def reach(self, at: int) -> int:
        """Return the number of words from one row of column pass ``at`` to the next, between passes."""
        columns = self.tiles.columns
        if at in (-1, len(columns) - 1):
            return columns[at].stride * self.value_words + self.gap
        return columns[at + 1].rows * self.reach(at + 1) + GAPS * self.gap

    @cached_property
    def inner(self) -> OneDigit | OneDouble | OneSigned:
        """The representation of residues in a tile."""
        if in_double(self.spec):
            return OneDouble(self.spec.arith.bits)
        if by_signed_halves(self.spec):
            return OneSigned(self.spec.arith.bits)
        spec, digit = self.spec, self.machine.digit
        if self.stated:
            own = {"ring": self.stated.ring, "rounds": "mulhrs" in self.target.ops}
            return one_digit(spec.arith.bits, digit, self.machine.word, **own)
        ring = unreduced(spec.arith.bits, digit, spec.depth, spec.ranges.input, spec.inverse)
        ring = ring and (spec.ranges.output == 1 or self.longer) and spec.options.quotients != "computed"
        return one_digit(spec.arith.bits, digit, self.machine.word, ring=ring, rounds="mulhrs" in self.target.ops)

    @property
    def kept(self) -> Kept:
        """The offsets of the numbers that depend only on q; q, 1/q, R^2 and 2^digit·R mod q come first in a plan."""
        own, words = self.inner, self.value_words
        if self.longer:
            return Kept((("q", 4), ("mu", 4 + words)), 4 + 2 * words, words, longer=True)
        return Kept(tuple(own.places.items()), own.zeroth, self.target.copies)

    @property
    def shortest(self) -> int:
        """The number of bits that every modulus exceeds."""
        return self.inner.shortest

    @property
    def digit(self) -> int:
        """The number of bits of the factors of products."""
        return self.inner.digit or self.inner.word

    @property
    def line(self) -> int:
        """The alignment of the tables of the rows, in words: one vector."""
        return self.lanes * self.value_words

    @property
    def kind(self) -> str:
        """A description of the representation of residues."""
        if isinstance(self.inner, OneDouble):
            return f"1 floating-point limb of radix 2^{self.digit}"
        if self.inner.high:
            return f"{self.inner.word}-bit words"
        if self.inner.whole:
            return f"64-bit words, with quotients from {self.digit}-bit products"
        return f"1 integer limb of radix 2^{self.digit}"

    @cached_property
    def tiles(self) -> Tiles:
        """The passes over memory."""
        spec, lanes = self.spec, self.lanes
        vector = lanes * self.machine.word // 8
        stated = self.stated and [*map(sum, self.stated.columns)]
        if few(spec.columns, lanes):
            points, (vectors, across) = spec.elements, self.row_levels
            levels = stated or passes((points // lanes >> vectors).bit_length() - 1, self.machine)
            return tiles(points, self.machine, vector, levels=levels, rows=(vectors, across))
        last = ragged(spec.n, spec.columns, lanes)
        levels = stated or [*passes((spec.n >> last).bit_length() - 1, self.target), *[last] * (last > 0)]
        return tiles(spec.n, self.target, vector, levels=levels, row=spec.columns)

    @property
    def row_levels(self) -> tuple[int, int]:
        """The numbers of levels of a tile of rows on whole vectors and across lanes.

        On whole vectors, they are the largest number that registers and points allow.
        """
        if self.stated:
            return self.stated.rows
        lanes, columns = (number.bit_length() - 1 for number in (self.lanes, self.spec.columns))
        vectors = (self.spec.elements // self.lanes).bit_length() - 1
        if self.crowded:
            return min(vectors, self.target.registers.bit_length() - 1), lanes - columns
        return min(lanes, vectors, radix_levels(self.target.registers)), lanes - columns

    @cached_property
    def crowded(self) -> bool:
        """Whether a tile of rows has as many vectors as the target has registers, because it has few registers.

        Products of short words take only a few cycles, and values are spilled during them. It is false for an
        inverse transform if a pass over columns of one level would remain. That pass multiplies half of all
        values by 1/n, which costs more than it saves if a product takes several instructions.
        """
        short = isinstance(self.inner, OneDigit) and self.inner.high and not self.target.many_registers
        left = self.spec.elements // self.lanes == 2 * self.target.registers
        return short and not (left and self.spec.inverse and "redc" in self.target.ops)

    @property
    def pairs(self) -> bool:
        """Whether constants that differ by lane are stored with their quotients.

        By default they are if the first-level cache holds the input, the output and these constants, of which
        there is almost one for each point.
        """
        if self.stated:
            return self.stated.pairs
        if asked := self.spec.options.quotients:
            return asked == "table"
        held = (2 + len(self.inner.letters(True))) * self.spec.elements
        return held * self.target.word // 8 <= self.target.first.bytes

    @cached_property
    def chain(self) -> list[list[Placed]]:
        """The steps of each pass over columns, followed by the steps of the rows, from the whole ring down."""
        columns = [parts(one.levels, self.most_of(one)) for one in self.tiles.columns]
        return step_chain(self, self.stated.columns if self.stated else columns)

    @property
    def most(self) -> int:
        """The largest number of levels of a step over columns, which the registers and an option limit."""
        held = radix_levels(self.target.registers)
        return min(held, self.spec.options.levels or held)

    def most_of(self, columns: PassTiles) -> int:
        """Return the largest number of levels of a step in the pass over ``columns``.

        The last step of an inverse pass stores rows that are far apart. Eight of them fit the ways of a cache set
        together with the rows that the step loads; sixteen took 1.06 to 1.5 times as long on Zen 5.
        """
        return min(self.most, FAR_LEVELS) if self.spec.inverse and columns.levels > self.most else self.most

    @property
    def together(self) -> int:
        """The number of interleaved tiles of rows.

        By default, two tiles hide the latency of products: a CPU looks ahead over about one tile, which is a
        chain of six levels.
        """
        if self.stated:
            return self.stated.together
        if asked := self.spec.options.interleave_blocks:
            return min(asked, self.tiles.rows.blocks)
        if isinstance(self.inner, OneSigned):
            return 1
        crowded = self.crowded and self.target.registers <= self.tiles.rows.rows
        several = (isinstance(self.inner, OneDigit) and not crowded) or self.inner.ring
        return min(1 + several, self.tiles.rows.blocks)

    @property
    def looped(self) -> bool:
        """Whether each step of the rows has a separate loop, because products of doubles have a long latency.

        These loops leave tiles in one of two orders, so that all levels across lanes must be one step.
        """
        vectors, across = self.row_levels
        return isinstance(self.inner, OneDouble) and not self.tiles.row and across <= vectors

    @property
    def rows_at_once(self) -> int:
        """The number of blocks of rows in one iteration of their loop; threads process multiples of it."""
        return min(RUN, self.tiles.rows.blocks) if self.looped else self.together

    @property
    def finishes(self) -> bool:
        """Whether the conversion of the results from doubles to words is a separate step without levels."""
        return self.looped and not self.spec.inverse

    def steps(self, at: int) -> list[int]:
        """Return the numbers of levels of the steps of pass ``at``."""
        return [placed.levels for placed in self.chain[at] if placed.levels]

    def block_words(self, at: int) -> int:
        """Return the number of words of the constants of one block of pass ``at``."""
        return max((placed.end for placed in self.chain[at]), default=0)
