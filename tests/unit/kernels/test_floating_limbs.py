"""Digits in doubles: codelets are right for any digits within their range, on integers and on the machine's doubles."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from test_redundant_limbs import last_results

from momagen.errors import MomagenError
from momagen.ir import OPS, Block, Builder, const, leaves, run
from momagen.ir.order.columns import by_columns
from momagen.ir.real import BIAS, MANTISSA, leading, nearest
from momagen.kernels.butterflies.levels import (
    cooley_tukey,
    finish,
    first,
    gentleman_sande,
    last,
    lift,
    settle,
)
from momagen.kernels.residues.double_digits import FACTOR, LONGEST, NEAREST, doubles, one_double
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.rewrite import Machine, machine_block, rewrite, table
from momagen.rewrite.digits.exponents import bits as pattern

WIDTHS = (16, 40, 50, 60, 105, 124, 252, 381, 636, 753)
Wanted = Callable[[int, int, int], tuple[int, ...]]
CODELETS: dict[str, tuple[Callable[[ReducedRadix], Block], Wanted]] = {
    "ct shared": (lambda a: cooley_tukey(a, True), lambda x, y, v: (x + v * y, x - v * y)),
    "ct apart": (lambda a: cooley_tukey(a, False), lambda x, y, v: (x + v * y, x - v * y)),
    "gs shared": (lambda a: gentleman_sande(a, True), lambda x, y, v: (x + y, (x - y) * v)),
    "gs open": (lambda a: gentleman_sande(a, True, False), lambda x, y, v: (x + y, (x - y) * v)),
    "lift": (lambda a: lift(a, a.m_in), lambda x, y, v: (x,)),
    "settle": (settle, lambda x, y, v: (x,)),
    "reduce": (settle, lambda x, y, v: (x,)),
    "finish": (lambda a: finish(a, a.last, a.m_out), lambda x, y, v: (x,)),
    "scaled": (lambda a: finish(a, a.reach, a.m_out, True), lambda x, y, v: (v * x,)),
}
REDUCED, DOUBLING = ("finish", "scaled", "reduce"), ("gs shared", "gs open", "scaled", "reduce")


def real_arith(
    bits: int, most: int, levels: int, doubling: bool, m_in: int = 1, quotients: int = 1, first: int = 0, over: int = 0
) -> ReducedRadix:
    return doubles(ReducedRadix(bits, levels=levels, doubling=doubling, m_in=m_in, over=over), most, quotients, first)


def one_real(bits: int, levels: int, doubling: bool, m_in: int = 1) -> ReducedRadix | None:
    return one_double(ReducedRadix(bits, levels=levels, doubling=doubling, m_in=m_in))


def longest(a: ReducedRadix, name: str) -> int:
    """The digits that the codelet takes, at most."""
    unsettled = {"gs shared": a.pace - 1, "gs open": a.pace - 2}.get(name, 0)
    return a.after(unsettled) if a.pace > 1 and name in ("gs shared", "gs open") else 1 << a.loose - 1


def spread(rng: random.Random, value: int, a: ReducedRadix, name: str = "finish") -> list[int]:
    """Digits of ``value``, low first, as far from normal as they may be."""
    digits, most = list[int](), (longest(a, name) >> a.word) - 1
    for _ in range(a.words - 1):
        digit = (value & (1 << a.word) - 1) + (rng.choice((-most, most, rng.randint(-most, most))) << a.word)
        digits.append(digit)
        value = value - digit >> a.word
    return [*digits, value]


def plain(value: int, a: ReducedRadix, count: int) -> list[int]:
    return [value >> a.word * i & (1 << a.word) - 1 for i in range(count)]


def numbers(rng: random.Random, a: ReducedRadix, name: str, q: int) -> dict[str, int]:
    """x, y and v as the codelet may meet them."""
    half = 1 if a.words == 1 else 2  # what a sum of two may reach
    room = q * (a.last if name == "finish" else a.reach // half if a.doubling else a.reach - a.grown) - 1
    x, y = (rng.choice((-room, room, rng.randint(-room, room))) for _ in "xy")
    return {"x": x % q if name == "lift" else x, "y": y, "v": rng.choice((0, 1, q - 1, rng.randrange(q)))}


def digits(rng: random.Random, a: ReducedRadix, name: str, q: int, known: dict[str, int]) -> dict[str, list[int]]:
    """All that a codelet may ask for, digit by digit, low first."""
    v = known["v"]
    rows = [(v << a.word * (i + 1 - a.over_q)) % q for i in range(a.words)]
    return {
        "u": [(row << MANTISSA) // q for row in rows],
        "x": plain(known["x"], a, a.words) if name == "lift" else spread(rng, known["x"], a, name),
        "y": spread(rng, known["y"], a, name), "q": plain(q, a, a.words), "mu": [(1 << a.cut + a.word) // q],
        "v": [digit for row in rows for digit in plain(row, a, a.words)], "qn": [-pow(q, -1, 1 << a.word) % 2**a.word],
    }  # fmt: skip


def doubles_of(a: ReducedRadix) -> Machine:
    """A machine of doubles that has all operations."""
    return Machine(a.word, lambda op, width: True, lane=MANTISSA + 1, digits="real")


def on_doubles(block: Block, a: ReducedRadix, given: dict[str, list[int]]) -> dict[str, Fraction]:
    """``block`` of the machine's operations: what the doubles of each result add up to."""
    known: dict[int, int] = {}
    for name, value in block.inputs.items():
        for at, digit in enumerate(reversed([*leaves(value)])):
            known[id(digit)] = pattern(given[name][at], a.unit(name, at))
    word = lambda v: v.lo if v.is_const else known[id(v)]  # noqa: E731
    for instr in block.instrs:
        (known[id(instr.results[0])],) = OPS[instr.op].meaning(64, instr.k, *map(word, instr.args))
    scale = Fraction(2) ** -a.unit("x", 0)
    return {name: scale * sum(number(word(d)) for d in leaves(v)) for name, v in block.outputs.items()}


