"""The schedules of register-blocked transforms, and the choices of the planner that they state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.formula.breakdown import RING
from momagen.kernels.flow.columns import ONE, Columns
from momagen.kernels.flow.layouts import USER
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.single_signed import OneSigned
from momagen.plan.schedule import types
from momagen.plan.schedule.nests import nests_of
from momagen.plan.schedule.placed import Placed
from momagen.plan.schedule.tiles import PassTiles
from momagen.plan.schedule.types import Blocks, Breakdown, Schedule
from momagen.plan.step_plan import StepPlan
from momagen.plan.steps.choices import RUN, StepChoices
from momagen.plan.steps.levels import radix_levels

from .demands import check_demands
from .places import Between, Places, ScheduleBuilder, StepPlaces

TOGETHER = 8
"""The largest number of interleaved blocks."""
DEEPEST = 8
"""The largest number of levels of a pass of several steps, whose tile is on the stack."""


def residues_of(plan: StepPlan) -> str:
    """Return the representation of residues between steps."""
    inner = plan.inner
    if isinstance(inner, OneDouble):
        return types.DOUBLE
    if isinstance(inner, OneSigned):
        return types.SIGNED
    if inner.ring:
        return types.LONG_RING if plan.longer else types.RING
    return types.WORD if inner.whole else types.LIMB


def step_schedule(plan: StepPlan) -> Schedule:
    """Return the schedule of a register-blocked transform."""
    return _Builder(plan).schedule()


class _Builder:
    """A builder of the schedule of one transform.

    Steps and the values between them are collected in the order of the forward transform.

    Attributes:
        bits: The number of index bits.
        lanes: The places of lanes, or () if lanes are columns.
        kept: The values between passes.
    """

    def __init__(self, plan: StepPlan) -> None:
        spec, matrix = plan.spec, plan.tiles.row > 0
        self.plan, self.spec, inside = plan, spec, 1 if matrix else spec.columns
        radices = tuple(1 << placed.levels for row in plan.chain for placed in row if placed.levels)
        natural = spec.order == "natural"
        breakdown = Breakdown(RING, spec.n, max(radices), False, radices, spec.inverse, spec.splits, natural, inside)
        columns = Columns(spec.columns, plan.lanes, spec.columns // plan.lanes) if matrix else ONE
        self.to = ScheduleBuilder(breakdown, columns, (spec.ranges.input, spec.ranges.output))
        self.bits = len(self.to.names)
        self.lanes = () if matrix else range(plan.lanes.bit_length() - 1)
        memory = types.SCRATCH if plan.longer or (natural and not spec.inverse) else types.RESULT
        self.kept = Between(memory, self._layout, range(self.bits))
        self.steps, self.between = list[StepPlaces](), list[Between]()

    def schedule(self) -> Schedule:
        """Return the schedule."""
        plan, turn = self.plan, slice(None, None, -1 if self.spec.inverse else 1)
        nests = [self._column(one, row) for one, row in zip(plan.tiles.columns, plan.chain, strict=False)]
        nests += [self._rows(plan.chain[-1])] * (len(self.lanes) > 0)
        return self.to.schedule(residues_of(plan), nests[turn], self.steps[turn], self.between[1:][turn])

    def _put(self, placed: Placed, operands: Places, lanes: Places, loops: Places) -> None:
        """Append a step. Steps across lanes have an entry of the table for each lane and iteration."""
        numbers = (*lanes, *loops) if placed.apart else ()
        out, entry = placed.step.out, tuple(placed.letters)
        self.steps.append(StepPlaces(out, operands, lanes, loops, entry, numbers, reduction_of(self.plan)))

    @property
    def _layout(self) -> str:
        """The layout of residues between steps."""
        return types.DOUBLES if isinstance(self.plan.inner, OneDouble) else types.LONG if self.plan.longer else USER

    def _column(self, one: PassTiles, row: Sequence[Placed]) -> Blocks:
        """Collect the steps of a pass over columns, and return its nest, with places instead of index bits."""
        top, several = self.bits - one.depth, len(row) > 1
        own, below = range(top - one.levels, top), tuple(range(len(self.lanes), top - one.levels))
        tile, before = Between(types.TILE, self._layout, (*self.lanes, *own)), self.kept
        for placed in row:
            high = top - placed.depth
            operands = range(high - placed.levels, high)
            loops = tuple(place for place in own if place not in operands) if several else below
            self._put(placed, operands, self.lanes, loops)
            self.between.append(before)
            before = tile
        return Blocks(len(row), tuple(range(top, self.bits)), below if several else (), 1)

    def _rows(self, row: Sequence[Placed]) -> Blocks:
        """Collect the steps of the rows, and return their nest, with places instead of index bits."""
        width, tile = len(self.lanes), range(len(self.lanes) + self.plan.row_levels[0])
        turned = next((placed.across.order for placed in row if placed.across), ())
        for at, placed in enumerate(row):
            order = placed.across.order if placed.across else tile
            high = width - placed.across.done if placed.across else len(tile)
            operands = range(high - placed.levels, high)
            loops = tuple(place for place in order[width:] if place not in operands)
            inside = Between(types.REGISTERS, self._layout, order)
            if self.plan.looped and at and row[at - 1].apart:
                inside = self.kept._replace(places=(*turned, *range(len(tile), self.bits)))
            elif self.plan.looped or not at:
                inside = self.kept
            self._put(placed, operands, order[:width], loops)
            self.between.append(inside)
        return Blocks(len(row), tuple(range(len(tile), self.bits)), (), self.plan.together)


def reduction_of(plan: StepPlan) -> str:
    """Return the scheme that reduces products."""
    inner = plan.inner
    if isinstance(inner, OneDouble | OneSigned):
        return "nearest"
    return "shoup" if inner.ring or inner.split else "montgomery"


def choices_of(schedule: Schedule) -> StepChoices:
    """Return the choices that a schedule states.

    Raises:
        MomagenError: The nests do not contain all steps, or one of them contains none.
    """
    inverse, groups = schedule.breakdown.inverse, nests_of(schedule)
    levels = [tuple(len(step.operands) for step in own.computing[:: -1 if inverse else 1]) for own in groups]
    rows, columns, last = (0, 0), levels, groups[-1]
    width = len(last.computing[0].lanes)
    if width:
        *columns, (first, *across) = levels
        rows = first, sum(across)
    entries = {step.table.entry for step in last.computing}
    pairs = width > 0 and len(entries) == 1  # levels on whole vectors always have quotients
    residues = schedule.residues
    return StepChoices(
        residues == types.LONG_RING, residues in (types.RING, types.LONG_RING), tuple(columns), rows, pairs,
        last.nest.together,
    )  # fmt: skip


def check_choices(stated: StepChoices, usual: StepPlan) -> None:
    """Check that the choices of a schedule are possible.

    Args:
        stated: The choices.
        usual: The plan without a schedule, for the same transform.

    Raises:
        MomagenError: A choice is not possible.
    """
    check_demands(_demands(stated, usual))


def _demands(stated: StepChoices, usual: StepPlan) -> Iterator[tuple[bool, str, str]]:
    """Yield what must hold, the field of the schedule that states it, and the problem if it does not hold."""
    own, most = usual.choices, radix_levels(usual.target.registers)
    levels = [each for row in stated.columns for each in row]
    yield stated.longer == own.longer, "residues", "the lanes of values follow from the number of points"
    rows = f"rows have {own.rows[0]} levels on whole vectors and {own.rows[1]} across lanes"
    yield stated.rows == own.rows, "steps", rows
    once = sum(levels) == sum(each for row in own.columns for each in row)
    yield once, "steps", "the steps must compute each level once"
    shallow = all(sum(row) <= DEEPEST for row in stated.columns if len(row) > 1)
    few = all(1 <= each <= most for each in levels)
    yield shallow and few, "steps", f"a step has at most {most} levels, and several steps at most {DEEPEST}"
    fixed = not stated.longer or stated.columns == own.columns
    yield fixed, "nests", "the passes of long limbs follow from the number of points"
    yield own.ring or not stated.ring, "residues", "values of this transform must be reduced"
    on_rows = own.rows != (0, 0)
    last = 1 << sum(stated.columns[-1]) if stated.columns and on_rows else 1  # blocks of rows in one call
    enough = not usual.looped or last >= min(RUN, usual.tiles.rows.blocks)
    yield enough, "nests", f"the last pass over columns must leave at least {RUN} blocks"
    same = on_rows or sum(stated.columns[-1]) == sum(own.columns[-1])
    yield same, "nests", "the levels of the last pass follow from the number of columns"
    interleaved = 1 if usual.looped else min(TOGETHER, last)
    possible = stated.together in (1 << k for k in range(interleaved.bit_length()))
    yield possible, "nests", f"{stated.together} blocks cannot be interleaved"
