"""The description of a transform's plan: its passes over the vector memory, and the role of each bit of an index."""

from __future__ import annotations

from momagen.formula.breakdown import asked, expand
from momagen.kinds.modular.spec import Spec
from momagen.plan.tree import LANE, LEG, LOOP, PlannedPass, TransformPlan
from momagen.rpu.machine.design import load_design

from .flow import WIDTH, PassFlow, passes
from .kernels import flow_of
from .layout import ProgramLayout
from .moves import BUTTERFLY, UNPACK
from .transform import TransformShape
from .wires import rectangles
from .writer import VECTORS, between, fitted


def planned(spec: Spec) -> TransformPlan:
    """Return the plan of the transform of ``spec``.

    Raises:
        MomagenError: The machine does not support the transform.
    """
    target = spec.target
    design = load_design(target.design)
    flow = flow_of(spec, design)
    shape = TransformShape(spec.n, spec.negacyclic, spec.inverse, flow)
    shape = fitted(shape, ProgramLayout(VECTORS, spec.n, spec.rows), design)
    found = passes(shape.flow, shape.stages, shape.depth)
    order = found[::-1] if spec.inverse else found
    names = [VECTORS[at] for at in between(len(order))]
    rows = [_row(each, shape, *ends) for each, *ends in zip(order, names[:-1], names[1:], strict=True)]
    one = expand(*asked(spec.algorithm, spec.n, 2, inverse=spec.inverse, negacyclic=spec.negacyclic))
    why = [f"flow      {flow}, of what {target.registers} registers hold"]
    return TransformPlan(spec.n, str(one), f"1 × {target.word} bits", target.word, rows, why, spec.rows)


def _row(of: PassFlow, shape: TransformShape, source: str, goal: str) -> PlannedPass:
    """Return the description of a pass from the vector ``source`` to the vector ``goal``."""
    places = range(len(of.source) - 1, -1, -1)
    bits = "".join(LANE if at < WIDTH else LEG if at in of.local else LOOP for at in places)
    kinds = [kind for kind, _ in of.steps]
    tables = {each.twiddles for one in rectangles(of, shape.twiddles) for each in one.work if each.twiddles}
    words = sum(each.words for each in tables)
    spread = f", lanes {1 << of.spread} words apart" * (of.spread > 0)
    ends = (source + spread, goal) if shape.inverse else (source, goal + spread)
    count = kinds.count(UNPACK)
    note = f"{count} {'pack' if shape.inverse else 'unpack'}{'s' * (count > 1)} of lanes" if count else ""
    return PlannedPass(bits, *ends, [kinds.count(BUTTERFLY)], words, words, note=note)