def number(bits: int) -> Fraction:
    return Fraction(*struct.unpack("<d", struct.pack("<Q", bits)))


def takes(block: Block, given: dict[str, list[int]], a: ReducedRadix) -> None:
    """Every operation of a codelet is asked only for what it promises: its rule is proven under these hypotheses."""
    known = {
        id(value): sum(digit << (value.weight or a.word) * at for at, digit in enumerate(given[name]))
        for name, value in block.inputs.items()
    }  # fmt: skip
    for instr in block.instrs:
        args = [a.lo if a.is_const else known[id(a)] for a in instr.args]
        assert OPS[instr.op].requires(instr.w, instr.k, *args), (instr.op, instr.k, args)
        results = OPS[instr.op].meaning(instr.w, instr.k, *args)
        known.update((id(r), n) for r, n in zip(instr.results, results, strict=True))


def inputs(block: Block, a: ReducedRadix, given: dict[str, list[int]]) -> dict[str, int | list[int]]:
    """``given`` as ``block`` takes it: the digits of each input high first, or the number."""
    whole = {key: sum(digit << a.word * at for at, digit in enumerate(digits)) for key, digits in given.items()}
    return {
        key: given[key][: len([*leaves(value)])][::-1] if value.digits else whole[key]
        for key, value in block.inputs.items()
    }  # fmt: skip


def check(name: str, a: ReducedRadix, rng: random.Random) -> None:
    """The codelet on random and extreme numbers, by the definition, on integers and on the machine's doubles."""
    make, wanted = CODELETS[name]
    wide, columns = make(a), rng.choice((1, 4, 100))
    block = rewrite(wide, table(), doubles_of(a))
    block = by_columns(block, columns)
    machine = machine_block(block, a.unit)
    for _ in range(8):
        q = rng.randrange(a.least, 1 << rng.randint(a.cut + 2, a.bits)) | 1
        known = numbers(rng, a, name, q)
        given = digits(rng, a, name, q, known)
        asked = {**given, "v": plain(known["v"], a, a.words)}
        takes(wide, asked, a)
        found, meant = run(block, inputs(block, a, given)), run(wide, inputs(wide, a, asked))
        results = wanted(known["x"], known["y"], known["v"])
        assert all((found[key] - value) % q == 0 for key, value in zip("XY", results, strict=False))
        assert all((meant[key] - value) % q == 0 for key, value in zip("XY", results, strict=False))
        assert name not in REDUCED[: 2 + a.reduces_between] or -q < found["X"] < q
        assert on_doubles(machine, a, given) == found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", CODELETS)
