"""The planner of transforms on full-radix limbs: one step for each kernel of the broken-down formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from momagen.kernels.flow.columns import ONE, Columns
from momagen.kernels.flow.data_flow import Butterflies, Reordering, butterflies, fold, route
from momagen.kernels.flow.index_bits import inverted
from momagen.kernels.flow.layouts import LANES, USER
from momagen.kernels.flow.loop_nest import cost, shape_of
from momagen.kernels.residues.arith import FULL_LIMBS, Arith
from momagen.plan.schedule import types
from momagen.plan.schedule.passes import entry_of, formula_of, pass_of, step_codelet
from momagen.plan.schedule.ranges import range_classes
from momagen.plan.schedule.types import Bits, Breakdown, Edge, Move, Schedule, Step, StepTable


def words_schedule(
    breakdown: Breakdown, arith: Arith, lanes: int = 1, columns: int = 1, *, ranges: tuple[int, int] = (1, 1),
    points: str = USER,
) -> Schedule:  # fmt: skip
    """Return the steps of a broken-down formula on vectors.

    Vectors contain neighbouring columns if the columns fill a vector. Otherwise the number of columns is a
    power of two, and the columns are the lowest index bits of vectors.

    Each permutation between two kernels becomes part of a load or a store, or a separate move. The values
    between steps are in scratch memory or in the result, such that the last step writes the result.

    Args:
        breakdown: The transform and its breakdown.
        arith: The representation of residues.
        lanes: The number of lanes of a vector.
        columns: The number of columns.
        ranges: The bounds of operands and of results, as multiples of q.
        points: The layout of the points in memory, for products between transforms.
    """
    few = columns < lanes
    breakdown = replace(breakdown, columns=columns if few else 1)
    beside, width = (ONE, lanes) if few else (Columns(columns, lanes, columns // lanes), 1)
    kernels, gaps = fold(formula_of(breakdown))
    routed = route(butterflies(kernels, gaps), gaps, lambda one: cost(one, width))
    layouts = _layouts(routed, points, breakdown.inverse, lanes > 1 and arith.words > 1)
    placed = tuple(range(len(gaps[0].order)))  # the index bit at each address bit
    edge, last = Edge(types.OPERAND, layouts[0], placed, 0, ranges[0]), max(_kernels(routed))
    steps, edges = list[Step | Move](), [edge]
    for at, (flow, layout) in enumerate(zip(routed, layouts[1:], strict=True)):
        if isinstance(flow, Reordering):
            steps.append(Move(()))
            placed = tuple(placed[bit] for bit in flow.order)
            edge = replace(edge, layout=layout, order=placed)
        else:
            names = tuple(placed[address] for address in flow.load)
            own = flow.named(names)
            step = step_of(own, arith, edge.below, ranges[1] * (at == last), width, beside)
            steps.append(step)
            placed = inverted(own.store)
            edge = Edge(types.RESULT, layout, placed, 0, step_codelet(step, arith).out[1])
        edges.append(edge)
    return Schedule(breakdown, FULL_LIMBS, (), tuple(steps), tuple(_in_memories(steps, edges)))


def step_of(flow: Butterflies, arith: Arith, below: int, limit: int, lanes: int, columns: Columns = ONE) -> Step:
    """Return the step of a kernel, with the loops that its loads and stores allow.

    Args:
        flow: The kernel with the addresses of its loads and stores, in terms of index bits.
        arith: The representation of residues.
        below: The operands are below ``below``·q.
        limit: The results must be below ``limit``·q, unless it is 0.
        lanes: The number of lanes of a vector that are index bits.
        columns: The columns that are no index bits.
    """
    nest = shape_of(flow, lanes)
    assert nest is not None, "the search for routes only returns possible loop nests"
    placed = kernel_step(flow, arith, below, limit, nest.loop_bits, nest.table_bits)
    return replace(placed, lanes=nest.lane_bits, columns=columns)


def kernel_step(flow: Butterflies, arith: Arith, below: int, limit: int, loops: Bits, numbers: Bits) -> Step:
    """Return the step of a kernel without lanes and columns.

    Args:
        flow: The kernel, in terms of index bits.
        arith: The representation of residues.
        below: The operands are below ``below``·q.
        limit: The results must be below ``limit``·q, unless it is 0.
        loops: The index bits of the loops.
        numbers: The index bits that number the entries of the table.
    """
    accepts, *_ = range_classes(arith, below, 1 << len(flow.legs), flow.late)
    decimation = types.FREQUENCY if flow.late else types.TIME
    table = StepTable(entry_of(arith), numbers, flow.heap, flow.weights, flow.common, flow.scaled)
    step = Step(flow.legs, (), loops, ONE, decimation, arith.kind, accepts, 0, table)
    return replace(step, limit=limit) if 0 < limit < step_codelet(step, arith).out[1] else step


def _kernels(routed: Sequence[Butterflies | Reordering]) -> list[int]:
    """Return the indices of the steps that compute."""
    return [at for at, flow in enumerate(routed) if not isinstance(flow, Reordering)]


def _layouts(routed: Sequence[Butterflies | Reordering], points: str, inverse: bool, many: bool) -> list[str]:
    """Return the layout of each edge.

    Moves have the user's layout, and so do scalar code and residues of one word, for which both are the same.

    Args:
        routed: The steps.
        points: The layout of the points.
        inverse: Whether the transform is an inverse one.
        many: Whether code has vectors and residues have several words.
    """
    inner = [LANES if many and Reordering not in map(type, pair) else USER for pair in pairwise(routed)]
    return [points if inverse else USER, *inner, USER if inverse else points]


def _in_memories(steps: Sequence[Step | Move], edges: Sequence[Edge]) -> list[Edge]:
    """Return the edges with their memories, from the last one, which is the result, to the operand.

    A step writes the memory that it reads only if it works in place.
    """
    found = [edges[-1]]
    for step, source, goal in reversed([*zip(steps, edges, edges[1:], strict=False)][1:]):
        kept = isinstance(step, Step) and pass_of(step, source, goal).in_place
        other = {types.RESULT: types.SCRATCH, types.SCRATCH: types.RESULT}
        found.append(replace(source, memory=found[-1].memory if kept else other[found[-1].memory]))
    return [edges[0], *reversed(found)]
