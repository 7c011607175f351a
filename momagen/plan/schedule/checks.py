"""The check of a schedule: that it computes its transform, within memory and ranges, on a given machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from momagen.errors import MomagenError, build_error
from momagen.kernels.flow.data_flow import Butterflies, Gap, butterflies, fold
from momagen.kernels.flow.index_bits import inverted, renamed
from momagen.kernels.flow.layouts import LANES, USER
from momagen.kernels.residues.arith import NEED, SCHEMES, Arith

from .passes import Pass, formula_of, order_of_move, pass_of, passes_of, settled, step_codelet
from .ranges import range_classes
from .types import FREQUENCY, OPERAND, RESULT, SCRATCH, TIME, Bits, Breakdown, Edge, Move, Schedule, Step

REMEDY = "change the schedule, or generate the kernel without it"


@dataclass(frozen=True)
class ScheduleLimits:
    """What a schedule on full-radix limbs must agree with.

    Attributes:
        breakdown: The transform that was requested. Its radix, and which columns are index bits, are not compared.
        arith: The representation of residues.
        lanes: The number of lanes of a vector of the target.
        columns: The number of columns.
        operand: The operands are below ``operand``·q.
        result: The results must be below ``result``·q.
    """

    breakdown: Breakdown
    arith: Arith
    lanes: int
    columns: int
    operand: int
    result: int


def check_schedule(schedule: Schedule, limits: ScheduleLimits) -> None:
    """Check that a schedule computes the transform that was requested.

    Raises:
        MomagenError: It does not; the error names the first step or edge at fault.
    """
    for check in CHECKS:
        for where, problem in check(schedule, limits):
            raise build_error(problem, f"schedule.{where}", REMEDY)


Problems = Iterator[tuple[str, str]]
"""The place of each problem in the schedule, and a sentence about it."""


def _transform(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield differences between the transform of the schedule and the one that was requested."""
    own, asked = schedule.breakdown, limits.breakdown
    for name in ("algorithm", "n", "inverse", "negacyclic", "natural"):
        if getattr(own, name) != getattr(asked, name):
            yield f"breakdown.{name}", f"the kernel has {name} = {getattr(asked, name)}, not {getattr(own, name)}"
    if own.columns not in (1, limits.columns) or own.columns & own.columns - 1 or own.columns > limits.lanes:
        yield "breakdown.columns", f"{own.columns} columns cannot be index bits of {limits.columns} columns"
    if not 2 <= own.radix <= own.n or own.radix & own.radix - 1:
        yield "breakdown.radix", f"the radix must be a power of two from 2 to n, not {own.radix}"
    elif own != settled(own):
        yield "breakdown.even", "the radices are the same without it"


