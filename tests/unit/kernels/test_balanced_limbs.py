"""Digits whose products lie around zero: bounds level by level on the passes that are made, codelets at their ends."""

from __future__ import annotations

import random
from typing import Any

import pytest
from test_redundant_limbs import constants, first_results, inputs

from momagen.ir import Block, leaves, run
from momagen.kernels.butterflies.levels import cooley_tukey, finish, first, lift, settle
from momagen.kernels.residues.integer_digits import balanced
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower import lower_digits
from momagen.plan.planners.reduced_radix import limb_plan
from momagen.plan.schedule.depth_first.reduced_radix import LimbTransform
from momagen.plan.tiles import parts
from momagen.targets import load_target

IFMA = load_target("avx512ifma")
WIDTHS = (98, 99, 150, 151, 253, 254, 255, 358, 410)
FOLDED = {"quotients": "computed"}


def plan(bits: int, log_n: int, **more: object) -> LimbTransform:
    spec = make_spec("ntt", n=1 << log_n, bits=bits + 4, target="avx512ifma", **more)  # type: ignore[arg-type]
    return limb_plan(spec)


def ranges(found: LimbTransform, negacyclic: bool) -> list[tuple[int, int]]:
    """The multiples of q between which values lie after every level, by what codelets are known to add."""
    a, plan = found.inner, found.tiles
    three, apart = 3, a.half if a.folds else 2
    passes = [[a.half] * one.levels for one in plan.columns] + [[a.half] * three + [apart] * three]
    rests = [False, *(one.rests and a.words != found.spec.arith.words for one in plan.columns)]
    low = high = 0
    seen = []
    for at, levels in enumerate(passes):
        if at == 0:
            low, high = a.lift(a.m_in), a.lift(a.m_in) + a.m_in
            if found.opened == 2:
                down, up = max(2 * a.m_in, a.m_in + a.half), max(4 * a.m_in, a.m_in + a.half)
                low, high, levels = low - down, low + up, levels[2:]
                seen.append((low, high))
        elif rests[at] or a.reduces_between:
            m = a.resting if rests[at] else 2
            low, high = a.lift(m), a.lift(m) + m
        for moved in levels:
            low, high = low - moved, high + moved
            seen.append((low, high))
    return seen


