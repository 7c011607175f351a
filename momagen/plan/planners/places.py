"""The construction of schedules whose steps work in place: from the places of index bits to their names.

A planner states where a transform in place has the index bits of each step. Each step reverses the order of the bits
of its operands, which are then at other places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from momagen.kernels.flow.columns import Columns
from momagen.kernels.flow.layouts import USER
from momagen.plan.schedule.factors import named_factors
from momagen.plan.schedule.types import (
    FREQUENCY,
    OPERAND,
    RESULT,
    SCRATCH,
    TIME,
    Bits,
    Blocks,
    Breakdown,
    Edge,
    Move,
    Schedule,
    Step,
    StepTable,
)

Places = Sequence[int]
"""Address bits at which a transform in place has index bits."""


class Between(NamedTuple):
    """The values between two steps: their memory, their layout, and the places of their bits in memory order."""

    memory: str
    layout: str
    places: Places


class StepPlaces(NamedTuple):
    """A step with the places of its index bits.

    Attributes:
        out: The results are from -out[0]·q to below out[1]·q.
        operands: The places of the operands; () for a step that only moves or converts elements.
        lanes: The places of the lanes.
        loops: The places of the loops, innermost first.
        entry: The numbers that tables contain for each twiddle.
        numbers: The places that number the entries of the table even if no twiddle depends on them, the lowest first.
        reduction: The scheme that reduces products.
    """

    out: tuple[int, int]
    operands: Places = ()
    lanes: Places = ()
    loops: Places = ()
    entry: tuple[str, ...] = ()
    numbers: Places = ()
    reduction: str = ""


@dataclass
class ScheduleBuilder:
    """A builder of a schedule, whose steps are appended in the order of execution.

    Attributes:
        breakdown: The transform and its breakdown.
        columns: The columns that are no index bits.
        ranges: The bounds of operands and of results, as multiples of q.
        names: The index bit at each place.
        result: The index bit at each address bit of the result.
        steps: The steps.
        edges: The edges.
    """

    breakdown: Breakdown
    columns: Columns
    ranges: tuple[int, int]
    names: list[int] = field(init=False)
    result: Bits = field(init=False)
    steps: list[Step | Move] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def __post_init__(self) -> None:
        found, self.result = named_factors(self.breakdown)
        self._factors = {frozenset(flow.legs): flow for flow in found}
        self.names = [*range(len(self.result))]

    def schedule(
        self, residues: str, nests: Sequence[Blocks], steps: Sequence[StepPlaces], between: Sequence[Between],
        points: Between | None = None,
    ) -> Schedule:  # fmt: skip
        """Return the schedule, with the move of a transform in natural order.

        Args:
            residues: The representation of residues.
            nests: The nests in the order of execution, with places instead of index bits.
            steps: Their steps.
            between: The values between these steps.
            points: The points of the transform, if they are not in the user's layout.
        """
        own, (given, below), whole = self.breakdown, self.ranges, range(len(self.names))
        ends, named = iter(steps), list[Blocks]()
        user = Between(RESULT if own.inverse or not own.natural else SCRATCH, USER, whole)
        first, last = (points or user, user) if own.inverse else (user, points or user)
        self.edges = [Edge(OPERAND, first.layout, tuple(first.places), 0, given)]
        if own.natural and own.inverse:
            low = len(self.names) - (own.n.bit_length() - 1)
            self.names[low:] = self.names[low:][::-1]
            self._put(Move(()), Between(SCRATCH, USER, whole), (0, given))
        after = iter((*between, last))
        for nest in nests:
            named.append(replace(nest, blocks=self._of(nest.blocks), columns=self._of(nest.columns)))
            for _ in range(nest.steps):
                step = next(ends)
                self._put(self._step(step), next(after), step.out)
        self.edges[-1] = replace(self.edges[-1], least=0, below=below)
        if own.natural and not own.inverse:
            self.steps.append(Move(()))
            self.edges.append(Edge(RESULT, USER, self.result, 0, below))
        assert points or self.edges[-1].order == self.result, "the steps are those of the formula"
        return Schedule(own, residues, tuple(named), tuple(self.steps), tuple(self.edges))

    def _of(self, places: Places) -> Bits:
        """Return the index bits at places."""
        return tuple(self.names[place] for place in places)

    def _put(self, step: Step | Move, after: Between, out: tuple[int, int]) -> None:
        """Append a step and the edge after it, whose values are from -out[0]·q to below out[1]·q."""
        self.steps.append(step)
        self.edges.append(Edge(after.memory, after.layout, self._of(after.places), -out[0], out[1]))

    def _step(self, at: StepPlaces) -> Step | Move:
        """Return a step, and reverse the names of its operands."""
        if not at.operands:
            return Move(())
        flow, loops, own = self._factors[frozenset(self._of(at.operands))], self._of(at.loops), self._of(at.numbers)
        others = (bit for bit in (*loops, *self.names) if bit in flow.read)
        bits = tuple(dict.fromkeys((*own, *others)))
        table = StepTable(at.entry, bits, flow.heap, flow.weights, flow.common, flow.scaled)
        decimation = FREQUENCY if self.breakdown.inverse else TIME
        lanes, accepts = self._of(at.lanes), self.edges[-1].below
        first, last = at.operands[0], at.operands[-1] + 1
        self.names[first:last] = self.names[first:last][::-1]
        return Step(flow.legs, lanes, loops, self.columns, decimation, at.reduction, accepts, 0, table)