def _shape(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield steps and edges whose number or index bits do not fit the transform."""
    if len(schedule.edges) != len(schedule.steps) + 1:
        yield "edges", f"{len(schedule.steps)} steps need {len(schedule.steps) + 1} edges, not {len(schedule.edges)}"
    bits = [*range((schedule.breakdown.n * schedule.breakdown.columns).bit_length() - 1)]
    for at, edge in enumerate(schedule.edges):
        if sorted(edge.addresses) != bits:
            yield f"edges[{at}].addresses", f"each of the {len(bits)} index bits needs an address bit of its own"
    for at, step in _steps(schedule):
        if sorted((*step.operands, *step.lanes, *step.loops)) != bits:
            yield f"steps[{at}]", "each index bit must be exactly one of operands, lanes and loops"


def _formula(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield steps that do not compute the factors of the broken-down formula, and wrong results."""
    try:
        kernels, gaps = fold(formula_of(schedule.breakdown))
    except MomagenError as error:
        yield "breakdown", f"no rule breaks the transform down: {error}"
        return
    wanted, steps = [*_named(butterflies(kernels, gaps), gaps)], [*_steps(schedule)]
    if len(wanted) != len(steps):
        yield "steps", f"the formula has {len(wanted)} factors of butterflies, and the schedule {len(steps)} steps"
    if max(1 << len(flow.legs) for flow in wanted) != schedule.breakdown.radix:
        yield "breakdown.radix", f"no butterfly of the formula has {schedule.breakdown.radix} operands"
    for (at, step), flow in zip(steps, wanted, strict=False):
        yield from _factor(at, step, flow)
    result = inverted(_result(gaps))
    if schedule.edges[-1].addresses != result:
        yield f"edges[{len(schedule.edges) - 1}].addresses", f"the formula leaves the result at {[*result]}"
    if schedule.edges[0].addresses != tuple(range(len(result))):
        yield "edges[0].addresses", "index bits are named by their address bits in the operand"


def _factor(at: int, step: Step, flow: Butterflies) -> Problems:
    """Yield differences between a step and its factor of the formula, whose bits have their names."""
    if step.operands != flow.legs:
        yield f"steps[{at}].operands", f"this factor of the formula transforms the index bits {[*flow.legs]}"
    if step.decimation not in (TIME, FREQUENCY):
        yield f"steps[{at}].decimation", f"expected {TIME} or {FREQUENCY}, got {step.decimation}"
    if step.late and flow.before:
        yield f"steps[{at}].decimation", "the twiddles of this factor precede its butterflies"
    heap, weights = (flow.after, {}) if step.late else (flow.before, flow.after)
    for name, turns in (("heap", heap), ("weights", weights), ("common", flow.common)):
        if getattr(step.table, name) != turns:
            yield f"steps[{at}].table.{name}", "the formula has other twiddles"
    if step.table.scaled != flow.scaled:
        yield f"steps[{at}].table.scaled", f"the formula has {'a' if flow.scaled else 'no'} factor 1/n here"


def _named(flows: Sequence[Butterflies], gaps: Sequence[Gap]) -> Iterator[Butterflies]:
    """Yield the factors of a formula in terms of index bits."""
    names: Bits = tuple(range(len(gaps[0].order)))
    for flow, gap in zip(flows, gaps, strict=False):
        names = tuple(names[bit] for bit in gap.order)
        before, after, common = (renamed(form, names.__getitem__) for form in (flow.before, flow.after, flow.common))
        legs = tuple(names[bit] for bit in flow.legs)
        yield replace(flow, legs=legs, before=before, after=after, common=common)


def _result(gaps: Sequence[Gap]) -> Bits:
    """Return the index bit at each address bit of the result."""
    names: Bits = tuple(range(len(gaps[0].order)))
    for gap in gaps:
        names = tuple(names[bit] for bit in gap.order)
    return names


def _vectors(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield steps whose vectors the machine cannot load or store."""
    for at, done in enumerate(passes_of(schedule)):
        if not isinstance(done, Pass):
            continue
        yield from _columns(at, done, schedule.breakdown.columns, limits)
        if done.lanes not in (1, limits.lanes):
            yield f"steps[{at}].lanes", f"vectors have {limits.lanes} lanes, not {done.lanes}"
        width, held = len(done.lane_bits), {*done.operand_bits, *done.lane_bits}
        for edge in (done.source, done.goal):
            near = {bit for bit, address in enumerate(edge.addresses) if address < width}
            if not near <= held or not done.step(edge.addresses):
                yield f"steps[{at}].lanes", "the registers of one iteration must be at equal distances in memory"
        yield from _table(at, done)


def _columns(at: int, done: Pass, inside: int, limits: ScheduleLimits) -> Problems:
    """Yield problems of the columns of a step, of which ``inside`` are index bits."""
    columns, where = done.columns, f"steps[{at}].columns"
    row = limits.columns // inside
    if columns.row != row:
        yield where, f"a row has {row} columns besides the index bits"
    if columns.lanes not in (1, limits.lanes) or (columns.lanes > 1 and done.lane_bits):
        yield where, "the lanes of a vector are columns or index bits"
    if columns.count != row // columns.lanes:
        yield where, f"{row} columns fill {row // columns.lanes} vectors of {columns.lanes} lanes"
    if not {*range(inside.bit_length() - 1)} <= {*done.lane_bits}:
        yield f"steps[{at}].lanes", "the bits of columns must be lanes"


def _table(at: int, done: Pass) -> Problems:
    """Yield problems of the order of a step's table."""
    table, lanes = done.own.table, done.lane_bits
    read = {bit for form in (table.heap, table.weights, table.common) for term in form for bit in term}
    wanted = {*read, *lanes} if read & {*lanes} else read
    if sorted(table.bits) != sorted(wanted):
        yield f"steps[{at}].table.bits", f"the twiddles depend on the index bits {sorted(wanted)}"
    elif read & {*lanes} and table.bits[: len(lanes)] != lanes:
        yield f"steps[{at}].table.bits", f"the bits of lanes, {[*lanes]}, must be first"


def _memories(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield edges in a wrong memory or layout, and steps that overwrite what they still have to read."""
    edges, last = schedule.edges, len(schedule.edges) - 1
    for at, edge in enumerate(edges):
        wanted = [OPERAND] if at == 0 else [RESULT] if at == last else [RESULT, SCRATCH]
        if edge.memory not in wanted:
            yield f"edges[{at}].memory", f"expected {' or '.join(wanted)}, got {edge.memory}"
        near = [step for step in schedule.steps[max(at - 1, 0) : at + 1]]
        free = 0 < at < last and limits.arith.words > 1 and all(map(_on_vectors, near))
        layouts = (USER, LANES) if free else (USER,)
        if edge.layout not in layouts:
            yield f"edges[{at}].layout", f"expected {' or '.join(layouts)}, got {edge.layout}"
    for at, (step, (source, goal)) in enumerate(zip(schedule.steps, pairwise(edges), strict=True)):
        kept = isinstance(step, Step) and pass_of(step, source, goal).in_place
        if source.memory == goal.memory and not kept:
            yield f"edges[{at + 1}].memory", f"step {at} would overwrite elements of {goal.memory} before it reads them"
        if isinstance(step, Move):
            yield from _move(at, source, goal, schedule.breakdown.columns)


def _on_vectors(step: Step | Move) -> bool:
    """Return whether a step computes on vectors."""
    return isinstance(step, Step) and (step.columns.lanes > 1 or bool(step.lanes))


def _move(at: int, source: Edge, goal: Edge, columns: int) -> Problems:
    """Yield problems of a move."""
    if source.addresses == goal.addresses:
        yield f"steps[{at}]", "this step moves nothing"
    if (source.below, source.layout) != (goal.below, goal.layout):
        yield f"edges[{at + 1}]", "a move changes only addresses"
    order = order_of_move(source, goal, columns)
    if sorted(order) != [*range(len(order))]:
        yield f"edges[{at + 1}].addresses", "a move keeps the columns of a row together"


def _ranges(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield values that exceed what a step accepts or the words hold, and bounds that do not follow from the steps."""
    if schedule.edges[0].below != limits.operand:
        yield "edges[0].below", f"the operands are below {limits.operand}·q"
    for at, step in _steps(schedule):
        source, goal = schedule.edges[at : at + 2]
        if not _fits(step.reduction, limits.arith):
            yield f"steps[{at}].reduction", f"these residues are not reduced by {step.reduction}"
            return
        classes = range_classes(limits.arith, source.below, step.radix, step.late, step.reduction)
        if step.accepts not in classes:
            yield f"steps[{at}].accepts", f"expected {' or '.join(map(str, classes))}, got {step.accepts}"
            return
        free = step_codelet(step.with_limit(0), limits.arith).out[1]
        if step.limit not in (0, *(1 << k for k in range((free - 1).bit_length()))):
            yield f"steps[{at}].limit", f"expected 0 or a power of two below {free}, got {step.limit}"
            return
        below = step_codelet(step, limits.arith).out[1]
        if goal.below != below:
            yield f"edges[{at + 1}].below", f"step {at} leaves values below {below}·q"
    if schedule.edges[-1].below > limits.result:
        yield f"steps[{len(schedule.steps) - 1}].limit", f"the results must be below {limits.result}·q"


def _fits(reduction: str, arith: Arith) -> bool:
    """Return whether residues can be reduced by another scheme than the usual one, with the same tables."""
    shoup = {*SCHEMES} - {"montgomery"}
    return reduction == arith.kind or ({reduction, arith.kind} <= shoup and arith.room >= NEED[reduction])


def _steps(schedule: Schedule) -> Iterator[tuple[int, Step]]:
    """Yield the steps that compute, with their indices."""
    return ((at, step) for at, step in enumerate(schedule.steps) if isinstance(step, Step))


CHECKS: Sequence[Callable[[Schedule, ScheduleLimits], Problems]] = (
    _transform, _shape, _formula, _vectors, _memories, _ranges
)  # fmt: skip
"""The checks in their order. Each assumes that the ones before it found nothing."""
