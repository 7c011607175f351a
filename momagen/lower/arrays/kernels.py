"""The lowering of kernels on arrays."""

from __future__ import annotations

from momagen.kinds.modular.spec import Spec
from momagen.lower.lowered import Lowered

from .program import array_program


def array_kernel(spec: Spec) -> Lowered:
    """Return the lowered kernel of ``spec`` on arrays."""
    program = array_program(spec)
    return Lowered(spec, program, [program.codelets], [], spec.moduli)
