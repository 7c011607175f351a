"""Whole programs, set-up and tables included: what the interpreter gives is what definitions on integers give."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.oracle import elements, result
from support.programs import ElementsProgram, drawn, interpreted, interpreted_elements

from momagen.errors import MomagenError
from momagen.formula.breakdown import ALGORITHMS, RING
from momagen.ir.interp import BoundError
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.lower.kernels import lowered
from momagen.plan.ways import way
from momagen.program import Function, Name, Type, choice
from momagen.program.interpret import Interpreter, Pointer
from momagen.targets import load_target


def check(spec: Spec) -> None:
    xs = [random.Random(spec.n).randrange(spec.modulus) for _ in range(spec.n)]
    got = interpreted(spec, spec.root, xs)
    assert got == result(spec, xs)


@pytest.mark.parametrize("target", ["c", "c64", "c32", "avx2", "avx512", "python"])
@pytest.mark.parametrize("bits", [64, 128, 260])
@pytest.mark.parametrize("inverse", [False, True])
def test_ring_splitting_is_right_on_every_target(target: str, bits: int, inverse: bool) -> None:
    check(make_spec("ntt", n=32, bits=bits, target=target, inverse=inverse, negacyclic=inverse == (bits == 128)))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("inverse", [False, True])
def test_every_data_flow_is_right(algorithm: str, inverse: bool) -> None:
    check(make_spec("ntt", n=32, bits=64, target="avx2", inverse=inverse, options={"algorithm": algorithm}))


DIGITS = [(54, "avx512ifma"), (128, "avx512ifma"), (128, "avx512"), (54, "avx2"), (128, "avx2")]


@pytest.mark.parametrize(("bits", "target"), DIGITS)
@pytest.mark.parametrize(("inverse", "order"), [(False, "bitrev"), (True, "bitrev"), (True, "natural")])
def test_steps_and_tiles_are_right(bits: int, target: str, inverse: bool, order: str) -> None:
    spec = make_spec("ntt", n=64, bits=bits, target=target, inverse=inverse, order=order)
    assert way(spec) in ("steps", "tiles")
    check(spec)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("bits", "target"), [*DIGITS, (64, "c"), (128, "c64"), (128, "python")])
@pytest.mark.parametrize("negacyclic", [False, True])
def test_products_are_right(bits: int, target: str, negacyclic: bool) -> None:
    spec, some = make_spec("polymul", n=64, bits=bits, target=target, negacyclic=negacyclic), random.Random(bits)
    xs, ys = ([some.randrange(spec.modulus) for _ in range(spec.n)] for _ in "xy")
    assert interpreted(spec, spec.root, xs, ys) == result(spec, xs, ys)


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("word", "bits"),
    [(8, 8), (8, 20), (8, 64), (16, 16), (16, 33), (16, 128), (32, 31), (32, 96), (128, 60), (128, 128), (128, 260)],
)
def test_words_of_any_size_make_right_programs(word: int, bits: int, tmp_path: Path) -> None:
    mine, n = tmp_path / "mine.toml", 8 if bits < 20 else 32
    mine.write_text(f'inherits = "c32"\nname = "mine"\nword = {word}\n', encoding="utf-8")
    given = {"n": n, "modulus": 193} if bits == 8 else {"n": n, "modulus_bits": bits}
    for inverse, algorithm in ((False, RING), (True, RING), (True, "stockham")):
        options = {"algorithm": algorithm}
        spec = make_spec("ntt", **given, target=str(mine), inverse=inverse, negacyclic=inverse, options=options)
        assert spec.arith.words == -(-bits // word)
        check(spec)
    product, some = make_spec("polymul", **given, target=str(mine)), random.Random(bits)
    xs, ys = ([some.randrange(product.modulus) for _ in range(n)] for _ in "xy")
    assert interpreted(product, product.root, xs, ys) == result(product, xs, ys)
    for kind in ANY_MODULUS:
        check_elements(make_spec(kind, modulus=(1 << bits) - 1, target=str(mine)))


def test_words_and_counts_wrap_each_at_their_size() -> None:
    x, y = Name("x", Type.INPUT), Name("y", Type.WORDS)
    f = Function("f", (y, x), result=Type.COUNT)
    f.set(y[0], x[0] + x[1])
    f.set(y[1], x[0] << 4)
    total = f.variable("total", x[0] * x[1], Type.WORD)
    f.set(y[2], total >> 4)
    long = f.variable("long", 200, Type.LONG)
    f.give(long << 8)
    memory = Pointer([0] * 3)
    assert Interpreter({"f": f}, {}, 1, 8).call("f", memory, Pointer([0x9F, 0x72])) == 200 << 8
    assert memory.words == [0x11, 0xF0, (0x9F * 0x72 & 0xFF) >> 4]


def check_elements(spec: Spec, count: int = 0) -> None:
    """The longest modulus of the width, odd or even, powers of two, and shorter ones down to the shortest."""
    bits, some = spec.width, random.Random(f"{spec.kind} {spec.width} {spec.target}")
    moduli = [spec.modulus, spec.modulus - 1, 1 << bits - 1, 1 << bits - 3, some.getrandbits(bits - 2) | 5, 3, 2]
    program = ElementsProgram(spec)
    for q in [spec.modulus] if spec.baked else [q for q in moduli if q & 1 or not spec.odd]:
        if q > 2 or not spec.odd:
            operands = drawn(spec, q, some, count or 2 * spec.target.lanes + 3)
            got, wanted = program(q, *operands), elements(spec, q, *operands)
            most = spec.ranges.output
            assert [z % q for z in got] == wanted and max(got) < most * q if most > 1 else got == wanted, (spec, q)


TARGETS = ("c", "c64", "c32", "avx2", "avx512", "avx512ifma", "python")


@pytest.mark.sampled(80)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("bits", [12, 50, 60, 64, 124, 252])
@pytest.mark.parametrize("kind", ANY_MODULUS)
def test_every_kernel_on_vectors_is_right(kind: str, bits: int, target: str) -> None:
    check_elements(make_spec(kind, modulus=(1 << bits) - 1, target=target))


@pytest.mark.sampled(3)
@pytest.mark.thorough
@pytest.mark.parametrize("target", TARGETS)
def test_long_residues_are_right(target: str) -> None:
    some = random.Random(target)
    for kind in ("vadd", "vmul", "axpy"):
        spec = make_spec(kind, modulus=(1 << 381) - 1, target=target)
        for q in (spec.modulus, 1 << 330):
            operands = drawn(spec, q, some, load_target(target).lanes + 1)
            assert interpreted_elements(spec, q, *operands) == elements(spec, q, *operands)


OPTIONS = [
    ("vmul", {"reduction": "montgomery"}), ("vmul", {"input_factor": "4", "output_factor": "2"}),
    ("axpy", {"reduction": "montgomery"}), ("axpy", {"bake": "yes"}), ("axpy", {"limbs": "full"}),
    ("scal", {"reduction": "wide"}), ("reduce", {"reduction": "montgomery"}), ("vadd", {"bake": "yes"}),
    ("vmul", {"bake": "yes"}), ("vsub", {"input_factor": "4", "output_factor": "1"}),
    ("cmpsub", {"input_factor": "any", "cmp": "le"}), ("cmpadd", {"cmp": "false"}),
]  # fmt: skip


@pytest.mark.sampled(30)
@pytest.mark.parametrize(("kind", "options"), OPTIONS, ids=str)
@pytest.mark.parametrize("target", TARGETS)
def test_options_of_kernels_on_vectors_are_right(kind: str, options: dict[str, str], target: str) -> None:
    for bits in (50, 124):
        if options.get("limbs") != "full" or "products" in load_target(target).tiles:
            check_elements(make_spec(kind, modulus=(1 << bits) - 3, target=target, options=options))


@pytest.mark.parametrize("target", ["c", "avx2", "avx512ifma"])
def test_a_short_modulus_is_shifted_part_by_part(target: str) -> None:
    for bits, count in ((60, 1030), (124, 131)):
        spec = make_spec("vmul", modulus=(1 << bits) - 1, target=target)
        operands = drawn(spec, 12289, random.Random(bits), count)
        assert interpreted_elements(spec, 12289, *operands) == elements(spec, 12289, *operands)


def test_natural_order_goes_through_a_pass_that_moves() -> None:
    check(make_spec("ntt", n=32, bits=64, target="c", order="natural", options={"algorithm": RING}))


def test_a_wrong_root_is_refused_by_the_program_itself() -> None:
    spec = make_spec("ntt", n=32, bits=64, target="c")
    with pytest.raises(MomagenError, match="root of the order"):
        interpreted(spec, pow(spec.root, 2, spec.modulus), [1] * 32)


def test_a_wrong_constant_leaves_its_bounds() -> None:
    spec = make_spec("ntt", n=8, bits=64, target="c")
    program = lowered(spec).program
    run = Interpreter(program.functions, program.statics, 1)
    kept, beside = ([Pointer([0] * field.words) for field in each] for each in (program.kept, program.beside))
    run.call(program.setup, *kept, *beside, Pointer([spec.modulus]), Pointer([spec.root]))
    kept[1].words[-2] ^= 1
    with pytest.raises(BoundError, match="lies outside"):
        run.call(program.run, Pointer([0] * 8), Pointer([spec.modulus - 1] * 8), *kept)


def test_reading_beyond_an_array_is_an_error() -> None:
    x = Name("x", Type.INPUT)
    f = Function("f", (x,), result=Type.WORD)
    f.give(x[3])
    with pytest.raises(IndexError, match="words 3 to 3 of 2"):
        Interpreter({"f": f}, {}, 1).call("f", Pointer([1, 2]))


def test_statements_mean_what_they_say() -> None:
    n, y = Name("n"), Name("y", Type.WORDS)
    f = Function("f", (y, n), result=Type.COUNT)
    total = f.variable("total", 0)
    with f.each("i", n, down=True) as i:
        with f.if_((i & 1).is_(0)) as even:
            f.step(total, i)
        with f.otherwise(even):
            f.set(y[i], choice(i > 2, 7, 5))
    with f.while_(total > 10):
        f.set(total, total - 10)
    f.give(total)
    memory = Pointer([0] * 8)
    assert Interpreter({"f": f}, {}, 1).call("f", memory, 8) == 2
    assert memory.words == [0, 5, 0, 7, 0, 7, 0, 7]
