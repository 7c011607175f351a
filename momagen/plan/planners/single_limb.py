"""The schedules of register-blocked transforms, and the choices of the planner that they state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from momagen.errors import build_error
from momagen.formula.breakdown import RING
from momagen.kernels.flow.columns import ONE, Columns
from momagen.kernels.flow.layouts import USER
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.single_signed import OneSigned
from momagen.plan.schedule import types
from momagen.plan.schedule.checks.check import REMEDY
from momagen.plan.schedule.factors import named_factors
from momagen.plan.schedule.types import Bits, Blocks, Breakdown, Edge, Move, Schedule, Step, StepTable
from momagen.plan.step_plan import StepPlan
from momagen.plan.steps.choices import StepChoices
from momagen.plan.steps.levels import radix_levels
from momagen.plan.steps.placed import Placed
from momagen.plan.tiles import PassTiles

RUN = 16
"""The number of blocks of rows that one loop after another processes. The first-level cache holds them and their
constants."""
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


class Between(NamedTuple):
    """The values between two steps: their memory, their layout, and the places of their bits in memory order."""

    memory: str
    layout: str
    places: Sequence[int]


class StepPlaces(NamedTuple):
    """A step with the places of its index bits: the address bits at which a transform in place has them.

    Attributes:
        placed: The step in its pass.
        operands: The places of the operands.
        lanes: The places of the lanes.
        loops: The places of the loops, innermost first.
    """

    placed: Placed
    operands: Sequence[int]
    lanes: Sequence[int]
    loops: Sequence[int]


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
        self.breakdown = Breakdown(
            RING, spec.n, max(radices), False, radices, spec.inverse, spec.splits, natural, inside
        )  # fmt: skip
        found, self.result = named_factors(self.breakdown)
        self.factors = {frozenset(flow.legs): flow for flow in found}
        self.bits = len(self.result)
        self.lanes = () if matrix else range(plan.lanes.bit_length() - 1)
        self.columns = Columns(spec.columns, plan.lanes, spec.columns // plan.lanes) if matrix else ONE
        memory = types.SCRATCH if plan.longer or (natural and not spec.inverse) else types.RESULT
        self.kept = Between(memory, self._layout, range(self.bits))
        self.steps, self.between = list[StepPlaces](), list[Between]()

    def schedule(self) -> Schedule:
        """Return the schedule."""
        plan, turn = self.plan, slice(None, None, -1 if self.spec.inverse else 1)
        nests = [self._column(one, row) for one, row in zip(plan.tiles.columns, plan.chain, strict=False)]
        nests += [self._rows(plan.chain[-1])] * (len(self.lanes) > 0)
        return _Namer(self).schedule(nests[turn], self.steps[turn], self.between[1:][turn])

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
            self.steps.append(StepPlaces(placed, operands, self.lanes, loops))
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
            self.steps.append(StepPlaces(placed, operands, order[:width], loops))
            self.between.append(inside)
        return Blocks(len(row), tuple(range(len(tile), self.bits)), (), self.plan.together)


class _Namer:
    """A converter from places to index bits, in the order of execution.

    Each step reverses the order of the bits of its operands, which are then at other places.

    Attributes:
        of: The builder.
        names: The index bit at each place.
    """

    def __init__(self, of: _Builder) -> None:
        self.of, self.names = of, [*range(of.bits)]
        self.made, self.edges = list[Step | Move](), list[Edge]()

    def schedule(
        self, nests: Sequence[Blocks], steps: Sequence[StepPlaces], between: Sequence[Between]
    ) -> Schedule:  # fmt: skip
        """Return the schedule, with the ranges of all values, and with the move of a transform in natural order."""
        of, ranges = self.of, self.of.spec.ranges
        self.edges = [Edge(types.OPERAND, USER, tuple(self.names), 0, ranges.input)]
        moves, named, ends = of.breakdown.natural, list[Blocks](), iter(steps)
        if moves and of.spec.inverse:
            low = of.bits - (of.spec.n.bit_length() - 1)
            self.names[low:] = self.names[low:][::-1]
            self._put(Move(()), Between(types.SCRATCH, USER, range(of.bits)), (0, ranges.input))
        last = Between(types.SCRATCH if moves and not of.spec.inverse else types.RESULT, USER, range(of.bits))
        after = iter((*between, last))
        for nest in nests:
            named.append(replace(nest, blocks=self._of(nest.blocks), columns=self._of(nest.columns)))
            for _ in range(nest.steps):
                step = next(ends)
                made = self._step(step)
                self._put(made, next(after), step.placed.step.out)
        self.edges[-1] = replace(self.edges[-1], least=0, below=ranges.output)
        if moves and not of.spec.inverse:
            self.made.append(Move(()))
            self.edges.append(Edge(types.RESULT, USER, of.result, 0, ranges.output))
        assert self.edges[-1].order == of.result, "the steps are those of the formula"
        return Schedule(of.breakdown, residues_of(of.plan), tuple(named), tuple(self.made), tuple(self.edges))

    def _of(self, places: Sequence[int]) -> Bits:
        """Return the index bits at places."""
        return tuple(self.names[place] for place in places)

    def _put(self, step: Step | Move, after: Between, out: tuple[int, int]) -> None:
        """Append a step and the edge after it, whose values are from out[0]·q to below out[1]·q."""
        self.made.append(step)
        self.edges.append(Edge(after.memory, after.layout, self._of(after.places), -out[0], out[1]))

    def _step(self, at: StepPlaces) -> Step | Move:
        """Return a step, and move the names of its operands."""
        of, (placed, operands, lanes, loops) = self.of, at
        if not placed.levels:
            return Move(())
        flow, lane_bits, loop_bits = of.factors[frozenset(self._of(operands))], self._of(lanes), self._of(loops)
        others = (bit for bit in self.names if bit not in (*flow.legs, *lane_bits, *loop_bits))
        own = (*lane_bits, *loop_bits) if placed.apart else tuple(bit for bit in loop_bits if bit in flow.read)
        bits = (*own, *(bit for bit in others if bit in flow.read))
        table = StepTable(tuple(placed.letters), bits, flow.heap, flow.weights, flow.common, flow.scaled)
        decimation = types.FREQUENCY if of.spec.inverse else types.TIME
        accepts = self.edges[-1].below
        self.names[operands[0] : operands[-1] + 1] = self.names[operands[0] : operands[-1] + 1][::-1]
        return Step(flow.legs, lane_bits, loop_bits, of.columns, decimation, reduction_of(of.plan), accepts, 0, table)


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
    inverse, groups = schedule.breakdown.inverse, [*_groups(schedule)]
    if not groups:
        raise build_error("the steps must be in nests of blocks", "schedule.nests", REMEDY)
    groups = groups[::-1] if inverse else groups
    levels = [tuple(len(step.operands) for step in (own[::-1] if inverse else own)) for _, own in groups]
    rows, columns, last = (0, 0), levels, groups[-1]
    width = len(last[1][0].lanes)
    if width:
        *columns, (first, *across) = levels
        rows = first, sum(across)
    entries = {step.table.entry for step in last[1]}
    pairs = width > 0 and len(entries) == 1  # levels on whole vectors always have quotients
    residues = schedule.residues
    return StepChoices(
        residues == types.LONG_RING, residues in (types.RING, types.LONG_RING), tuple(columns), rows, pairs,
        last[0].together,
    )  # fmt: skip


def _groups(schedule: Schedule) -> Iterator[tuple[Blocks, list[Step]]]:
    """Yield each nest with its steps that compute."""
    first = int(len(schedule.steps) > sum(nest.steps for nest in schedule.nests) and schedule.breakdown.inverse)
    for nest in schedule.nests:
        own = [step for step in schedule.steps[first : first + nest.steps] if isinstance(step, Step)]
        if not isinstance(nest, Blocks) or not own:
            raise build_error("each nest of blocks must contain steps that compute", "schedule.nests", REMEDY)
        yield nest, own
        first += nest.steps
    if first > len(schedule.steps):
        raise build_error("the nests contain more steps than there are", "schedule.nests", REMEDY)


def check_choices(stated: StepChoices, usual: StepPlan) -> None:
    """Check that the choices of a schedule are possible.

    Args:
        stated: The choices.
        usual: The plan without a schedule, for the same transform.

    Raises:
        MomagenError: A choice is not possible.
    """
    for possible, place, problem in _demands(stated, usual):
        if not possible:
            raise build_error(problem, f"schedule.{place}", REMEDY)


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
