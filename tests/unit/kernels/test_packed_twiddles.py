"""Quotients of twiddles that come as one residue: how rough they are, and that butterflies bear them."""

from __future__ import annotations

import random

import pytest
from test_redundant_limbs import constants, inputs

from momagen.ir import Block, run
from momagen.kernels.butterflies.levels import cooley_tukey, gentleman_sande
from momagen.kernels.residues.integer_digits import lazy
from momagen.kernels.residues.on_the_fly_quotient import left_out, most, near_enough, quotient
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.lower import lower_digits
from momagen.plan.schedule.depth_first.limbs import SPARE
from momagen.targets import load_target

WIDTHS = (57, 105, 124, 149, 252, 381, 764)
IFMA = load_target("avx512ifma")


def arith(bits: int, doubling: bool) -> ReducedRadix:
    return lazy(ReducedRadix(bits, IFMA.digit, lane=IFMA.word, levels=20, doubling=doubling, packed=True), SPARE)


def quotients(rng: random.Random, a: ReducedRadix, count: int) -> list[tuple[int, int, int]]:
    """q, v and what the codelet makes of v."""
    block, found = lower_digits(quotient(a), IFMA), list[tuple[int, int, int]]()
    for _ in range(count):
        q = rng.choice((a.least + 1, a.top, rng.randrange(a.least, a.top))) | 1
        v, s = rng.choice((0, 1, q - 1, rng.randrange(q))), a.word * left_out(a)
        nu = (1 << a.held + s) // q
        assert nu <= most(a)
        found.append((q, v, run(block, {"v": v, "nu": nu})["U"]))
    return found


@pytest.mark.parametrize("doubling", [False, True])
@pytest.mark.parametrize("bits", WIDTHS)
def test_a_quotient_lacks_no_more_than_butterflies_bear(bits: int, doubling: bool) -> None:
    a = arith(bits, doubling)
    assert near_enough(a)
    for q, v, u in quotients(random.Random(bits), a, 50):
        exact = (v << a.held) // q
        assert 0 <= exact - u < 1 << 52 and (exact + 1 - u) * (a.reach * a.top << doubling) <= 1 << a.held


@pytest.mark.parametrize("doubling", [False, True])
@pytest.mark.parametrize("bits", WIDTHS)
def test_products_stay_in_their_bounds(bits: int, doubling: bool) -> None:
    """Those of the largest factor, too: the multiples of q that a rough quotient adds are counted already."""
    a, rng = arith(bits, doubling), random.Random(bits + 1)
    lowered = lower_digits((gentleman_sande if doubling else cooley_tukey)(a, False), IFMA)
    for q, v, u in quotients(rng, a, 20):
        top = q * a.reach // 2 - 1 if doubling else q * (a.reach - a.grown) - 1
        x, y = (top, 0) if doubling else (a.grown * q, top)
        block = Block(dict(lowered.inputs), lowered.instrs, lowered.outputs)
        known = {**constants(a, q, v, folded=False), "u": u, "x": x, "y": y}
        found, full = run(block, inputs(rng, a, block, known)), 1 << a.held
        product = found["Y"] % full if doubling else (found["X"] - x) % full
        assert product < a.grown * q
        assert (product - v * (x - y if doubling else y)) % q == 0


def test_digits_that_are_full_bear_no_rough_quotient() -> None:
    assert not near_enough(lazy(ReducedRadix(149, IFMA.digit, lane=IFMA.word, levels=6, packed=True)))
