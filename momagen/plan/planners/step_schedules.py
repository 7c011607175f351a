"""The schedules of register-blocked transforms, which follow from the choices of the planner."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.formula.breakdown import RING
from momagen.kernels.flow.columns import ONE, Columns
from momagen.kernels.flow.layouts import USER
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.single_signed import OneSigned
from momagen.plan.schedule import types
from momagen.plan.schedule.depth_first.one_limb import StepTransform
from momagen.plan.schedule.placed import Placed
from momagen.plan.schedule.tiles import PassTiles
from momagen.plan.schedule.types import Blocks, Schedule

from .breakdowns import breakdown_of
from .places import Between, Places, ScheduleBuilder, StepPlaces


def step_schedule(plan: StepTransform) -> Schedule:
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

    def __init__(self, plan: StepTransform) -> None:
        spec, matrix = plan.spec, plan.tiles.row > 0
        self.plan, self.spec, inside = plan, spec, 1 if matrix else spec.columns
        radices = tuple(1 << placed.levels for row in plan.chain for placed in row if placed.levels)
        natural = spec.order == "natural"
        breakdown = breakdown_of(spec, plan.product, max(radices), algorithm=RING, columns=inside, radices=radices)
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
        return self.to.schedule(plan.choices.residues, nests[turn], self.steps[turn], self.between[1:][turn])

    def _put(self, placed: Placed, operands: Places, lanes: Places, loops: Places) -> None:
        """Append a step. Steps across lanes have an entry of the table for each lane and iteration."""
        numbers = (*lanes, *loops) if placed.apart else ()
        out, entry = placed.step.out, tuple(placed.letters)
        self.steps.append(StepPlaces(out, operands, lanes, loops, entry, numbers, _reduction(self.plan)))

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
        width, tile = len(self.lanes), range(len(self.lanes) + self.plan.choices.rows[0])
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


def _reduction(plan: StepTransform) -> str:
    """Return the scheme that reduces products."""
    inner = plan.inner
    if isinstance(inner, OneDouble | OneSigned):
        return "nearest"
    return "shoup" if inner.ring or inner.split else "montgomery"
