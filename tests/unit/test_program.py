"""Whole programs, set-up and tables included: what the interpreter gives is what definitions on integers give."""

from __future__ import annotations

import random

import pytest
from programs import evaluated, interpreted, multiplied

from momagen.errors import MomagenError
from momagen.ir.interp import BoundError
from momagen.kernels.algorithms import ALGORITHMS, RING
from momagen.kernels.make_spec import make_spec
from momagen.kernels.spec import Spec
from momagen.lower.kernels import lowered
from momagen.plan.ways import way
from momagen.program import Function, Name, Type, choice
from momagen.program.interpret import Interpreter, Pointer


def check(spec: Spec) -> None:
    xs = [random.Random(spec.n).randrange(spec.modulus) for _ in range(spec.n)]
    got = interpreted(spec, spec.root, xs)
    assert evaluated(spec, got) == xs if spec.inverse else got == evaluated(spec, xs)


@pytest.mark.parametrize("target", ["c", "c64", "avx2", "avx512", "python"])
@pytest.mark.parametrize("bits", [64, 128, 260])
@pytest.mark.parametrize("inverse", [False, True])
def test_ring_splitting_is_right_on_every_target(target: str, bits: int, inverse: bool) -> None:
    check(make_spec("ntt", n=32, bits=bits, target=target, inverse=inverse, negacyclic=inverse == (bits == 128)))


@pytest.mark.parametrize("algorithm", [RING, *ALGORITHMS])
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


@pytest.mark.parametrize(("bits", "target"), [*DIGITS, (64, "c"), (128, "c64"), (128, "python")])
@pytest.mark.parametrize("negacyclic", [False, True])
def test_products_are_right(bits: int, target: str, negacyclic: bool) -> None:
    spec, some = make_spec("polymul", n=64, bits=bits, target=target, negacyclic=negacyclic), random.Random(bits)
    xs, ys = ([some.randrange(spec.modulus) for _ in range(spec.n)] for _ in "xy")
    assert interpreted(spec, spec.root, xs, ys) == multiplied(spec, xs, ys)


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
