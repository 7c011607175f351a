"""The lowering of kernels on arrays."""

from __future__ import annotations

from momagen.kinds.modular.spec import Spec
from momagen.lower.lowered import Lowered
from momagen.plan.schedule.transform import TransformPlans

from .program import array_program


def array_kernel(spec: Spec, plans: TransformPlans | None) -> Lowered:
    """Return the lowered kernel of ``spec``, with its planned transforms, on arrays."""
    program = array_program(spec, plans)
    return Lowered(spec, program, [program.codelets], [], spec.moduli)
