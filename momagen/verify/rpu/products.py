"""The verification of programs for products of polynomials, by products of integers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from momagen.params.words import to_words
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.machine.design import Design
from momagen.rpu.programs.transform import RpuTransform
from momagen.simulate.functional import Functional
from momagen.verify import oracle

from .elementwise import compared


def check_products(towers: Sequence[RpuTransform], batch: int, program: RpuProgram, design: Design) -> int:
    """Compare coefficients of random products with integers, and return their number.

    Args:
        towers: The transforms of the products, one for each modulus.
        batch: The number of products for each modulus.
        program: The program.
        design: The machine on which it runs.

    Raises:
        MomagenError: A coefficient is incorrect.
    """
    rng, machine = random.Random(towers[0].n), Functional(program, design.vdm_bytes, design.sdm_bytes)
    members = [of for of in towers for _ in range(batch)]
    x, y = ([[rng.randrange(of.q) for _ in range(of.n)] for of in members] for _ in "xy")
    machine.put("x", [each for some in x for each in some])
    machine.put("y", [each for some in y for each in some])
    machine.run()
    expected = list[int]()
    for of, *operands in zip(members, x, y, strict=True):
        one, other = (to_words(each, 2) for each in operands)
        expected += oracle.product(one, other, of.q, of.negacyclic)
    return compared(machine.get("z"), expected)
