"""Codelets against the definition of the ring transform, interpreted word by word with every interval checked."""

from __future__ import annotations

import itertools
import random

import gmpy2
import pytest

from momagen.formula.breakdown import RING
from momagen.ir import Block, run
from momagen.kernels.butterflies.codelets import Codelet, codelet
from momagen.kernels.residues.arith import Arith
from momagen.lower import lower
from momagen.params import parse_integer
from momagen.plan.planners.whole_words import words_schedule
from momagen.plan.schedule.passes import step_codelet
from momagen.plan.schedule.ranges import range_classes
from momagen.plan.schedule.types import Breakdown, Step
from momagen.targets import load_target

NAMED = {64: "goldilocks", 254: "bn254-r", 255: "bls12-381-r"}
WIDTHS = {bits: NAMED.get(bits, "") for bits in (12, 60, 62, 63, 64, 120, 124, 254, 255, 380, 749)}
"""Modulus bits: every scheme, with room for many, few and no multiples of q."""


def _modulus(bits: int) -> int:
    name = WIDTHS[bits]
    if name:
        return parse_integer(name)
    q = (1 << bits) - 15
    while not (gmpy2.is_prime(q) and q % 16 == 1):
        q -= 1
    return q


def _twiddles(arith: Arith, q: int, count: int, rng: random.Random) -> tuple[list[int], dict[str, int]]:
    """Random constants, 0 and q - 1 among them, as the table entries that the scheme wants."""
    plain = [rng.choice([0, 1, q - 1, rng.randrange(q), rng.randrange(q)]) for _ in range(count)]
    if arith.kind == "montgomery":
        return plain, {f"v{t}": v * (1 << arith.held) % q for t, v in enumerate(plain)}
    quotients = {f"u{t}": (v << arith.held) // q for t, v in enumerate(plain)}
    return plain, {f"v{t}": v for t, v in enumerate(plain)} | quotients


def _forward(xs: list[int], plain: list[int], q: int) -> list[int]:
    xs, half, t = list(xs), len(xs) // 2, 1
    while half:
        for block in range(len(xs) // (2 * half)):
            for i in range(2 * half * block, 2 * half * block + half):
                y = plain[t + block] * xs[i + half]
                xs[i], xs[i + half] = (xs[i] + y) % q, (xs[i] - y) % q
        t, half = 2 * t, half // 2
    return xs


def _inverse(xs: list[int], plain: list[int], q: int, scale: bool) -> list[int]:
    xs, half, t = list(xs), 1, len(xs) // 2
    while t:
        for block in range(t):
            for i in range(2 * half * block, 2 * half * block + half):
                x, y = xs[i], xs[i + half]
                xs[i], xs[i + half] = (x + y) % q, plain[t + block] * (x - y) % q
        t, half = t // 2, 2 * half
    return [x * plain[0] % q if scale and i < len(xs) // 2 else x for i, x in enumerate(xs)]


def _check(arith: Arith, made: Codelet, m_in: int, block: Block, back: bool, last: bool, rng: random.Random) -> None:
    q, r = _modulus(arith.bits), made.radix
    top = m_in * q - 1
    for xs in ([0] * r, [top] * r, [q - 1] * r, [rng.choice([0, top, rng.randrange(top)]) for _ in range(r)]):
        plain, entries = _twiddles(arith, q, r, rng)
        if block is made.block:  # before any rule a twiddle is itself
            entries = {f"v{t}": v for t, v in enumerate(plain)}
        inputs = {f"x{i}": x for i, x in enumerate(xs)} | entries | {"q": q, "qi": pow(q, -1, 1 << arith.held)}
        results = run(block, {name: inputs[name] for name in block.inputs})
        wanted = _inverse(xs, plain, q, last) if back else _forward(xs, plain, q)
        for i, value in enumerate(wanted):
            got = results[f"y{i}"]
            assert got % q == value, (i, xs, plain)
            assert got < (1 if last else made.out[1]) * q


CASES = [(bits, radix) for bits in WIDTHS for radix in (2, 4, 8, 16) if bits * radix <= 2000]
"""Wide codelets of a large radix are the same levels again."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("bits", "radix"), CASES)
@pytest.mark.parametrize("back", [False, True], ids=["forward", "inverse"])
@pytest.mark.parametrize("name", ["c", "avx2"])
def test_codelet(bits: int, radix: int, back: bool, name: str) -> None:
    """On whole integers, and on the words of a target: with whole products, or with products of half words."""
    target, rng = load_target(name), random.Random(bits * radix)
    arith = Arith(bits, half_products=target.half_products)
    for m in {1, *range_classes(arith, 1, radix, back), arith.room if arith.kind in ("approximate", "lazy") else 1}:
        for last in (False, True):
            made = codelet(arith, radix, m, last, back and last, back=back)
            _check(arith, made, m, made.block, back, last, rng)
            _check(arith, made, m, lower(made.block, target), back, last, rng)


def test_half_words_are_cut_where_there_is_room() -> None:
    """One more level wherever 8k·q fits, or 4k·q one word: a Shoup product is below 2k·q."""
    assert [Arith(bits).k for bits in (12, 60, 61, 120, 124)] == [1, 1, 1, 2, 2]
    widths = (12, 60, 61, 62, 120, 123, 124, 250, 252)
    assert [Arith(bits, half_products=True).k for bits in widths] == [2, 2, 2, 1, 4, 4, 2, 8, 4]


@pytest.mark.parametrize("scheme", ["approximate", "lazy", "tight", "montgomery"])
def test_every_scheme_at_124_bits(scheme: str) -> None:
    arith, rng = Arith(124, scheme=scheme), random.Random(1)
    for back in (False, True):
        made = codelet(arith, 4, 1, True, back, back=back)
        _check(arith, made, 1, lower(made.block, load_target("c64")), back, True, rng)


@pytest.mark.parametrize("half_products", [False, True])
@pytest.mark.parametrize(
    ("narrow", "wide"), [(20, 60), (40, 60), (70, 123), (96, 123), (119, 123), (140, 185), (200, 248)]
)
def test_a_narrower_modulus_costs_no_more(narrow: int, wide: int, half_products: bool) -> None:
    """In the same words: room for more multiples of q must not become reductions from more multiples of q."""

    def subtractions(bits: int) -> int:
        arith = Arith(bits, half_products=half_products)
        steps = words_schedule(Breakdown(RING, 1 << 10, 4, False, (), False, False, False, 1, 0, 1, 0), arith).steps
        return sum(step_codelet(each, arith).block.counts()["reduce"] for each in steps if isinstance(each, Step))

    assert subtractions(narrow) <= subtractions(wide)


@pytest.mark.sampled(2)
@pytest.mark.thorough
def test_ranges_never_leave_the_words() -> None:
    """However many passes, none asks for inputs above what the one before may leave, nor above the room."""
    for bits, half_products in itertools.product(range(10, 200), (False, True)):
        for back in (False, True):
            arith = Arith(bits, half_products=half_products)
            chain = words_schedule(Breakdown(RING, 1 << 10, 4, False, (), back, False, False, 1, 0, 1, 0), arith).steps
            made = [step_codelet(each, arith) for each in chain if isinstance(each, Step)]
            for before, after in itertools.pairwise(made):
                comes = (after.block.inputs["x0"].hi + 1) // arith.top
                assert before.out[1] <= comes <= arith.room
