"""Codelets on digits with slack: right for any digits within their range, not only for normal ones."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from momagen.ir import Block, leaves, run
from momagen.kernels.butterflies.levels import (
    cooley_tukey,
    finish,
    first,
    gentleman_sande,
    last,
    lift,
    settle,
)
from momagen.kernels.residues.integer_digits import DOUBLED, lazy
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.lower import lower_digits
from momagen.targets import load_target

WIDTHS = (30, 50, 60, 105, 124, 252, 381)
Wanted = Callable[[int, int, int], tuple[int, ...]]
CODELETS: dict[str, tuple[Callable[[ReducedRadix], Block], Wanted]] = {
    "ct shared": (lambda a: cooley_tukey(a, True), lambda x, y, v: (x + v * y, x - v * y)),
    "ct apart": (lambda a: cooley_tukey(a, False), lambda x, y, v: (x + v * y, x - v * y)),
    "gs shared": (lambda a: gentleman_sande(a, True), lambda x, y, v: (x + y, (x - y) * v)),
    "gs apart": (lambda a: gentleman_sande(a, False), lambda x, y, v: (x + y, (x - y) * v)),
    "gs open": (lambda a: gentleman_sande(a, True, False), lambda x, y, v: (x + y, (x - y) * v)),
    "lift": (lambda a: lift(a, a.m_in), lambda x, y, v: (x,)),
    "settle": (settle, lambda x, y, v: (x,)),
    "finish": (lambda a: finish(a, a.last, a.m_out), lambda x, y, v: (x,)),
    "finish sums": (lambda a: finish(a, a.last, a.m_out), lambda x, y, v: (x,)),
    "scaled": (lambda a: finish(a, a.reach, a.m_out, True), lambda x, y, v: (v * x,)),
}
REDUCED = ("finish", "finish sums", "scaled")
DOUBLING = ("gs shared", "gs apart", "gs open", "scaled", "finish sums")


def spread(rng: random.Random, value: int, a: ReducedRadix) -> list[int]:
    """Digits of ``value``, low first, as far from normal as they may be."""
    full = (1 << a.word) - 1
    digits = [value >> a.word * i & full for i in range(a.words - 1)]
    digits.append(value >> a.word * (a.words - 1))
    most = max(0, (1 << a.loose - 1 - a.word) - 1)
    for i in range(a.words - 1):
        carry = rng.choice((-most, most, rng.randint(-most, most)))
        digits[i] += carry << a.word
        digits[i + 1] -= carry
    digits[-1] += rng.choice((-1, 0, 1)) * most << a.word  # modulo 2^held nothing has changed
    return digits


def constants(a: ReducedRadix, q: int, v: int, folded: bool) -> dict[str, int]:
    table = sum((v << a.word * (i + 1)) % q << a.held * i for i in range(a.words))
    inverse = -pow(q, -1, 1 << a.word) % (1 << a.word)
    return {
        "q": q, "v": table if folded else v, "u": (v << a.held) // q, "mu": (1 << a.cut + a.word) // q, "qn": inverse,
    }  # fmt: skip


def inputs(rng: random.Random, a: ReducedRadix, block: Block, known: dict[str, int]) -> dict[str, int]:
    """Values by the names of ``block``'s inputs; those with loose digits digit by digit, as inputs of their own."""
    given: dict[str, int] = {}
    for name in list(block.inputs):
        value = block.inputs[name]
        if name[0] in "xy" and value.digits and value.digits[-1].lo < 0:
            del block.inputs[name]
            low_first, digits = reversed(list(leaves(value))), spread(rng, known[name], a)
            for i, (leaf, digit) in enumerate(zip(low_first, digits, strict=True)):
                block.inputs[f"{name}{i}"], given[f"{name}{i}"] = leaf, digit
        else:
            given[name] = known[name]
    block.inputs = {name: block.inputs[name] for name in given}
    return given


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", CODELETS)
def test_codelet(name: str, bits: int) -> None:
    rng, machine, (make, wanted) = random.Random(bits), load_target("avx512ifma"), CODELETS[name]
    for levels in (1, 12, 20):
        a = lazy(ReducedRadix(bits, machine.digit, lane=machine.word, levels=levels, doubling=name in DOUBLING))
        lowered = lower_digits(make(a), machine)
        for _ in range(8):
            q = rng.getrandbits(bits) | 1 | 1 << bits - 1
            room = q * (a.reach // 2 if a.doubling else a.reach - a.grown)
            room = q * a.last if name[:6] == "finish" else room
            low = q * a.grown * (name[:2] == "ct")
            high = max(low, room - 1)
            x, y = (rng.choice((low, high, rng.randint(low, high))) for _ in "xy")
            x, v = (x % q if name == "lift" else x), rng.choice((0, 1, q - 1, rng.randrange(q)))
            known = {**constants(a, q, v, name in ("ct shared", "gs shared", "gs open", "scaled")), "x": x, "y": y}
            block = Block(dict(lowered.inputs), lowered.instrs, lowered.outputs)
            found = run(block, inputs(rng, a, block, known))
            assert all((found[key] - value) % q == 0 for key, value in zip("XY", wanted(x, y, v), strict=False))
            assert name not in REDUCED or 0 <= found["X"] < q


def first_results(xs: list[int], v: int) -> list[int]:
    """Of the first level on two legs, or of the first two of x^n - 1 on four."""
    if len(xs) == 2:
        return [xs[0] + v * xs[1], xs[0] - v * xs[1]]
    even, odd, rest, t = xs[0] + xs[2], xs[1] + xs[3], xs[0] - xs[2], v * (xs[1] - xs[3])
    return [even + odd, even - odd, rest + t, rest - t]


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("m_in", [1, 2, 4, 8])
@pytest.mark.parametrize("legs", [2, 4])
def test_first_levels(legs: int, m_in: int, bits: int) -> None:
    """What they leave bears that all other levels add and take away g·q."""
    rng, machine = random.Random(bits), load_target("avx512ifma")
    for levels in (2, 12, 20):
        a = lazy(ReducedRadix(bits, machine.digit, lane=machine.word, levels=levels, m_in=m_in))
        if legs == 4 and not a.sums_first:
            assert m_in > 1
            continue
        lowered, left = lower_digits(first(a, legs), machine), a.grown * (levels - (legs.bit_length() - 1))
        for _ in range(8):
            q = rng.getrandbits(bits) | 1 | 1 << bits - 1
            v = rng.choice((0, 1, q - 1, rng.randrange(q)))
            xs = [rng.choice((0, m_in * q - 1, rng.randrange(m_in * q))) for _ in range(legs)]
            known = {**constants(a, q, v, True), **{f"x{i}": x for i, x in enumerate(xs)}}
            found = run(lowered, {name: known[name] for name in lowered.inputs})
            for i, wanted in enumerate(first_results(xs, v)):
                value = found[f"X{i}"] % (1 << a.held)
                assert (value - wanted) % q == 0 and left * q <= value <= (a.reach - left) * q


def last_results(xs: list[int], v: int) -> list[int]:
    """Of the last level on two legs, or of the last two of x^n - 1 on four, times n."""
    if len(xs) == 2:
        return [xs[0] + xs[1], v * (xs[0] - xs[1])]
    even, odd, rest, t = xs[0] + xs[1], xs[2] + xs[3], xs[0] - xs[1], v * (xs[2] - xs[3])
    return [even + odd, rest + t, even - odd, rest - t]


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("legs", [2, 4])
def test_last_levels(legs: int, bits: int) -> None:
    """Divided by n, and reduced: n times what comes out is told."""
    rng, machine = random.Random(bits), load_target("avx512ifma")
    for levels in (4, 6, 12, 20):
        a = lazy(ReducedRadix(bits, machine.digit, lane=machine.word, levels=levels, doubling=True, over=levels))
        lowered = lower_digits(last(a, legs), machine)
        for _ in range(8):
            q = rng.getrandbits(bits) | 1 | 1 << bits - 1
            v, room = rng.choice((0, 1, q - 1, rng.randrange(q))), a.reach // legs * q
            xs = [rng.choice((0, room - 1, rng.randrange(room))) for _ in range(legs)]
            known = {**constants(a, q, v, True), **{f"x{i}": x for i, x in enumerate(xs)}}
            block = Block(dict(lowered.inputs), lowered.instrs, lowered.outputs)
            found = run(block, inputs(rng, a, block, known))
            for i, wanted in enumerate(last_results(xs, v)):
                assert found[f"X{i}"] == wanted * pow(2, -levels, q) % q << levels


@pytest.mark.parametrize("bits", [*WIDTHS, 753])
@pytest.mark.parametrize("shared", [True, False])
def test_sums_that_are_not_settled_at_every_level_still_fit_the_lane(shared: bool, bits: int) -> None:
    """Digits of products, and of sums that were settled, begin a run of levels; every level of it doubles them."""
    machine = load_target("avx512ifma")
    a = lazy(ReducedRadix(bits, machine.digit, lane=machine.word, levels=12, doubling=True))
    assert a.pace > 2 and a.after(a.pace - 1) <= 1 << machine.word - DOUBLED < a.after(a.pace)

    def most(settles: bool, name: str) -> int:
        found = lower_digits(gentleman_sande(a, shared, settles), machine).outputs[name]
        return max(max(-digit.lo, digit.hi) for digit in leaves(found))

    assert most(True, "X") <= a.begun and most(False, "X") <= a.after(a.pace - 1)
    assert most(True, "Y") <= a.begun and most(False, "Y") <= a.begun
