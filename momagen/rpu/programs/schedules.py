"""The schedules of transforms on vectors of 512 lanes, from the data flows and the broken-down formula.

An inverse transform has the steps of the forward one in reversed order. The values are in bit-reversed order,
so that an index bit is at the same address in the operand and in the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from momagen.formula.breakdown import RING
from momagen.kernels.flow.columns import ONE
from momagen.kernels.flow.data_flow import Butterflies
from momagen.kernels.flow.layouts import USER
from momagen.kernels.residues.arith import Arith
from momagen.languages import MachineModel
from momagen.plan.schedule.checks.check import edited
from momagen.plan.schedule.checks.limits import ScheduleLimits
from momagen.plan.schedule.codec import from_json
from momagen.plan.schedule.factors import named_factors
from momagen.plan.schedule.types import (
    FREQUENCY,
    MODULAR_WORDS,
    OPERAND,
    REGISTERS,
    RESULT,
    SCRATCH,
    TIME,
    Bits,
    Breakdown,
    Edge,
    Move,
    Rectangles,
    Schedule,
    Step,
    StepTable,
)  # fmt: skip
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.table import b512

from .flow import HELD, Bit, PassFlow, passes
from .moves import BUTTERFLY
from .transform import TransformShape
from .wires import WIDTH

IN_TIME = "cooley_tukey"
"""The data flow of inverse transforms that decimate in time."""
REDUCTION = "modular"
"""The scheme of reduction of machines that multiply modulo q."""


def _breakdown(shape: TransformShape) -> Breakdown:
    """Return the transform and its breakdown."""
    algorithm = IN_TIME if shape.in_time else RING
    scale = -shape.inverse * (shape.n.bit_length() - 1)
    return Breakdown(algorithm, shape.n, 2, False, (), shape.inverse, shape.negacyclic, False, 1, 0, 1, scale)


def edited_schedule(text: str, shape: TransformShape) -> Schedule:
    """Return the schedule that a JSON text describes, after its check.

    Args:
        text: The JSON text.
        shape: The shape of the requested transform. The schedule may have the other decimation of an inverse one.

    Raises:
        MomagenError: The text does not describe a schedule, or it does not compute what was requested.
    """
    in_time = shape.inverse and from_json(text).breakdown.algorithm == IN_TIME
    asked, arith = _breakdown(replace(shape, in_time=in_time)), Arith(b512().machine["bits"])
    limits = ScheduleLimits(asked, arith, 1, 1, 1, lanes=LANES, room=1 << HELD, residues=MODULAR_WORDS)
    return edited(text, limits, MachineModel.MODULAR)


@cache
def transform_schedule(shape: TransformShape) -> Schedule:
    """Return the schedule of a transform."""
    breakdown = _breakdown(shape)
    factors = {flow.legs[0]: flow for flow in named_factors(breakdown)[0]}
    decimation = FREQUENCY if any(flow.late and flow.heap for flow in factors.values()) else TIME
    found = passes(shape.flow, shape.stages, shape.depth)
    order = found[::-1] if shape.inverse else found
    nests, steps, edges = list[Rectangles](), list[Step | Move](), [_edge(OPERAND, order[0], shape, shape.inverse)]
    for each, memory in zip(order, memories(len(order)), strict=True):
        made, between = _pass(each, factors, decimation)
        turn = slice(None, None, -1 if shape.inverse else 1)
        nests.append(Rectangles(len(made), _blocks(each)))
        steps += made[turn]
        edges += [Edge(REGISTERS, USER, bits, 0, 1) for bits in between[turn]]
        edges.append(_edge(memory, each, shape, not shape.inverse))
    return Schedule(breakdown, MODULAR_WORDS, tuple(nests), tuple(steps), tuple(edges))


def memories(count: int) -> list[str]:
    """Return the memory that each of ``count`` passes writes. No pass writes the memory that it reads."""
    return [*(RESULT if (count - at) % 2 == 0 else SCRATCH for at in range(1, count)), RESULT]


def _edge(memory: str, of: PassFlow, shape: TransformShape, end: bool) -> Edge:
    """Return the edge after a pass of the forward transform if ``end``, else the edge before it."""
    return Edge(memory, USER, tuple(_name(bit, shape.stages) for bit in (of.goal if end else of.source)), 0, 1)


def _name(bit: Bit, bits: int) -> int:
    """Return the index bit of a time bit or a frequency bit: frequency bit k is at the address of time bit bits-1-k."""
    return bits - 1 - bit.number if bit.frequency else bit.number


def _blocks(of: PassFlow) -> Bits:
    """Return the index bits that number the rectangles of a pass."""
    places = (place for place in range(WIDTH, len(of.source)) if place not in of.local)
    return tuple(_name(of.source[place], len(of.source)) for place in places)


def _pass(
    of: PassFlow, factors: Mapping[int, Butterflies], decimation: str
) -> tuple[list[Step | Move], list[Bits]]:  # fmt: skip
    """Return the steps of a pass of the forward transform, and the order of registers between them."""
    count, steps, orders = len(of.source), list[Step | Move](), list[Bits]()
    for (kind, at), (lanes, local) in zip(of.steps, of.states(), strict=False):
        names = [_name(bit, count) for bit in lanes], [_name(bit, count) for bit in reversed(local)]
        orders.append((*names[0], *names[1]))
        operand = _name(local[at], count)
        steps.append(_step(factors[operand], decimation, *names) if kind == BUTTERFLY else Move(()))
    return steps, orders[1:]


def _step(flow: Butterflies, decimation: str, lanes: Sequence[int], wires: Sequence[int]) -> Step:
    """Return the step of a factor of the formula.

    Args:
        flow: The factor, whose bits are index bits.
        decimation: The decimation of all steps, even those without twiddles.
        lanes: The index bits of the lanes, the lowest first.
        wires: The index bits of the number of a vector in registers, the lowest first.
    """
    loops = tuple(bit for bit in wires if bit not in flow.legs)
    bits = tuple(bit for bit in range(len(flow.load)) if bit in flow.read)
    table = StepTable(("value",), bits, flow.heap, flow.weights, flow.common, flow.scaled)
    return Step(flow.legs, tuple(lanes), loops, ONE, decimation, REDUCTION, 1, 1, table)
