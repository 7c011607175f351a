"""The description of a transform's plan: its passes over the vector memory, and the role of each bit of an index."""

from __future__ import annotations

from momagen.formula.breakdown import asked, expand
from momagen.kinds.modular.spec import Spec
from momagen.plan.schedule.types import OPERAND, REGISTERS, RESULT, SCRATCH
from momagen.plan.tree import LANE, LEG, LOOP, PlannedPass, TransformPlan
from momagen.rpu.machine.design import load_design

from .kernels import flow_of
from .layout import ProgramLayout
from .schedules import transform_schedule
from .transform import TransformShape
from .wires import WIDTH, VectorPass, rectangles, vector_passes
from .writer import VECTORS, fitted


def shape_of(spec: Spec) -> TransformShape:
    """Return the shape of the transform of ``spec``, with the data flow and the decimation for its machine.

    Raises:
        MomagenError: The machine does not support the transform.
    """
    design = load_design(spec.target.design)
    shape = TransformShape(spec.n, spec.negacyclic, spec.inverse, flow_of(spec, design))
    return fitted(shape, ProgramLayout(VECTORS, spec.n, spec.rows), design)


def planned(spec: Spec) -> TransformPlan:
    """Return the plan of the transform of ``spec``.

    Raises:
        MomagenError: The machine does not support the transform.
    """
    target, shape = spec.target, shape_of(spec)
    schedule = transform_schedule(shape)
    names = dict(zip((OPERAND, RESULT, SCRATCH), VECTORS, strict=True))
    ends = [names[edge.memory] for edge in schedule.edges if edge.memory != REGISTERS]
    passes = zip(vector_passes(schedule), ends, ends[1:], strict=False)
    rows = [_row(each, shape, source, goal) for each, source, goal in passes]
    one = expand(*asked(spec.algorithm, spec.n, 2, inverse=spec.inverse, negacyclic=spec.negacyclic))
    why = [f"flow      {shape.flow}, of what {target.registers} registers hold"]
    return TransformPlan(spec.n, str(one), f"1 × {target.word} bits", target.word, rows, why, spec.rows)


def _row(of: VectorPass, shape: TransformShape, source: str, goal: str) -> PlannedPass:
    """Return the description of a pass from the vector ``source`` to the vector ``goal``."""
    wires = of.states[0].wires
    bits = "".join(LANE if at < WIDTH else LEG if bit in wires else LOOP for at, bit in enumerate(of.source))[::-1]
    tables = {each.twiddles for one in rectangles(of) for each in one.work if each.twiddles}
    words = sum(each.words for each in tables)
    spread = f", lanes {1 << of.spread} words apart" * (of.spread > 0)
    ends = (source + spread, goal) if shape.inverse else (source, goal + spread)
    count = sum(each is None for each in of.twiddles)
    note = f"{count} {'pack' if shape.inverse else 'unpack'}{'s' * (count > 1)} of lanes" if count else ""
    return PlannedPass(bits, *ends, [len(of.twiddles) - count], words, words, note=note)