def test_codelet(name: str, bits: int) -> None:
    for levels in (1, 12, 20):
        for quotients, start in ((1, 0), (1, 6), (4, 4)):
            check(name, real_arith(bits, 48, levels, name in DOUBLING, 1, quotients, start), random.Random(bits))


def first_results(xs: list[int], v: int) -> list[int]:
    """Of the first level on two legs, or of the first two of x^n - 1 on four."""
    if len(xs) == 2:
        return [xs[0] + v * xs[1], xs[0] - v * xs[1]]
    even, odd, rest, t = xs[0] + xs[2], xs[1] + xs[3], xs[0] - xs[2], v * (xs[1] - xs[3])
    return [even + odd, even - odd, rest + t, rest - t]


def check_first(legs: int, a: ReducedRadix, rng: random.Random) -> None:
    """The first levels: by the definition, within what they may leave, and on the machine's doubles."""
    wide = first(a, legs)
    block = rewrite(wide, table(), doubles_of(a))
    machine = machine_block(block, a.unit)
    most = a.m_in + a.grown * (legs.bit_length() - 1)
    for _ in range(8):
        q = rng.randrange(a.least, 1 << rng.randint(a.cut + 2, a.bits)) | 1
        known = numbers(rng, a, "lift", q)
        given = digits(rng, a, "lift", q, known)
        xs = [rng.choice((0, a.m_in * q - 1, rng.randrange(a.m_in * q))) for _ in range(legs)]
        given.update({f"x{i}": plain(x, a, a.words) for i, x in enumerate(xs)})
        asked = {**given, "v": plain(known["v"], a, a.words)}
        takes(wide, asked, a)
        found, meant = run(block, inputs(block, a, given)), run(wide, inputs(wide, a, asked))
        for i, wanted in enumerate(first_results(xs, known["v"])):
            assert (found[f"X{i}"] - wanted) % q == 0 and (meant[f"X{i}"] - wanted) % q == 0
            assert abs(found[f"X{i}"]) <= most * q
        assert on_doubles(machine, a, given) == found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("legs", [2, 4])
def test_first_levels(legs: int, bits: int) -> None:
    for levels in (2, 12, 20):
        for quotients in (1, 4):
            check_first(legs, real_arith(bits, 48, levels, False, 1, quotients), random.Random(bits))


@pytest.mark.parametrize("bits", [8, 16, 30, 40, 46, 47, 48, 49, 50])
def test_first_levels_on_one_double(bits: int) -> None:
    for levels in (2, 12, 20):
        a = one_real(bits, levels, False)
        assert a is not None and a.sums_first
        for legs in (2, 4):
            check_first(legs, a, random.Random(bits))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bits", [60, 105, 124, 252, 381, 753])
@pytest.mark.parametrize("legs", [2, 4])
def test_last_levels(legs: int, bits: int) -> None:
    """By the definition, divisible by n, within n·q, and on the machine's doubles."""
    rng = random.Random(bits)
    for levels, start in ((4, 0), (10, 0), (12, 4), (16, 0)):
        a = real_arith(bits, 48, levels, True, 1, 4, start, levels)
        assert a.over == levels
        wide = last(a, legs)
        block = rewrite(wide, table(), doubles_of(a))
        machine = machine_block(block, a.unit)
        for _ in range(8):
            q = rng.randrange(a.least, 1 << rng.randint(a.cut + 2, a.bits)) | 1
            known, room = numbers(rng, a, "finish", q), a.reach // legs * q - 1
            given = digits(rng, a, "finish", q, known)
            xs = [rng.choice((-room, room, rng.randint(-room, room))) for _ in range(legs)]
            given.update({f"x{i}": spread(rng, x, a) for i, x in enumerate(xs)})
            asked = {**given, "v": plain(known["v"], a, a.words)}
            takes(wide, asked, a)
            found, meant = run(block, inputs(block, a, given)), run(wide, inputs(wide, a, asked))
            for i, wanted in enumerate(last_results(xs, known["v"])):
                value = found[f"X{i}"]
                assert (value - wanted) % q == 0 and value % (1 << levels) == 0 and abs(value) < q << levels
                assert (meant[f"X{i}"] - wanted) % q == 0
            assert on_doubles(machine, a, given) == found


