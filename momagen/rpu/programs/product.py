"""Programs that multiply polynomials: two forward transforms, a product of values, and an inverse transform."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace

from momagen.errors import build_error
from momagen.rpu.backend.compile import compiled
from momagen.rpu.backend.steps import ALL, Steps
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.kernel import RpuKernel
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.machine.design import Design
from momagen.targets import Target

from .blocks import elements, usual_target, write_block
from .layout import ProgramLayout
from .schedules import transform_schedule
from .transform import RpuTransform, TransformShape
from .writer import alike, fitted, shaped, write_transforms

VECTORS = ("x", "y", "z", "values", "room")
"""The names of the vectors: operands, result, transformed values, and scratch memory."""


def product_program(
    towers: Sequence[RpuTransform], design: Design | None = None, batch: int = 1, steps: Steps = ALL
) -> RpuProgram:
    """Return a program that computes the product z of the polynomials x and y.

    The product is modulo X^n - 1, or X^n + 1 if the transforms are negacyclic. The program overwrites y.

    Args:
        towers: A forward transform for each modulus.
        design: The machine for which the program is scheduled, or None.
        batch: The number of products for each modulus.
        steps: The steps of the back end.

    Raises:
        MomagenError: The transforms differ in more than moduli and roots, or the machine does not support the
            program.
    """
    kernel = product_kernel(alike(towers), len(towers), design, batch, steps)
    return kernel.program([of.q for of in towers], [of.root for of in towers])


def product_kernel(
    shape: TransformShape, towers: int = 1, design: Design | None = None, batch: int = 1, steps: Steps = ALL,
    target: Target | None = None,
) -> RpuKernel:  # fmt: skip
    """Return a program that multiplies polynomials modulo any moduli.

    Args:
        shape: The shape of the forward transform.
        towers: The number of moduli.
        design: The machine for which the program is scheduled, or None.
        batch: The number of products for each modulus.
        steps: The steps of the back end.
        target: The target that spells the operations; by default, "b512".

    Raises:
        MomagenError: The shape is that of an inverse transform, or the machine does not support the program.
    """
    if shape.inverse:
        raise build_error("the shape of a product must be that of the forward transform", "product")
    shape = shaped(shape, steps)
    code, layout = Code(), ProgramLayout(VECTORS, shape.n, towers, batch, target or usual_target())
    schedule = transform_schedule(shape)
    write_transforms(code, layout, schedule, ("x", "values", "z"))
    write_transforms(code, layout, schedule, ("y", "z", "room"))
    _multiply(code, layout)
    back = fitted(replace(shape, inverse=True), deepcopy(layout), design)
    write_transforms(code, layout, transform_schedule(back), ("y", "z", "room"))
    return layout.kernel(compiled(code, layout.frame("values", "room"), design, steps), shape.order)


def _multiply(code: Code, layout: ProgramLayout) -> None:
    """Append instructions for y = values · z."""
    values, z, y = (layout.vector(name) for name in ("values", "z", "y"))
    block = layout.traced(elements("vmul", layout.target))
    for at in range(0, layout.points, LANES):
        tower = at // (layout.n * layout.batch)
        made = write_block(code, block, {"x": code.load(values + at), "y": code.load(z + at)}, tower, layout.target)
        code.store(made["z"], y + at)
