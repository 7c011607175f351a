"""Products of polynomials: two transforms, a product of values, and the transform back."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from gmpy2 import mpz

from momagen.errors import MomagenError
from momagen.rpu.backend.schedule import arranged
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.simulate.design import Design
from momagen.rpu.simulate.functional import Functional

from .elementwise import compared
from .flow import LANES
from .transform import RpuTransform
from .writer import points_of, program_of, tables_of, write_transforms

VECTORS = ("x", "y", "z", "values", "room")


def product_program(
    towers: Sequence[RpuTransform], design: Design | None = None, batch: int = 1, *, timed: bool = True
) -> RpuProgram:
    """x times y to z modulo X^n - 1, or X^n + 1 of negacyclic transforms; ``batch`` of each tower, as in
    :func:`transform_program`, whose errors it has. y is overwritten.

    Args:
        towers: forward transforms.
    """
    if towers and towers[0].inverse:
        raise MomagenError("forward transforms", "inverse ones", "product")
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
    return program_of(arranged(code.ops, design, timed), VECTORS, points, [(towers, there), (back, home)])


def check_products(towers: Sequence[RpuTransform], batch: int, program: RpuProgram, design: Design) -> int:
    """How many coefficients of random products agree with those of integers: all.

    A polynomial with coefficients below q is a number in base 2^B that holds n·q^2, and so is the product.

    Raises:
        MomagenError: one does not.
    """
    rng, machine = random.Random(towers[0].n), Functional(program, design.vdm_bytes, design.sdm_bytes)
    members = [of for of in towers for _ in range(batch)]
    x, y = ([[rng.randrange(of.q) for _ in range(of.n)] for of in members] for _ in "xy")
    machine.put("x", [each for some in x for each in some])
    machine.put("y", [each for some in y for each in some])
    machine.run()
    expected = [each for of, one, other in zip(members, x, y, strict=True) for each in _product(of, one, other)]
    return compared(machine.get("z"), expected)


def _product(of: RpuTransform, x: list[int], y: list[int]) -> list[int]:
    size = -(-(2 * of.q.bit_length() + of.n.bit_length()) // 8)
    one, other = (mpz.from_bytes(b"".join(c.to_bytes(size, "little") for c in each), "little") for each in (x, y))
    words = (one * other).to_bytes(2 * of.n * size, "little")
    found = [int.from_bytes(words[at : at + size], "little") for at in range(0, len(words), size)]
    sign = -1 if of.negacyclic else 1
    return [(found[i] + sign * found[i + of.n]) % of.q for i in range(of.n)]
