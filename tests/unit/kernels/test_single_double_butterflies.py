"""Butterflies on one double: right on integers and on the machine's doubles, within the bounds that they promise."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from test_single_limb_butterflies import levels

from momagen.ir import Block, run, words
from momagen.ir.real import double
from momagen.kernels.butterflies.single_double_levels import DoubleCodelet, double_step, double_steps
from momagen.kernels.residues.single_double import OneDouble
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.register_blocking.doubles import on_doubles
from momagen.plan.planners.single_limb import step_plan
from momagen.plan.ways import way
from momagen.rewrite import Trace
from momagen.rewrite.digits.exponents import bits
from momagen.targets import load_target

AVX2 = load_target("avx2")
BITS = (20, 40, 47, 48, 49, 50)
CHAINS = ([4, 4], [8, 4, 4], [8, 8, 4, 4], [4] * 5)


def modulus(rng: random.Random, bits: int) -> int:
    least = OneDouble(bits).least
    return rng.choice((1 << bits, rng.randrange(least, 1 << bits), least + 2)) - 1 | 1


def plain_twiddles(rng: random.Random, q: int, radix: int, ones: bool) -> list[int]:
    """Twiddles around zero, the largest ones among them; 1 where they are 1 at the beginning of x^n - 1."""
    ends = (q // 2, -(q // 2), 1, rng.randint(-(q // 2), q // 2))
    return [1 if ones and not t & t - 1 else rng.choice(ends) for t in range(radix)]


def scaled(plain: list[int], q: int, radix: int, last: bool) -> dict[int, int]:
    """Twiddles of the way back as its last step wants them, by number: with twiddle 0, 1/n, where that says so."""
    every = dict(enumerate(plain))
    if last:
        every |= {radix + t: plain[t] * plain[0] for t in range(1, radix // 2)}
        every |= {t: plain[t] * plain[0] for t in range(radix // 2, radix)}
    return {t: (v + q // 2) % q - q // 2 for t, v in every.items()}


def on_machine(a: OneDouble, step: DoubleCodelet, xs: list[int], q: int, twiddles: dict[int, int]) -> list[int]:
    """What the machine makes of ``xs``, with constants as a plan and its tables hold them."""
    block = on_doubles(step, a, AVX2, Trace())
    known = {"q": bits(q, 0), "n": q, "mu": bits((1 << a.cut + a.word) // q, a.unit("mu", 0))}
    known |= {f"v{t}": bits(v, 0) for t, v in twiddles.items()}
    known |= {f"u{t}": bits((v << 54) // q, -54) for t, v in twiddles.items()}
    known |= {f"x{i}": x if step.opens else bits(x, 0) for i, x in enumerate(xs)}
    flat = Block({name: words(value, 64, 1)[0] for name, value in block.inputs.items()}, block.instrs, block.outputs)
    flat.outputs = {name: words(value, 64, 1)[0] for name, value in block.outputs.items()}
    found = run(flat, {name: known[name] for name in flat.inputs})
    return [found[f"y{i}"] if step.ends else whole(found[f"y{i}"]) for i in range(step.radix)]  # type: ignore[arg-type]


def whole(pattern: int) -> int:
    """The integer that a double of these bits is."""
    number = double(pattern)
    assert number == int(number)
    return int(number)


@pytest.mark.parametrize("back", [False, True], ids=["forward", "inverse"])
@pytest.mark.parametrize("radices", CHAINS, ids=str)
@pytest.mark.parametrize("size", BITS)
def test_steps(size: int, radices: list[int], back: bool) -> None:
    """Every step of a chain, from the widest values that may come, to what it promises to the next."""
    rng, a = random.Random(size * len(radices)), OneDouble(size)
    chain = double_steps(a, radices, 1, back=back, ones=not back, apart=4 * (not back))
    given = Fraction(1)
    for at, step in enumerate(chain):
        q, radix = modulus(rng, size), step.radix
        top = int(given * q) - step.opens
        xs = [rng.choice((top, 0 if step.opens else -top, rng.randint(0, top))) for _ in range(radix)]
        last = at == len(chain) - 1
        plain = plain_twiddles(rng, q, radix, not back and at == 0)
        got = on_machine(a, step, xs, q, scaled(plain, q, radix, back and last))
        wanted = xs if not back and last else levels(xs, plain, back)
        wanted = [x * plain[0] for x in wanted] if back and last else wanted
        for value, x in zip(got, wanted, strict=True):
            assert (value - x) % q == 0
            assert 0 <= value < q if last else abs(value) <= step.within * q
        given = step.within


def test_reductions_are_few() -> None:
    """Of a step of three levels one value in eight is reduced, where values may reach 4q and more."""
    steady = double_steps(OneDouble(50), [8] * 6, 1, ones=True)[2:-1]
    assert [step.reductions for step in steady] == [1] * 3
    assert double_step(OneDouble(47), 4, Fraction(1), Fraction(4)).reductions == 0


def test_ways() -> None:
    """Doubles where no digit in lanes holds a residue, and nothing asks for tiles."""
    assert isinstance(step_plan(make_spec("ntt", n=64, modulus_bits=50, target="avx2")).inner, OneDouble)
    for target, size, options, wanted in (
        ("avx2", 50, {}, "steps"), ("avx2", 51, {}, "steps"), ("avx2", 62, {}, "words"),
        ("avx2", 50, {"limbs": "reduced"}, "tiles"),
        ("avx512", 50, {}, "steps"), ("avx2", 50, {"limbs": "full"}, "words"),
    ):  # fmt: skip
        assert way(make_spec("ntt", n=64, modulus_bits=size, target=target, options=options)) == wanted