@pytest.mark.parametrize("bits", [60, 124, 188, 252, 381, 508, 764])
@pytest.mark.parametrize("levels", [6, 10, 12, 16, 24])
def test_sums_that_are_not_settled_at_every_level_still_fit_a_double(bits: int, levels: int) -> None:
    """Digits of products, and of sums that were settled, begin a run of levels; every level of it doubles them."""
    a = real_arith(bits, 48, levels, True, 1, 4, 4)
    assert a.pace > 1 and a.after(a.pace - 1) * 2 <= 1 << MANTISSA < a.after(a.pace - 1) * 4

    def most(settles: bool, name: str) -> int:
        found = rewrite(gentleman_sande(a, True, settles), table(), doubles_of(a)).outputs[name]
        return max(max(-digit.lo, digit.hi) for digit in leaves(found))

    assert max(most(True, "X"), most(True, "Y"), most(False, "Y")) <= a.after(0)
    assert most(False, "X") <= a.after(a.pace - 1)


@pytest.mark.parametrize("bits", [8, 16, 30, 40, 46, 47, 48, 49, 50])
@pytest.mark.parametrize("name", sorted({*CODELETS} - {"gs open"}))
def test_codelet_on_one_double(name: str, bits: int) -> None:
    for levels in (1, 12, 20):
        a = one_real(bits, levels, name in DOUBLING)
        assert a is not None
        check(name, a, random.Random(bits))