@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize("m_in", [1, 2, 4, 8])
@pytest.mark.parametrize("bits", WIDTHS)
def test_no_level_leaves_what_digits_hold(bits: int, m_in: int, negacyclic: bool) -> None:
    if m_in << bits > 1 << -(-bits // 64) * 64:
        pytest.skip("words have no room for it")
    met = 0
    for log_n in range(6, 18):
        for options in ({}, FOLDED, {"levels": "2"}, {"storage": "words", "levels": "2"}):
            if "storage" in options and log_n < 10:
                continue
            options = {**options, "input_factor": str(m_in), "twiddles": "whole"} if options != FOLDED else options
            found = plan(bits, log_n, negacyclic=negacyclic, options=options)
            a = found.inner
            if a.half:
                met += 1
                assert a.top * a.reach < 1 << a.held
                assert all(low >= 0 and high <= a.reach for low, high in ranges(found, negacyclic))
    assert met > 4 or m_in > 1


def test_what_it_saves() -> None:
    """A digit at 253 to 255 bits, and at as few below other whole digits; nothing in between."""
    for bits, digits in ((252, 5), (253, 5), (254, 5), (255, 5), (256, 6), (99, 2), (101, 3), (150, 3), (153, 4)):
        a = plan(bits, 12).inner
        assert a.words == digits and (a.half > 0) == (bits in (99, 150, 253, 254, 255))
    assert not plan(255, 12, inverse=True).inner.half
    for bits, last in ((255, 17), (99, 19)):  # tables of 10 and 16 MiB; of twice as many points twiddles are packed
        assert plan(bits, last).inner.half and plan(bits, last + 1).inner.packed
    assert [plan(99, log_n, options={"input_factor": "8"}).inner.words for log_n in (6, 12)] == [2, 2]


def test_the_first_pass_may_be_longer() -> None:
    assert [one.levels for one in plan(255, 12).tiles.columns] == [6]  # its first two levels are sums
    assert [one.levels for one in plan(255, 12, negacyclic=True).tiles.columns] == [3, 3]
    assert [one.levels for one in plan(255, 12, options={"levels": "4"}).tiles.columns] == [3, 3]
    assert [parts(levels, 5, 6) for levels in (0, 1, 6, 7, 11, 12)] == [[], [1], [6], [4, 3], [6, 5], [4, 4, 4]]
    assert [parts(levels, 2, 6) for levels in (6, 7, 9)] == [[6], [5, 2], [5, 2, 2]]


def arith(bits: int, levels: int, **more: int) -> ReducedRadix:
    found = balanced(ReducedRadix(bits, IFMA.digit, lane=IFMA.word, levels=levels, **more), 3, True)  # type: ignore[arg-type]
    assert found.half
    return found


def known(a: ReducedRadix, q: int, v: int, folded: bool) -> dict[str, Any]:
    bias = [-a.half * (q >> a.word * i & (1 << a.word) - 1) for i in reversed(range(a.words))]
    return {**constants(a, q, v, folded), "bias": bias}


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("bits", [99, 150, 254, 255, 410])
def test_products_lie_around_zero(bits: int, shared: bool) -> None:
    a, rng = arith(bits, 16), random.Random(bits)
    lowered, down = lower_digits(cooley_tukey(a, shared), IFMA), a.half if shared else 2
    for _ in range(12):
        q = rng.choice((a.top, rng.getrandbits(bits))) | 1 | 1 << bits - 1
        v, y = rng.choice((0, 1, q - 1, rng.randrange(q))), rng.choice((0, a.reach * q - 1, rng.randrange(a.reach * q)))
        x = rng.choice((down * q, (a.reach - down) * q - 1))
        block = Block(dict(lowered.inputs), lowered.instrs, lowered.outputs)
        given = {**known(a, q, v, shared), "x": x, "y": y}
        found = run(block, inputs(rng, a, block, given))
        for key, wanted in (("X", x + v * y), ("Y", x - v * y)):
            value = found[key] % (1 << a.held)
            assert (value - wanted) % q == 0 and x - down * q <= value <= x + down * q


@pytest.mark.parametrize("name", ["settle", "rest", "resume", "finish"])
@pytest.mark.parametrize("bits", [151, 254, 255, 774])
def test_values_are_reduced_and_lifted(bits: int, name: str) -> None:
    a, rng = arith(bits, 16, rests=True), random.Random(bits)
    make = {
        "settle": settle, "rest": lambda a: finish(a, a.reach, a.resting), "resume": lambda a: lift(a, a.resting),
        "finish": lambda a: finish(a, a.last, a.m_out),
    }  # fmt: skip
    lowered = lower_digits(make[name](a), IFMA)
    if a.settles:
        assert bits == 774 and all(-1 << a.loose <= d.lo and d.hi <= 1 << a.loose for d in leaves(lowered.outputs["X"]))
    low, most = {"settle": (a.lift(2), 2), "rest": (0, 2), "resume": (a.lift(2), 2), "finish": (0, 1)}[name]
    for _ in range(12):
        q = rng.choice((a.top, rng.getrandbits(bits))) | 1 | 1 << bits - 1
        room = (2 if name == "resume" else a.reach) * q
        x = rng.choice((0, room - 1, rng.randrange(room)))
        block = Block(dict(lowered.inputs), lowered.instrs, lowered.outputs)
        value = run(block, inputs(rng, a, block, {**known(a, q, 1, True), "x": x}))["X"] % (1 << a.held)
        assert (value - x) % q == 0 and low * q <= value < (low + most) * q


@pytest.mark.parametrize("legs", [2, 4])
@pytest.mark.parametrize("bits", [150, 255])
def test_the_first_levels_begin_high_enough(bits: int, legs: int) -> None:
    a, rng = arith(bits, 12), random.Random(bits)
    lowered = lower_digits(first(a, legs), IFMA)
    for _ in range(12):
        q = rng.getrandbits(bits) | 1 | 1 << bits - 1
        v, *xs = (rng.choice((0, 1, q - 1, rng.randrange(q))) for _ in range(1 + legs))
        given = {**known(a, q, v, True), **{f"x{i}": x for i, x in enumerate(xs)}}
        found = run(lowered, {name: given[name] for name in lowered.inputs})
        moved = max(4, 1 + a.half) if legs == 4 else 1 + a.half
        for i, wanted in enumerate(first_results(xs, v)):
            value = found[f"X{i}"] % (1 << a.held)
            assert (value - wanted) % q == 0 and abs(value - a.lift(1) * q) <= moved * q
