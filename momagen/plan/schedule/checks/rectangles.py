"""The checks of schedules for machines that compute modulo q on long vectors, in rectangles of registers."""

from __future__ import annotations

from itertools import accumulate

from momagen.kernels.flow.columns import ONE
from momagen.kernels.flow.layouts import USER
from momagen.plan.schedule.rectangles import HeldBits, RectangleSteps, rectangle_steps, starts
from momagen.plan.schedule.types import OPERAND, REGISTERS, RESULT, SCRATCH, Move, Rectangles, Schedule, Step

from .formula import computing, count, nested, read_bits, table
from .limits import Problems, ScheduleLimits


def shape(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield nests and edges whose number, memory or values do not fit rectangles."""
    if schedule.breakdown.columns > 1:
        yield "breakdown.columns", "the columns of long vectors are not index bits, expected 1"
    if not all(isinstance(nest, Rectangles) for nest in schedule.nests):
        yield "nests", "the nests of long vectors are rectangles"
    yield from count(schedule)
    yield from nested(schedule, "rectangles")
    ends = [0, *accumulate(nest.steps for nest in schedule.nests)]
    before = ""
    for at, edge in enumerate(schedule.edges):
        free = (REGISTERS,) if at not in ends else (OPERAND,) if at == 0 else (RESULT, SCRATCH)
        free = (RESULT,) if at == len(schedule.steps) else free
        if edge.memory not in free:
            yield f"edges[{at}].memory", f"expected {' or '.join(free)}, got {edge.memory}"
        if at in ends and edge.memory == before:
            yield f"edges[{at}].memory", "a pass must not write the memory that it reads"
        before = edge.memory if at in ends else before
    for at, edge in enumerate(schedule.edges):
        if (edge.layout, edge.least, edge.below) != (USER, 0, 1):
            yield f"edges[{at}]", f"values are below q in the layout {USER}"


def vectors(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield steps that do not follow from the vectors in registers, and stores that the machine does not have."""
    decimations = {step.decimation for step in schedule.computing if read_bits(step)}
    for at, step in computing(schedule):
        if (step.reduction, step.accepts, step.limit, step.columns) != ("modular", 1, 1, ONE):
            yield f"steps[{at}]", "one instruction reduces values below q, without columns"
        if step.table.entry != ("value",):
            yield f"steps[{at}].table.entry", "a table contains values only"
        if len(step.operands) != 1:
            yield f"steps[{at}].operands", "an instruction has two operands"
        if step.decimation not in decimations:
            yield f"steps[{at}].decimation", "all steps have the same decimation"
        yield from table(at, step)
        if step.table.bits != tuple(sorted(step.table.bits)):
            yield f"steps[{at}].table.bits", "the bits of a table are in ascending order"
    for at, each in enumerate(rectangle_steps(schedule)):
        yield from _rectangle(at, each, limits)


def _rectangle(nest: int, own: RectangleSteps, limits: ScheduleLimits) -> Problems:
    """Yield problems of the steps of one nest, in the order of the forward transform."""
    for at, edge in zip((own.places[0], own.places[-1]), (own.edges[0], own.edges[-1]), strict=True):
        if sorted(edge.order) != [*range(limits.breakdown.n.bit_length() - 1)]:
            yield f"edges[{at}].order", "the order must contain each index bit once"
            return
    held = own.loaded(limits.lanes)
    if sorted((*own.blocks, *held.order)) != sorted(own.edges[0].order):
        yield f"nests[{nest}].blocks", "blocks are different index bits that are not lanes"
        return
    if 1 << len(held.wires) > limits.room:
        yield f"nests[{nest}].blocks", f"a rectangle has at most {limits.room} vectors"
    for at, place, step, edge in zip(own.numbers, own.places[1:], own.steps, own.edges[1:], strict=True):
        if isinstance(step, Move):
            if step.loops:
                yield f"steps[{at}].loops", "a move of lanes has no loops"
            if not (unpacks := held.unpacks(edge)):
                yield f"edges[{place}].order", "a move exchanges the highest bit of the lanes and a bit of the vectors"
                return
            held = held.unpacked(unpacks[0])
        else:
            yield from _butterflies(at, step, held)
        if place != own.places[-1] and edge.order != held.order:
            yield f"edges[{place}].order", f"registers hold the order {[*held.order]}"
    if not starts(own.edges[-1].order, held.lanes):
        yield f"edges[{own.places[-1]}].order", f"the lanes {[*held.lanes]} must be at equal distances in memory"


def _butterflies(at: int, step: Step, held: HeldBits) -> Problems:
    """Yield problems of a step on vectors in registers."""
    if not {*step.operands} <= {*held.wires}:
        yield f"steps[{at}].operands", "operands are different vectors of a rectangle"
    if step.lanes != held.lanes:
        yield f"steps[{at}].lanes", f"the vectors in registers have the lanes {[*held.lanes]}"
    if step.loops != (others := tuple(bit for bit in held.wires if bit not in step.operands)):
        yield f"steps[{at}].loops", f"the other vectors have the order {[*others]}"
