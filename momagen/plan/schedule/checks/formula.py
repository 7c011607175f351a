"""The checks of any schedule: its steps are the factors of the broken-down formula, and no range is exceeded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import prod

from momagen.errors import MomagenError
from momagen.formula.breakdown import RING
from momagen.kernels.flow.data_flow import Butterflies
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.reductions import REDUCTIONS, SCHEMES
from momagen.plan.schedule.factors import named_factors
from momagen.plan.schedule.passes import entry_of, settled, step_codelet
from momagen.plan.schedule.ranges import range_classes
from momagen.plan.schedule.types import FREQUENCY, TIME, Breakdown, Move, Schedule, Step

from .limits import Problems, ScheduleLimits

APPROXIMATE = "approximate"
"""The scheme whose quotients are truncated."""


def transform(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield differences between the transform of the schedule and the one that was requested."""
    own = schedule.breakdown
    yield from requested(own, limits.breakdown)
    yield from radices(own)
    if schedule.residues != limits.residues:
        yield "residues", f"expected {limits.residues}, got {schedule.residues}"
    if own.columns not in (1, limits.columns) or own.columns & own.columns - 1:
        yield "breakdown.columns", f"{own.columns} columns cannot be index bits of {limits.columns} columns"
    if not 2 <= own.radix <= own.n or own.radix & own.radix - 1:
        yield "breakdown.radix", f"the radix must be a power of two from 2 to n, not {own.radix}"


def radices(own: Breakdown) -> Problems:
    """Yield a problem if radices that a schedule states one by one are not those of a data flow."""
    if own.radices and (own.algorithm != RING or prod(own.radices) != own.n or min(own.radices) < 2):
        yield "breakdown.radices", f"expected [], or for the data flow {RING} radices whose product is {own.n}"


def requested(own: Breakdown, asked: Breakdown) -> Problems:
    """Yield a problem for each field in which a transform differs from the requested one."""
    for name in ("algorithm", "n", "inverse", "negacyclic", "natural", "coset", "blocks", "scale"):
        if getattr(own, name) != getattr(asked, name):
            yield f"breakdown.{name}", f"the kernel has {name} = {getattr(asked, name)}, not {getattr(own, name)}"


