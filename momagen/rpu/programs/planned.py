"""The description of a transform's plan: its passes over the vector memory, and the role of each bit of an index."""

from __future__ import annotations

from momagen.kinds.modular.spec import Spec
from momagen.plan.schedule.passes import formula_of
from momagen.plan.schedule.types import OPERAND, REGISTERS, RESULT, SCRATCH
from momagen.plan.tree import LANE, LEG, LOOP, PlannedPass, TransformPlan
from momagen.rpu.machine.design import load_design

from .kernels import breakdown_of, schedule_of, shape_of
from .wires import WIDTH, VectorPass, rectangles, vector_passes
from .writer import VECTORS


def planned(spec: Spec) -> TransformPlan:
    """Return the plan of the transform of ``spec``.

    Raises:
        MomagenError: The machine does not support the transform.
    """
    target, schedule = spec.target, schedule_of(spec)
    flow = shape_of(spec, load_design(target.design)).flow
    names = dict(zip((OPERAND, RESULT, SCRATCH), VECTORS, strict=True))
    ends = [names[edge.memory] for edge in schedule.edges if edge.memory != REGISTERS]
    passes = zip(vector_passes(schedule), ends, ends[1:], strict=False)
    rows = [_row(each, spec.inverse, source, goal) for each, source, goal in passes]
    why = [f"flow      {flow}, of what {target.registers} registers hold"] * (not spec.options.schedule)
    formula, width = str(formula_of(breakdown_of(spec))), target.word
    return TransformPlan(spec.n, formula, f"1 × {width} bits", width, rows, why, spec.rows)


def _row(of: VectorPass, inverse: bool, source: str, goal: str) -> PlannedPass:
    """Return the description of a pass from the vector ``source`` to the vector ``goal``."""
    wires = of.states[0].wires
    bits = "".join(LANE if at < WIDTH else LEG if bit in wires else LOOP for at, bit in enumerate(of.source))[::-1]
    tables = {each.twiddles for one in rectangles(of) for each in one.work if each.twiddles}
    words = sum(each.words for each in tables)
    spread = f", lanes {1 << of.spread} words apart" * (of.spread > 0)
    ends = (source + spread, goal) if inverse else (source, goal + spread)
    count = sum(each is None for each in of.twiddles)
    note = f"{count} {'pack' if inverse else 'unpack'}{'s' * (count > 1)} of lanes" if count else ""
    return PlannedPass(bits, *ends, [len(of.twiddles) - count], words, words, note=note)
