"""Butterflies on one signed word: right as the machine does them, within the bounds that they promise."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from test_single_limb_butterflies import levels

from momagen.ir import run
from momagen.kernels.butterflies.single_signed_levels import SignedCodelet, signed_steps
from momagen.kernels.residues.single_signed import FACTOR, OneSigned
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.phases import lower_plain
from momagen.plan.planners.single_limb import step_plan
from momagen.rewrite import Trace
from momagen.targets import load_target

HALF = 1 << 32
CHAINS = ([4, 4], [8, 4, 4], [8, 8, 4, 4], [4] * 5)


def nearest(v: int, q: int) -> int:
    return (2 * v * HALF // q + 1) // 2


def digits(v: int, q: int) -> int:
    """v, or v - q beyond half of it, as two signed digits."""
    around = v - q * (2 * nearest(v, q) >= HALF)
    low = (around + HALF // 2) % HALF - HALF // 2
    return (around - low) // HALF % HALF * HALF + low % HALF


def twiddles(rng: random.Random, q: int, radix: int, ones: bool) -> list[int]:
    return [
        1 if ones and not t & t - 1 else rng.choice((q - 1, q // 2, q // 2 + 1, rng.randrange(q))) for t in range(radix)
    ]


def scaled(plain: list[int], radix: int) -> dict[int, int]:
    """Twiddles of the last step back, with 1/n, which is twiddle 0, as that step wants it."""
    late = {radix + t: plain[t] * plain[0] for t in range(1, radix // 2)}
    return {**dict(enumerate(plain)), **late, **{t: plain[t] * plain[0] for t in range(radix // 2, radix)}}


def on_machine(step: SignedCodelet, xs: list[int], q: int, every: dict[int, int]) -> list[int]:
    """What the machine makes of ``xs``, with constants as a plan and its tables hold them."""
    block = lower_plain(step.block, load_target("avx2"), Trace())
    known = {"q": q, "qh": (q + HALF // 2) // HALF, **{f"x{i}": x for i, x in enumerate(xs)}}
    for t, v in ((t, v % q) for t, v in every.items()):
        moved = v * HALF % q
        known |= {f"v{t}": digits(v, q), f"w{t}": digits(moved, q)}
        known |= {f"e{t}": nearest(v, q) % HALF, f"f{t}": nearest(moved, q) % HALF}
    found = run(block, {name: known[name] for name in block.inputs})
    return [found[f"y{i}"] for i in range(step.radix)]  # type: ignore[misc]


@pytest.mark.parametrize("back", [False, True], ids=["forward", "inverse"])
@pytest.mark.parametrize("radices", CHAINS, ids=str)
@pytest.mark.parametrize("size", [20, 51, 60, 61])
def test_steps(size: int, radices: list[int], back: bool) -> None:
    """Every step of a chain, from the widest values that may come, to what it promises to the next."""
    rng, a = random.Random(size * len(radices)), OneSigned(size)
    chain, given = signed_steps(a, radices, 2, 1, back=back, ones=not back), Fraction(2)
    for at, step in enumerate(chain):
        q, radix, last = rng.choice((a.top, 3, rng.randrange(3, 1 << size) | 1)), step.radix, at == len(chain) - 1
        top = -(-given * q // 1) - 1
        xs = [int(rng.choice((top, 0 if not at else -top, rng.randint(0, int(top))))) for _ in range(radix)]
        plain = twiddles(rng, q, radix, not back and at == 0)
        got = on_machine(step, xs, q, scaled(plain, radix) if back and last else dict(enumerate(plain)))
        wanted = [x * plain[0] for x in levels(xs, plain, back)] if back and last else levels(xs, plain, back)
        for value, x in zip(got, wanted, strict=True):
            assert (value - x) % q == 0
            assert 0 <= value < q if last else abs(value) <= step.within * q
        given = step.within


@pytest.mark.thorough
def test_factors_fit() -> None:
    """What is within the bound of a step's results is a factor of the next one's first product."""
    for size in (51, 60, 61):
        a = OneSigned(size)
        assert all(step.within * a.top <= FACTOR for step in signed_steps(a, [8] * 6, 1, 1))


def test_few_conditional_sums() -> None:
    """A step of two levels has one, and one of 60 bits leaves no more than 6q."""
    steady = signed_steps(OneSigned(60), [4] * 8, 1, 1)[3:-1]
    assert [(step.block.counts()["correct_near"], step.within) for step in steady] == [(1, 6)] * 4


def test_where_residues_are_signed_words() -> None:
    """Where no double holds them, up to 61 bits."""
    for size, held in ((51, True), (61, True), (50, False)):
        plan = step_plan(make_spec("ntt", n=64, modulus_bits=size, target="avx2"))
        assert isinstance(plan.inner, OneSigned) == held
