"""Signed digits, residues of their sums and overflows, on integers: blocks as they are before any rule."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import get_args

import pytest

from momagen.errors import MomagenError
from momagen.ir import Block
from momagen.ir.interp import run as interpreted
from momagen.kernels.matrices.digits import SignedDigits, digits_for, split
from momagen.kernels.matrices.engines import SUMS, engine_for, fold_on
from momagen.kernels.matrices.merge import merge
from momagen.kernels.matrices.overflow import above, digits_of_fractions, fraction_bits, overflow
from momagen.kernels.matrices.sums import DigitSums
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.options.values import OPTIONS
from momagen.kinds.modular.typed import Engine
from momagen.targets import load_target


def run(block: Block, **given: int) -> dict[str, int]:
    """The outputs of a block, of those of the numbers that it takes."""
    return interpreted(block, {name: given[name] for name in block.inputs})


def signed(word: int, bits: int = 32) -> int:
    return word - (word >> bits - 1 << bits)


def cut_number(number: int, digits: SignedDigits) -> list[int]:
    """Its digits, by division."""
    half = 1 << digits.size - 1
    return [(number + digits.least >> digits.size * at) % (2 * half) - half for at in range(digits.count)]


@pytest.mark.parametrize("bits", [2, 8, 16, 28, 30, 31, 32, 60, 62, 63])
@pytest.mark.parametrize("size", [4, 8, 12])
@pytest.mark.parametrize("m", [1, 2])
def test_digits_make_the_number_up(bits: int, size: int, m: int) -> None:
    arith, digits, rng = Arith(bits, 32), digits_for(bits, size), random.Random(bits)
    if m > arith.room:
        return
    block = split(arith, digits, m)
    for q in {3, (1 << bits) - 1, 1 << bits - 1 | 1}:
        for x in (0, 1, q - 1, q // 2, q // 2 + 1, m * q - 1, rng.randrange(m * q)):
            found = run(block, x=x, q=q)
            each = [signed(found[f"d{at}"]) for at in range(digits.count)]
            assert all(-(1 << size - 1) <= digit < 1 << size - 1 for digit in each)
            number = sum(digit << size * at for at, digit in enumerate(each))
            assert (number - x) % q == 0 and (number == x or m * arith.top > digits.most)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("bits", [4, 7, 8, 15, 16, 31, 32])
def test_digits_are_as_few_as_hold_residues(bits: int, whole: bool) -> None:
    digits = digits_for(bits, 8, whole)
    top = (1 << bits) - 2 if whole else (1 << bits - 1) - 1
    assert digits.most >= top and SignedDigits(8, digits.count - 1).most < top + 2


@pytest.mark.parametrize(("bits", "size", "terms", "held"), [
    (16, 8, 5, 32), (28, 8, 256, 32), (31, 8, 1024, 32), (60, 8, 64, 32), (28, 14, 16, 64), (20, 12, 7, 32),
])  # fmt: skip
@pytest.mark.parametrize("m", [1, 2])
def test_sums_become_residues(bits: int, size: int, terms: int, held: int, m: int) -> None:
    """For moduli of any length, sums at their ends and random ones; times v·n beside them."""
    arith, digits, rng = Arith(bits, 32), digits_for(bits, size), random.Random(bits)
    block = merge(DigitSums(arith, digits, digits, terms, held), m, terms + 1)
    low, high = -(1 << size - 1), (1 << size - 1) - 1
    for q in (3, (1 << bits - 2) + 1, (1 << bits) - 1):
        inverse, back = pow(q, -1, 1 << arith.held), pow(1 << arith.held, -1, q)
        ends = [[q // 2] * digits.count, [-(q // 2)] * digits.count]
        for numbers in (*ends, [rng.randrange(q) - q // 2 for _ in range(digits.count)]):
            for digit in (low, high, 1):
                rows = [cut_number(number, digits) for number in numbers]
                sums = [terms * digit * sum(row[at] for row in rows) for at in range(digits.count)]
                if max(map(abs, sums)) >> held - 1:
                    continue
                total = sum(each << size * at for at, each in enumerate(sums))
                for v, n in ((0, 0), (terms + 1, q - 1)):
                    given = {f"s{at}": each % (1 << held) for at, each in enumerate(sums)}
                    z = run(block, **given, q=q, qi=inverse, v=v, n=n)["z"]
                    assert z < m * q and (z - (total + v * n) * back) % q == 0


@pytest.mark.parametrize("bits", [12, 28, 31])
def test_overflows_are_nearest_integers_or_unsure(bits: int) -> None:
    arith, terms, rng = Arith(bits, 32), 5, random.Random(bits)
    inner = digits_for(bits, 8, whole=True)
    outer, e = digits_of_fractions(arith, inner), fraction_bits(arith)
    block, unsure = overflow(arith, inner, terms, 32), 0
    for _ in range(40):
        moduli = [rng.randrange(3, 1 << bits) | 1 for _ in range(terms)]
        for x in ([0] * terms, [q - 1 for q in moduli], [rng.randrange(q) for q in moduli], [q // 2 for q in moduli]):
            value = sum(number * ((1 << e) // q) for number, q in zip(x, moduli, strict=True))
            sums = cut_number(value, outer)
            found = run(block, **{f"s{at}": each % (1 << 32) for at, each in enumerate(sums)})
            exact = sum((Fraction(number, q) for number, q in zip(x, moduli, strict=True)), Fraction(1, 2)).__floor__()
            assert found["v"] == exact if not found["u"] else found["v"] - exact in (0, 1)
            unsure += found["u"]
    assert unsure < 20


def test_mixed_radices_compare_from_the_lowest_digit() -> None:
    block = above(Arith(28, 32))
    for v, c, g in ((1, 2, 0), (1, 2, 1), (2, 1, 0), (2, 2, 0), (2, 2, 1)):
        assert run(block, v=v, c=c, g=g)["z"] == int(v > c or (v == c and g == 1))


def test_engines_are_chosen_by_cost_and_exactness() -> None:
    engines = load_target("jax").engine
    arith = Arith(28, 32)
    assert engine_for(engines, arith, 256, 256).engine.name == "int8"
    few, many = (engine_for(engines, arith, 4, terms, "float32").digits.size for terms in (4, 1024))
    assert few > many
    for name in get_args(Engine):
        found = engine_for(engines, arith, 8, 512, name)
        assert 512 * found.digits.count << 2 * (found.digits.size - 1) < 1 << found.engine.exact
    assert engine_for(engines, arith, 256, 256, "int32").digits == SignedDigits(11, 3)
    assert 256 * 3 << 2 * 11 >= 1 << 31  # digits of 12 bits are too long
    with pytest.raises(MomagenError, match="exactly"):
        engine_for(engines, arith, 1, 1 << 20, "bfloat16")
    with pytest.raises(MomagenError, match="one of the engines"):
        engine_for(engines, arith, 1, 1, "int3")


def test_folds_that_no_engine_computes_are_refused() -> None:
    engines, arith = load_target("jax").engine, Arith(28, 32)
    assert fold_on(engines, arith, arith.top**2, "float64")[0].name == "float64"
    with pytest.raises(MomagenError, match="engine: expected a target with matrix engines, such as jax, got none"):
        fold_on((), arith, arith.top**2)
    with pytest.raises(MomagenError, match=r"engine: .* one of the engines int8, .*, got int3"):
        fold_on(engines, arith, arith.top**2, "int3")
    short = [each._replace(exact=8) for each in engines]
    for name, words in (("", "no engine can"), ("int8", "the engine int8 cannot")):
        with pytest.raises(MomagenError, match=f"engine: {words} fold numbers of 64 bits exactly; use another engine"):
            fold_on(short, arith, (1 << 64) - 1, name)


def test_the_reductions_of_sums_are_those_of_the_option() -> None:
    assert OPTIONS["sums"] == SUMS
