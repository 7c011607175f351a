"""The planner of transforms on arrays: steps that leave elements where they are, and transpositions between them.

An array is transposed before a step if the axis behind the axis of its operands would have fewer than
``minor`` elements, and at the end into the order of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from momagen.plan.schedule.types import ARRAYS, RESULT, SCRATCH, Bits, Edge, Move, Schedule, Step


def array_schedule(base: Schedule, minor: int) -> Schedule:
    """Return the schedule for arrays with the steps of another schedule.

    Args:
        base: The other schedule. Its moves are omitted, because steps on arrays never change addresses.
        minor: The number of elements that the last axis of a step should have.
    """
    left, steps, edges = base.computing, list[Step | Move](), [replace(base.edges[0], layout=ARRAYS)]
    below = [goal.below for step, goal in zip(base.steps, base.edges[1:], strict=True) if isinstance(step, Step)]
    for at, step in enumerate(left):
        order = edges[-1].order
        if better := _better(order[::-1], left[at:], minor):
            order = better[::-1]
            steps.append(Move(()))
            edges.append(Edge(SCRATCH, ARRAYS, order, 0, edges[-1].below))
        steps.append(_on_array(step, order))
        edges.append(Edge(SCRATCH, ARRAYS, order, 0, below[at]))
    if order != base.edges[-1].order:
        steps.append(Move(()))
        edges.append(Edge(RESULT, ARRAYS, base.edges[-1].order, 0, below[-1]))
    edges[-1] = replace(edges[-1], memory=RESULT)
    return Schedule(base.breakdown, base.residues, (), tuple(steps), tuple(edges))


def _on_array(step: Step, order: Bits) -> Step:
    """Return a step whose loops and table have the order of an array."""
    loops = tuple(bit for bit in order if bit not in step.operands)
    read = tuple(bit for bit in loops if bit in step.table.bits)
    return replace(step, lanes=(), loops=loops, table=replace(step.table, bits=read))


def _better(bits: Bits, left: Sequence[Step], minor: int) -> Bits | None:
    """Return another order of bits for a pass whose last axis is short, or None.

    In this order, the bits that no remaining step transforms are last, if this makes the last axis longer.

    Args:
        bits: The bits in the order of memory.
        left: The remaining steps, the next one first.
        minor: The number of elements from which on the last axis is long enough.
    """
    run = next((at for at, bit in enumerate(reversed(bits)) if bit in left[0].operands), len(bits))
    late = {bit for each in left for bit in each.operands}
    last = tuple(bit for bit in bits if bit not in late)
    if 1 << run >= minor or len(last) <= run:
        return None
    return (*(bit for bit in bits if bit in late), *last)