@pytest.mark.parametrize("bits", [47, 48, 49])
def test_values_that_begin_next_to_zero_drift_by_half_of_q_and_what_the_quotient_lacks(bits: int) -> None:
    """A product is within (1/2 + |y|/2^53)·q, and what was reduced within (1/2 + 2^-16)·q: so passes need no more."""
    a, rng = one_real(bits, 20, False), random.Random(bits)
    assert a is not None and a.factor and not a.reduces
    level, begin = (machine_block(rewrite(block, table(), doubles_of(a)), a.unit)
                    for block in (cooley_tukey(a, True), settle(a)))  # fmt: skip
    for _ in range(300):
        q = (1 << rng.choice((bits, bits, 30))) - 1 - 2 * rng.randrange(100)
        y = rng.choice((1, -1)) * (a.factor * q - rng.choice((0, 1, rng.randrange(a.factor * q))))
        given = digits(rng, a, "ct shared", q, {"x": 0, "y": y, "v": rng.choice((1, q // 2, q - 1, rng.randrange(q)))})
        product = on_doubles(level, a, given)["X"]
        assert abs(product) <= (Fraction(1, 2) + Fraction(abs(y), 1 << MANTISSA)) * q
        x = rng.choice((1, -1)) * (q // 2 + q * rng.randrange(a.reach) + rng.randint(-2, 2))
        found = on_doubles(begin, a, digits(rng, a, "settle", q, {"x": x, "y": 0, "v": 0}))["X"]
        assert abs(found) <= NEAREST * q
    for levels, start in ((a.run, NEAREST), (a.run - 2, 4 * NEAREST)):  # all levels, or those after two of sums
        for _ in range(levels):
            assert start <= a.factor and start * a.top <= 1 << FACTOR
            start += Fraction(1, 2) + start * a.top / (1 << MANTISSA)
        assert start <= a.reach


def test_one_double_begins_within_q_whatever_comes_in() -> None:
    for levels, doubling in ((2, False), (20, False), (20, True)):
        a, q, x = one_real(40, levels, doubling, 8), (1 << 40) - 87, 8 * ((1 << 40) - 87) - 5
        assert a is not None
        block = rewrite(lift(a, a.m_in), table(), doubles_of(a))
        assert run(block, {"x": x, "q": q, "mu": (1 << a.cut + a.word) // q})["X"] % q == q - 5
        assert max(-block.outputs["X"].lo, block.outputs["X"].hi) <= a.top


def test_one_double_holds_moduli_of_fifty_bits() -> None:
    assert one_real(51, 1, False) is None and one_real(50, 24, True) is not None


def test_the_least_modulus_and_the_largest_end_within_q() -> None:
    """The estimate of a quotient at both ends of what one build serves, next to every half of q."""
    for bits, levels in ((50, 12), (124, 24), (381, 16)):
        a = real_arith(bits, 48, levels, False)
        block = rewrite(finish(a, a.last, a.m_out), table(), doubles_of(a))
        for q in ((1 << a.cut + 1) + 1, (1 << bits) - 1):
            mu = (1 << a.cut + a.word) // q
            for half in range(-2 * a.last, 2 * a.last + 1):
                for x in (half * q // 2 + d for d in (-1, 0, 1) if abs(half * q // 2 + d) < a.last * q):
                    digits = spread(random.Random(0), x, a)[::-1]
                    assert -q < run(block, {"x": digits, "q": q, "mu": mu})["X"] < q


def test_a_sum_that_a_double_may_not_hold_is_refused() -> None:
    a = replace(real_arith(124, 48, 12, False), word=50, loose=MANTISSA + 1)
    with pytest.raises(MomagenError, match="reduced-radix limbs: expected a sum within 54 bits"):
        rewrite(cooley_tukey(a, True), table(), doubles_of(a))
    b = Builder()
    x = b.input("x", 0, 1 << MANTISSA)
    b.output("z", b.one("plus", 44, x, x))
    with pytest.raises(MomagenError, match="floating-point limbs: expected plus from"):
        machine_block(b.block, lambda name, at: 0)


def test_terms_at_different_units_are_refused() -> None:
    b = Builder()
    x, y = b.input("x", 0, 1 << 40), b.input("y", 0, 1 << 40)
    b.output("z", b.one("plus", 44, x, y))
    assert [i.op for i in machine_block(b.block, lambda name, at: 3).instrs] == ["radd"]
    with pytest.raises(MomagenError, match=r"a term times 2\^0, got 2\^44"):
        machine_block(b.block, lambda name, at: 44 * (name == "y"))


def test_passes_begin_with_reduced_values_where_that_saves_a_digit() -> None:
    for levels, between in ((4, 0), (16, 0), (18, 6), (24, 6)):
        a = real_arith(124, 48, levels, True, 1, 4, 4)
        assert (a.words, a.run * a.reduces_between) == (3, between)
    assert real_arith(124, 48, 18, True).words == 4


@pytest.mark.thorough
def test_every_width_has_digits() -> None:
    for bits in range(16, 1025):
        for levels, doubling in ((1, False), (24, False), (24, True)):
            a = real_arith(bits, 48, levels, doubling)
            assert a.loose < MANTISSA and a.words * a.word >= bits and a.least < 1 << bits


def test_rounding_is_to_the_nearest_and_to_even() -> None:
    assert [nearest(x, 1) for x in range(-4, 5)] == [-2, -2, -1, 0, 0, 0, 1, 2, 2]
    for x in (1 << 53, (1 << 53) + 1, (1 << 53) + 3, -(1 << 60) - 77, 5):
        assert leading(x) == int(float(x))
    assert BIAS == 3 << 51


@pytest.mark.parametrize("doubling", [False, True])
@pytest.mark.parametrize("levels", [4, 24])
def test_units_are_those_of_doubles(levels: int, doubling: bool) -> None:
    """Every digit of the longest numbers is a normal double: set-up makes units of an exponent."""
    for bits in range(LONGEST - 40, LONGEST + 1):
        a = real_arith(bits, 48, levels, doubling, 8, 4)
        counts = {"v": a.words**2, "u": a.words, "q": a.words, "x": a.words, "mu": 1, "qn": 1}
        units = [a.unit(name, at) for name, count in counts.items() for at in range(count)]
        assert min(units) >= -1022 and max(units) + MANTISSA <= 1024


@pytest.mark.parametrize("k", [1, 2])
def test_a_factor_too_large_for_its_quotient_is_refused(k: int) -> None:
    b = Builder()
    y = b.input("y", 0, ((1 << 52) + 2) << 40 * (k - 1))
    constants = [b.input(name, 1, (1 << 40 * k - 1) - 1) for name in "vq"]
    b.output("t", b.one("shoup_near", 40, y, *constants, const((1 << 52) + 2), k=k))
    with pytest.raises(MomagenError, match="a rule or a target instruction for “shoup_near” at 40 bits"):
        rewrite(b.block, table(), Machine(40, lambda op, width: True, lane=MANTISSA + 1, digits="real"))
