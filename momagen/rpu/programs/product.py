"""Products of polynomials: two transforms, a product of values, and the transform back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from momagen.errors import MomagenError
from momagen.rpu.backend.compile import MemoryFrame, compiled
from momagen.rpu.backend.steps import ALL, Steps
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.program import Area, RpuProgram
from momagen.rpu.machine.design import Design

from .transform import RpuTransform
from .writer import points_of, program_of, shaped, tables_of, write_transforms

VECTORS = ("x", "y", "z", "values", "room")


def product_program(
    towers: Sequence[RpuTransform], design: Design | None = None, batch: int = 1, steps: Steps = ALL
) -> RpuProgram:
    """x times y to z modulo X^n - 1, or X^n + 1 of negacyclic transforms; ``batch`` of each tower, as in
    :func:`transform_program`, whose errors it has. y is overwritten.

    Args:
        towers: forward transforms.
    """
    if towers and towers[0].inverse:
        raise MomagenError("forward transforms", "inverse ones", "product")
    towers = shaped(towers, steps)
    back = [replace(each, inverse=True) for each in towers]
    points = points_of(towers, batch, len(VECTORS), 2)
    x, y, z, values, room = (at * points for at in range(len(VECTORS)))
    code, there = Code(), tables_of(towers, len(VECTORS) * points)
    home = tables_of(back, len(VECTORS) * points + towers[0].n * len(towers))
    write_transforms(code, there, towers, batch, (x, values, z))
    write_transforms(code, there, towers, batch, (y, z, room))
    for at in range(0, points, LANES):
        product = code.arithmetic("vmul", code.load(values + at), code.load(z + at), at // (towers[0].n * batch))
        code.store(product, y + at)
    write_transforms(code, home, back, batch, (y, z, room))
    frame = MemoryFrame(home[-1].begin + towers[0].n, [Area(values, points), Area(room, points)])
    return program_of(compiled(code, frame, design, steps), VECTORS, points, [(towers, there), (back, home)])
