"""The checks of schedules for processors: vectors, loops, tables and memories."""

from __future__ import annotations

from itertools import pairwise

from momagen.kernels.flow.layouts import LANES, USER
from momagen.plan.schedule.passes import Pass, order_of_move, pass_of, passes_of
from momagen.plan.schedule.types import OPERAND, RESULT, SCRATCH, Edge, Move, Schedule, Step

from .formula import count, moves, orders, read_bits, table
from .limits import Problems, ScheduleLimits


def shape(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield steps and edges whose number or index bits do not fit the transform."""
    if schedule.breakdown.columns > limits.lanes:
        yield "breakdown.columns", f"vectors have only {limits.lanes} lanes"
    if schedule.nests:
        yield "nests", "processors have no launches"
    yield from count(schedule)
    yield from orders(schedule, range(len(schedule.edges)))
    for at, step in enumerate(schedule.steps):
        placed = (*step.operands, *step.lanes, *step.loops) if isinstance(step, Step) else schedule.edges[0].order
        if sorted(placed) != sorted(schedule.edges[0].order):
            yield f"steps[{at}]", "each index bit must be exactly one of operands, lanes and loops"
        if isinstance(step, Move) and step.loops:
            yield f"steps[{at}].loops", "the loops of a move follow from the orders of its edges"


def vectors(schedule: Schedule, limits: ScheduleLimits) -> Problems:
    """Yield steps whose vectors the machine cannot load or store."""
    for at, done in enumerate(passes_of(schedule)):
        if not isinstance(done, Pass):
            continue
        yield from _columns(at, done, schedule.breakdown.columns, limits)
        if done.lane_bits != tuple(sorted(done.lane_bits, key=done.store.__getitem__)):
            yield f"steps[{at}].lanes", f"the bits of lanes must be in the order of edge {at + 1}"
        if done.lanes not in (1, limits.lanes):
            yield f"steps[{at}].lanes", f"vectors have {limits.lanes} lanes, not {done.lanes}"
        width, held = len(done.lane_bits), {*done.operand_bits, *done.lane_bits}
        for edge in (done.source, done.goal):
            near = {bit for bit, address in enumerate(edge.addresses) if address < width}
            if not near <= held or not done.step(edge.addresses):
                yield f"steps[{at}].lanes", "the registers of one iteration must be at equal distances in memory"
        lanes = done.lane_bits if read_bits(done.own) & {*done.lane_bits} else ()
        yield from table(at, done.own, lanes)
        if done.own.table.bits[: len(lanes)] != lanes:
            yield f"steps[{at}].table.bits", f"the bits of lanes, {[*lanes]}, must be first"


def _columns(at: int, done: Pass, inside: int, limits: ScheduleLimits) -> Problems:
    """Yield problems of the columns of a step, of which ``inside`` are index bits."""
    columns, where = done.columns, f"steps[{at}].columns"
    row = limits.columns // inside
    if columns.row != row:
        yield where, f"a row has {row} columns besides the index bits"
    if columns.lanes not in (1, limits.lanes) or (row > 1 and done.lane_bits):
        yield where, "if columns are no index bits, only they are lanes"
    if columns.count != row // columns.lanes:
        yield where, f"{row} columns fill {row // columns.lanes} vectors of {columns.lanes} lanes"
    if not {*range(inside.bit_length() - 1)} <= {*done.lane_bits}:
        yield f"steps[{at}].lanes", "the bits of columns must be lanes"


def memories(schedule: Schedule, limits: ScheduleLimits) -> Problems:
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
    yield from moves(schedule)


def _on_vectors(step: Step | Move) -> bool:
    """Return whether a step computes on vectors."""
    return isinstance(step, Step) and (step.columns.lanes > 1 or bool(step.lanes))


def _move(at: int, source: Edge, goal: Edge, columns: int) -> Problems:
    """Yield problems of a move."""
    order = order_of_move(source, goal, columns)
    row = columns.bit_length() - 1
    if sorted(order) != [*range(len(order))] or source.order[:row] != goal.order[:row]:
        yield f"edges[{at + 1}].order", "a move keeps the columns of a row together"
