"""The checks of schedules for arrays: steps leave elements where they are, and moves transpose the array."""

from __future__ import annotations

from momagen.kernels.flow.columns import Columns
from momagen.plan.schedule.types import ARRAYS, OPERAND, RESULT, SCRATCH, Move, Schedule, Step

from .formula import computing, count, moves, orders, table
from .limits import Problems, ScheduleLimits


def shape(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield steps and edges whose number or index bits do not fit arrays."""
    if schedule.breakdown.columns > 1:
        yield "breakdown.columns", "the columns of arrays are not index bits, expected 1"
    if schedule.nests:
        yield "nests", "arrays have no launches"
    yield from count(schedule)
    yield from orders(schedule, range(len(schedule.edges)))
    for at, edge in enumerate(schedule.edges):
        wanted = OPERAND if at == 0 else RESULT if at == len(schedule.edges) - 1 else SCRATCH
        if (edge.memory, edge.layout) != (wanted, ARRAYS):
            yield f"edges[{at}]", f"expected the memory {wanted} and the layout {ARRAYS}"


def transpositions(schedule: Schedule) -> Problems:
    """Yield moves with loops, and moves after other moves."""
    before: Step | Move | None = None
    for at, step in enumerate(schedule.steps):
        if isinstance(step, Move) and step.loops:
            yield f"steps[{at}].loops", "the loops of a move follow from the orders of its edges"
        elif isinstance(step, Move) and isinstance(before, Move):
            yield f"steps[{at}]", "two moves in succession are one move"
        before = step


def steps(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield steps whose loops or tables do not have the order of the array, and moves with loops."""
    yield from moves(schedule)
    yield from transpositions(schedule)
    for at, step in computing(schedule):
        order = schedule.edges[at].order
        if schedule.edges[at + 1].order != order:
            yield f"edges[{at + 1}].order", "only moves transpose an array"
        others = tuple(bit for bit in order if bit not in step.operands)
        if (step.lanes, step.loops) != ((), others):
            yield f"steps[{at}].loops", f"the other bits of the array have the order {[*others]}"
        if step.columns != Columns(limits.columns, 1, limits.columns):
            yield f"steps[{at}].columns", f"all {limits.columns} columns are processed"
        places = sorted(order.index(bit) for bit in step.operands)
        if places != [*range(places[0], places[0] + len(places))]:
            yield f"edges[{at}].order", f"the operands of step {at} must be next to each other"
        yield from table(at, step)
        if step.table.bits != tuple(bit for bit in others if bit in step.table.bits):
            yield f"steps[{at}].table.bits", "a table has the order of the array"
