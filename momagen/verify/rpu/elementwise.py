"""The verification of element-wise programs, by integers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.params.words import to_words
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design
from momagen.rpu.programs.elementwise import RpuElementwise
from momagen.simulate.functional import Functional
from momagen.verify import oracle


def check_elements(of: RpuElementwise, program: RpuProgram, design: Design) -> int:
    """Compare random elements with integers, and return their number.

    Args:
        of: The kernel of the program.
        program: The program.
        design: The machine on which it runs.

    Raises:
        MomagenError: An element is incorrect.
    """
    rng, machine = random.Random(of.n), Functional(program, design.vdm_bytes, design.sdm_bytes)
    operands, expected = list[list[int]](), list[int]()
    for name in of.vectors:
        operands.append([rng.choice((0, q - 1, rng.randrange(q))) for q in of.moduli for _ in range(of.n)])
        machine.put(name, operands[-1])
    machine.run()
    for at, q in enumerate(of.moduli):
        spec = make_spec(of.kind, modulus=q, bits=b512().machine["bits"])
        rows = [to_words(each[at * of.n : (at + 1) * of.n], 2) for each in operands]
        expected += oracle.blas(spec, of.scalars[at : at + 1], rows, q)
    return compared(machine.get("z"), expected)


def compared(found: Sequence[int], expected: Sequence[int]) -> int:
    """Compare numbers with the expected ones, and return how many there are.

    Raises:
        MomagenError: A number is incorrect.
    """
    for at, (one, other) in enumerate(zip(found, expected, strict=True)):
        if one != other:
            raise MomagenError(f"{other:#x} by the definition", f"{one:#x}", f"value {at}")
    return len(found)
