"""Programs for the Ring Processing Unit on the functional simulator: instructions and transforms by definition."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from gmpy2 import invert, mpz, powmod

from momagen.errors import MomagenError
from momagen.formula.transforms import digit_reversal
from momagen.kinds.modular.make_spec import make_spec
from momagen.rpu.backend.steps import SCHEDULES
from momagen.rpu.isa.assembly import assemble
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.machine.design import load_design
from momagen.rpu.programs.elementwise import KINDS, RpuElementwise
from momagen.rpu.programs.product import product_program
from momagen.rpu.programs.transform import RpuTransform
from momagen.rpu.programs.writer import transform_program
from momagen.simulate.cycles import count_cycles
from momagen.simulate.functional import Functional
from momagen.verify.rpu.elementwise import check_elements
from momagen.verify.rpu.products import check_products

MODULI = (2**128 - 159, (1 << 127) - 1, 2**60 - 93, 97, 2)
BLS = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
"""The scalar field of BLS12-381, which is too wide."""


def machine(text: str, sdm: list[int], vdm: list[int]) -> Functional:
    found = Functional(RpuProgram(assemble(text), {0: sdm}, {0: vdm}), 1 << 16, 1 << 12)
    found.run()
    return found


@pytest.mark.parametrize("q", MODULI)
def test_arithmetic_is_that_of_integers(q: int) -> None:
    rng = random.Random(q)
    x, y, v = ([rng.choice([0, q - 1, q // 2, rng.randrange(q)]) for _ in range(512)] for _ in "xyv")
    found = machine("""
        mload m9, 0
        sload s5, 1
        vload v1, a0[0]
        vload v2, a0[512]
        vload v3, a0[1024]
        vadd v4, v1, v2, m9
        vsub v5, v1, v2, m9
        vmul v6, v1, v2, m9
        vsadd v7, v1, s5, m9
        vssub v8, v1, s5, m9
        vsmul v9, v1, s5, m9
        bfly v10, v11, v1, v2, v3, m9
        bfly v3, v2, v1, v2, v3, m9
    """, [q, s := rng.randrange(q)], [*x, *y, *v])  # fmt: skip
    products = [b * c for b, c in zip(y, v, strict=True)]
    wanted = {
        4: [a + b for a, b in zip(x, y, strict=True)], 5: [a - b for a, b in zip(x, y, strict=True)],
        6: [a * b for a, b in zip(x, y, strict=True)],
        7: [a + s for a in x], 8: [a - s for a in x], 9: [a * s for a in x],
        10: [a + t for a, t in zip(x, products, strict=True)], 11: [a - t for a, t in zip(x, products, strict=True)],
    }  # fmt: skip
    wanted |= {3: wanted[10], 2: wanted[11]}  # results may take the registers of operands
    for register, values in wanted.items():
        assert found.numbers(register) == [each % q for each in values], register


def test_shuffles_and_modes_move_what_they_say() -> None:
    x, y = [*range(512)], [*range(1000, 1512)]
    found = machine("""
        aload a3, 0
        vload v1, a0[0]
        vload v2, a3[12]
        unpklo v3, v1, v2
        unpkhi v4, v1, v2
        pklo v5, v3, v4
        pkhi v6, v3, v4
        vload v7, a0[0], strided 1
        vload v8, a0[0], skip 0
        vload v9, a0[3], repeated 2
        vload v10, a0[0], skip 5
        vbroadcast v11, a3[12]
        vstore v1, a0[2048], strided 1
        vstore v2, a0[2049], strided 1
        vstore v3, a0[3072], skip 8
    """, [500], [*x, *y])  # fmt: skip
    both = [each for pair in zip(x, y, strict=True) for each in pair]
    assert found.numbers(3) + found.numbers(4) == both
    assert (found.numbers(5), found.numbers(6)) == (x, y)
    assert found.numbers(7) == found.numbers(8) == [*x, *y][::2]
    assert found.numbers(9) == [3, 4, 5, 6] * 128 and found.numbers(11) == [1000] * 512
    assert found.numbers(10) == [[*x, *y][64 * (i // 32) + i % 32] for i in range(512)]
    assert found.vdm.get(2048, 1024, "") == both
    assert found.vdm.get(3072, 256, "") + found.vdm.get(3072 + 512, 256, "") == both[:512]


BAD = [
    ("vload v1, a0[3585]", "from 0 to 4095 of the vector memory, got 3585 to 4096"),
    ("vload v1, a0[0], strided 4", "got 0 to 8176"), ("vstore v1, a0[3585]", "got 3585 to 4096"),
    ("vbroadcast v1, a0[4096]", "got 4096 to 4096"), ("sload s1, 256", "from 0 to 255 of the scalar memory"),
    ("aload a1, 1", "an address below 4096, got 340282366920938463463374607431768211455"),
    ("mload m1, 2", "a modulus of at least 2, got 1"),
    ("vadd v1, v2, v3, m2", "no modulus was loaded into m2; load one with mload"),
    ("mload m1, 0\nvload v1, a0[0]\nvadd v2, v3, v1, m1", "instruction 2: vadd v2, v3, v1, m1, v1.*modulus 0x61"),
    ("mload m1, 0\nsload s1, 1\nvsadd v2, v3, s1, m1", "s1.*below the modulus"),
    ("mload m1, 0\nvload v1, a0[0]\nbfly v2, v4, v3, v3, v1, m1", "v1.*below the modulus"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), BAD)
def test_what_a_machine_cannot_do_is_an_error(text: str, expected: str) -> None:
    with pytest.raises(MomagenError, match=expected):
        machine(text, [97, 2**128 - 1, 1], [97])


def test_memory_that_a_program_starts_from_fits() -> None:
    with pytest.raises(MomagenError, match="the vector memory, got 4090 to 4099"):
        Functional(RpuProgram([], {}, {4090: [0] * 10}), 1 << 16)
    found = Functional(RpuProgram([], {}, {}), 1 << 16)
    with pytest.raises(MomagenError, match="one of the areas"):
        found.get("x")


KERNELS = [
    (1024, 128, False, "pease", 4), (1024, 128, True, "pease", 1), (2048, 60, True, "strided", 4),
    (4096, 128, True, "unpacked", 4), (8192, 116, False, "pease", 2), (16384, 128, True, "unpacked", 4),
    (32768, 90, False, "strided", 3), (65536, 128, True, "pease", 4), (65536, 128, True, "strided", 4),
]  # fmt: skip


@pytest.mark.parametrize(("n", "bits", "negacyclic", "flow", "depth"), KERNELS)
def test_transforms_are_what_they_are_by_definition(n: int, bits: int, negacyclic: bool, flow: str, depth: int) -> None:
    spec = make_spec("ntt", n=n, modulus_bits=bits, negacyclic=negacyclic, target="c")
    q, root, rng = spec.modulus, spec.root, random.Random(n)
    forward = Functional(
        transform_program([RpuTransform(n, q, root, negacyclic, flow=flow, depth=depth)]), 4 << 20, 32 << 10
    )
    x = [rng.randrange(q) for _ in range(n)]
    forward.put("x", x)
    forward.run()
    y = forward.get("y")
    for place in [0, 1, n // 2, n - 1, *rng.sample(range(n), 3)]:
        power = digit_reversal(place, n)
        point, value = powmod(root, 2 * power + 1 if negacyclic else power, q), mpz(0)
        for each in reversed(x):
            value = (value * point + each) % q
        assert y[place] == value, place
    inverse = RpuTransform(n, q, root, negacyclic, inverse=True, flow=flow, depth=depth)
    back = Functional(transform_program([inverse]), 4 << 20, 32 << 10)
    back.put("x", y)
    back.run()
    assert back.get("y") == x


def test_the_paper_counts_its_instructions() -> None:
    """64K points by rectangles of four stages: 1024 compute and 1920 shuffle instructions, Section VI-F."""
    spec = make_spec("ntt", n=65536, bits=128, negacyclic=True, target="c")
    program = transform_program([RpuTransform(65536, spec.modulus, spec.root, True)], steps=SCHEDULES["naive"])
    counts = Counter(each.opcode.pipeline for each in program.instructions)
    assert (counts["compute"], counts["shuffle"]) == (1024, 1920)
    assert counts["load/store"] == 2 * 4 * 128 + 136 + 1  # data, twiddles, and the modulus


@pytest.mark.parametrize(("given", "expected"), [
    ({"n": 512}, "a power of two from 1024 to 65536, got 512"), ({"n": 3072}, "a power of two"),
    ({"q": BLS}, "for larger numbers use an RNS basis"), ({"root": 1}, "a root of unity of order 1024 modulo q"),
    ({"q": 2, "root": 1}, "an odd modulus"),
])  # fmt: skip
def test_transforms_that_are_none_are_refused(given: dict[str, int], expected: str) -> None:
    spec = make_spec("ntt", n=1024, bits=128, target="c")
    with pytest.raises(MomagenError, match=expected):
        RpuTransform(**{"n": 1024, "q": spec.modulus, "root": spec.root, **given})


def test_the_inverse_divides_by_n() -> None:
    spec = make_spec("ntt", n=1024, bits=128, target="c")
    program = transform_program([RpuTransform(1024, spec.modulus, spec.root, inverse=True)])
    area = program.areas["twiddles"]
    inside = [begin in range(area.begin, area.begin + area.words) for begin in program.vdm]
    assert all(inside) and [invert(1024, spec.modulus)] in program.vdm.values()


@pytest.mark.parametrize("kind", KINDS)
def test_element_wise_programs(kind: str) -> None:
    moduli, design = MODULI[:3], load_design("rpu-paper")
    scalars = tuple(q - 2 for q in moduli) if kind in ("vadds", "vsubs", "scal", "axpy") else ()
    of = RpuElementwise(kind, 1536, moduli, scalars)
    plain, made = of.program(), of.program(design)
    assert check_elements(of, plain, design) == check_elements(of, made, design) == 3 * 1536
    assert count_cycles(made.instructions, design).cycles < count_cycles(plain.instructions, design).cycles
    wrong = RpuProgram(plain.instructions, {0: [*moduli[:2], moduli[2] + 2, *scalars]}, {}, plain.areas)
    with pytest.raises(MomagenError, match="by the definition"):
        check_elements(of, wrong, design)


@pytest.mark.parametrize(("given", "expected"), [
    (("dot", 512, (97,)), "one of the kernels vadd, "), (("vadd", 100, (97,)), "a positive multiple of 512"),
    (("vadd", 0, (97,)), "a positive multiple of 512"),
    (("vadd", 1 << 20, (97,)), "the 3 vectors take 3145728 words, and the vector memory has 1048576"),
    (("vadd", 512, (BLS,)), "a modulus from 2"),
    (("vadd", 512, ()), "from 1 to 64 moduli"), (("axpy", 512, (97,)), "one scalar for each modulus, got 0"),
    (("axpy", 512, (97,), (97,)), "a scalar from 0 to 96"), (("vadd", 512, (97,), (1,)), "no scalars, got 1"),
])  # fmt: skip
def test_element_wise_programs_that_are_none_are_refused(given: tuple[Any, ...], expected: str) -> None:
    with pytest.raises(MomagenError, match=expected):
        RpuElementwise(*given).program()


@pytest.mark.parametrize(("n", "negacyclic", "flow", "batch"), [
    (1024, True, "unpacked", 3), (2048, False, "pease", 1), (8192, True, "strided", 1), (32768, True, "unpacked", 1),
])  # fmt: skip
def test_products_are_those_of_integers(n: int, negacyclic: bool, flow: str, batch: int) -> None:
    specs = [make_spec("ntt", n=n, modulus_bits=bits, negacyclic=negacyclic, target="c") for bits in (128, 60)]
    towers = [RpuTransform(n, each.modulus, each.root, negacyclic, flow=flow) for each in specs[: 1 + (n < 4096)]]
    design = load_design("rpu-best")
    program = product_program(towers, design if n < 8192 else None, batch)
    assert check_products(towers, batch, program, design) == n * batch * len(towers)
    next(table for table in program.vdm.values() if len(table) > 5)[5] += 1
    with pytest.raises(MomagenError, match="by the definition"):
        check_products(towers, batch, program, design)


def test_products_want_forward_transforms() -> None:
    spec = make_spec("ntt", n=1024, bits=128, target="c")
    with pytest.raises(MomagenError, match="must be that of the forward transform"):
        product_program([RpuTransform(1024, spec.modulus, spec.root, inverse=True)])