def factors(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield steps that do not compute the factors of the broken-down formula, and wrong results."""
    try:
        wanted, result = named_factors(schedule.breakdown)
    except MomagenError as error:
        yield "breakdown", f"no rule breaks the transform down: {error}"
        return
    if (own := schedule.breakdown) != (usual := settled(own)):
        others = f" and the radices {[*usual.radices]}" * bool(usual.radices)
        yield "breakdown", f"the formula is that of the radix {usual.radix}{', even' * usual.even}{others}; state these"
    steps = [*computing(schedule)]
    if len(wanted) != len(steps):
        yield "steps", f"the formula has {len(wanted)} factors of butterflies, and the schedule {len(steps)} steps"
    for (at, step), flow in zip(steps, wanted, strict=False):
        yield from _factor(at, step, flow)
        if schedule.breakdown.coset and step.table.weights and not (flow.before and flow.after):
            yield f"steps[{at}].decimation", "on a coset, twiddles belong to the butterflies"
    if schedule.edges[-1].order != result:
        yield f"edges[{len(schedule.edges) - 1}].order", f"the formula leaves the result in the order {[*result]}"
    if schedule.edges[0].order != tuple(range(len(result))):
        yield "edges[0].order", "index bits are named by their address bits in the operand"


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


def ranges(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield values that exceed what a step accepts or the words hold, and bounds that do not follow from the steps."""
    if schedule.edges[0].below != limits.operand:
        yield "edges[0].below", f"the operands are below {limits.operand}·q"
    for at, edge in enumerate(schedule.edges):
        if edge.least:
            yield f"edges[{at}].least", "values on full-radix limbs are at least 0"
    for at, step in computing(schedule):
        source, goal = schedule.edges[at : at + 2]
        if not _fits(step.reduction, limits.arith):
            yield f"steps[{at}].reduction", f"these residues are not reduced by {step.reduction}"
            return
        classes = range_classes(limits.arith, source.below, step.radix, step.late, step.reduction)
        if step.accepts not in classes:
            yield f"steps[{at}].accepts", f"expected {' or '.join(map(str, classes))}, got {step.accepts}"
            return
        free = step_codelet(replace(step, limit=0), limits.arith).out[1]
        if step.limit not in (0, *(1 << k for k in range((free - 1).bit_length()))):
            yield f"steps[{at}].limit", f"expected 0 or a power of two below {free}, got {step.limit}"
            return
        below = step_codelet(step, limits.arith).out[1]
        if step.table.entry != (wanted := entry_of(limits.arith)):
            yield f"steps[{at}].table.entry", f"expected {', '.join(wanted)}"
        if goal.below != below:
            yield f"edges[{at + 1}].below", f"step {at} leaves values below {below}·q"
    if schedule.edges[-1].below > limits.result:
        yield f"steps[{len(schedule.steps) - 1}].limit", f"the results must be below {limits.result}·q"


def _fits(reduction: str, arith: Arith) -> bool:
    """Return whether residues can be reduced by another scheme than the usual one, with the same tables."""
    if reduction not in SCHEMES:
        return reduction == arith.kind
    row = REDUCTIONS[reduction]
    other = reduction != APPROXIMATE or arith.truncation > 1  # otherwise nothing of a quotient can be omitted
    return reduction == arith.kind or (row.table == arith.reduction.table and other and arith.room >= row.room)


def computing(schedule: Schedule) -> Iterator[tuple[int, Step]]:
    """Return the steps that compute, with their indices."""
    return ((at, step) for at, step in enumerate(schedule.steps) if isinstance(step, Step))


def count(schedule: Schedule) -> Problems:
    """Yield a problem if there is not one edge more than there are steps."""
    if len(schedule.edges) != len(schedule.steps) + 1:
        yield "edges", f"{len(schedule.steps)} steps need {len(schedule.steps) + 1} edges, not {len(schedule.edges)}"


def nested(schedule: Schedule, called: str) -> Problems:
    """Yield a problem if the nests, which are ``called`` launches or rectangles, do not contain each step once."""
    if sum(nest.steps for nest in schedule.nests) != len(schedule.steps) or any(n.steps < 1 for n in schedule.nests):
        yield "nests", f"the {called} must contain each of the {len(schedule.steps)} steps once"


def orders(schedule: Schedule, edges: Iterable[int]) -> Problems:
    """Yield edges, by their indices, whose order does not contain each index bit once."""
    bits = [*range((schedule.breakdown.n * schedule.breakdown.columns).bit_length() - 1)]
    for at in edges:
        if sorted(schedule.edges[at].order) != bits:
            yield f"edges[{at}].order", f"the order must contain each of the {len(bits)} index bits once"


def moves(schedule: Schedule) -> Problems:
    """Yield moves that move nothing, or that change values."""
    for at, step in enumerate(schedule.steps):
        source, goal = schedule.edges[at : at + 2]
        if isinstance(step, Move) and (source.order, source.memory) == (goal.order, goal.memory):
            yield f"steps[{at}]", "this step moves nothing"
        if isinstance(step, Move) and source.below != goal.below:
            yield f"edges[{at + 1}].below", "a move changes no values"


def read_bits(step: Step) -> set[int]:
    """Return the index bits on which the twiddles of a step depend."""
    forms = step.table.heap, step.table.weights, step.table.common
    return {bit for form in forms for term in form for bit in term}


def table(at: int, step: Step, more: Iterable[int] = ()) -> Problems:
    """Yield a problem unless a step's table has the bits on which its twiddles depend, and the bits ``more``."""
    wanted = {*read_bits(step), *more}
    if sorted(step.table.bits) != sorted(wanted):
        yield f"steps[{at}].table.bits", f"the twiddles depend on the index bits {sorted(wanted)}"
