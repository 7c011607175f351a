"""The lowering of element-wise kernels and of base multiplications on a processor."""

from __future__ import annotations

from momagen.kinds.modular.spec import Spec
from momagen.lower.lowered import Lowered
from momagen.lower.writer import ProgramWriter

from .base_products import base_products_program
from .choice import choose, notes
from .elements import elements_program
from .inverses import inverses_program
from .sums import sums_program


def elements_kernel(spec: Spec) -> Lowered:
    """Return the lowered kernel of a specification whose elements are independent, or whose products are summed."""
    writer = ProgramWriter(spec)
    if spec.prime or spec.sums:
        made = (inverses_program if spec.prime else sums_program)(writer)
        return Lowered(spec, made, [writer], [], writer.moduli)
    choice = choose(writer)
    return Lowered(spec, elements_program(writer, choice), [writer], notes(spec, choice), writer.moduli)


def base_products_kernel(spec: Spec) -> Lowered:
    """Return the lowered kernel that multiplies two incomplete transforms."""
    writer = ProgramWriter(spec)
    return Lowered(spec, base_products_program(writer), [writer], [], writer.moduli)
