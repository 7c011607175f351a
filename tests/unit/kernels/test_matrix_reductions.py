"""Reductions of sums of digits besides Montgomery's, and sparse matrices, on integers: blocks before any rule."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from momagen.emit.jax.numbers import cut, spread
from momagen.errors import MomagenError
from momagen.ir import Block
from momagen.ir.interp import run as interpreted
from momagen.kernels.matrices.digits import SignedDigits, digits_for
from momagen.kernels.matrices.folds import Fold, check_room, folded, product_parted, sums_parted
from momagen.kernels.matrices.merge import least_modulus, merge, merge_by_quotient
from momagen.kernels.matrices.sums import DigitSums
from momagen.kernels.residues.arith import Arith


def cut_number(number: int, digits: SignedDigits) -> list[int]:
    """Its signed digits, by division."""
    half = 1 << digits.size - 1
    return [(number + digits.least >> digits.size * at) % (2 * half) - half for at in range(digits.count)]


def run(block: Block, q: int, **given: int) -> dict[str, int]:
    """The outputs of a block; of what it derives, the constants of q."""
    return interpreted(block, {name: {"q": q, **given}[name] for name in block.inputs})


def rows(bits: int, digits: SignedDigits, rng: random.Random) -> Iterator[tuple[int, list[int], list[int]]]:
    """A modulus, elements of a row around 0, and what is multiplied, as large as digits go and random."""
    for q in (1 << bits - 1 | 1, (1 << bits) - 1):
        ends = [q // 2, -(q // 2), 1]
        for _ in range(4):
            yield (
                q,
                [rng.choice([*ends, rng.randrange(q) - q // 2]) for _ in range(5)],
                [rng.choice([digits.most, -digits.least, rng.randrange(-digits.least, digits.most)]) for _ in range(5)],
            )


def sums_of(sums: DigitSums, q: int, row: list[int], column: list[int]) -> list[int]:
    """What an engine gives, as words, by integers."""
    size, found = sums.inner.size, [0] * sums.count
    for a, x in zip(row, column, strict=True):
        for j, digit in enumerate(cut_number(x, sums.inner)):
            lifted = a if sums.sparse else ((a << size * j) + q // 2) % q - q // 2
            for i, other in enumerate(cut_number(lifted, sums.outer)):
                found[i + j * sums.sparse] += digit * other
    assert all(abs(each) < 1 << sums.held - 1 for each in found)
    return [each % (1 << sums.held) for each in found]


SIZES = [(28, 8, 32), (30, 8, 32), (20, 8, 32), (28, 12, 64), (60, 8, 32)]


@pytest.mark.parametrize(("bits", "size", "held"), SIZES)
def test_quotients_reduce_sums(bits: int, size: int, held: int) -> None:
    arith, digits = Arith(bits, 32 if bits < 32 else 64), digits_for(bits, size)
    sums = DigitSums(arith, digits, digits, 5, max(held, arith.word))
    assert least_modulus(sums) <= 1 << bits - 1
    for m in (1, 2):
        block = merge_by_quotient(sums, m)
        for q, row, column in rows(bits, digits, random.Random(bits)):
            words = dict(zip(sums.names, sums_of(sums, q, row, column), strict=True))
            z = run(block, q, **words)["z"]
            assert z < m * q and (z - sum(a * x for a, x in zip(row, column, strict=True))) % q == 0


@pytest.mark.parametrize(("bits", "size", "held"), SIZES)
def test_sparse_rows_are_reduced(bits: int, size: int, held: int) -> None:
    arith, digits = Arith(bits, 32 if bits < 32 else 64), digits_for(bits, size)
    sums = DigitSums(arith, digits, digits, 5, max(held, arith.word), sparse=True)
    assert sums.count == 2 * digits.count - 1
    block = merge(sums, 1)
    for q, row, column in rows(bits, digits, random.Random(bits)):
        inverse, back = pow(q, -1, 1 << sums.radix), pow(1 << sums.radix, -1, q)
        words = dict(zip(sums.names, sums_of(sums, q, row, column), strict=True))
        z = run(block, q, **words, qi=inverse)["z"] if "qi" in block.inputs else run(block, q, **words)["z"]
        assert z == sum(a * x for a, x in zip(row, column, strict=True)) * back % q


def fold_sums(fold: Fold, q: int, parts: dict[str, int], word: int) -> dict[str, int]:
    """What the engine gives for the digits of a high part, by integers."""
    found = [0] * fold.sums.count
    for j in range(fold.digits.count):
        digit = parts[f"d{j}"] - (parts[f"d{j}"] >> word - 1 << word)
        assert -(1 << fold.size - 1) <= digit < 1 << fold.size - 1
        power = ((1 << fold.bit + fold.size * j) + q // 2) % q - q // 2
        for i, other in enumerate(cut_number(power, fold.outer)):
            found[i] += digit * other
    return {f"s{i}": each % (1 << fold.held) for i, each in enumerate(found)}


@pytest.mark.parametrize("bits", [3, 16, 28, 30, 60, 62])
def test_high_parts_are_folded_in(bits: int) -> None:
    """What comes out is x·y modulo q, also for moduli that are shorter."""
    word = 32 if bits < 31 else 64
    arith, rng = Arith(bits, word), random.Random(bits)
    fold = Fold(arith, arith.top**2, 8, word)
    before, behind = product_parted(fold, 1), folded(fold, 1)
    for q in {3, 1 << bits - 1 | 1, (1 << bits) - 1}:
        for x in (0, 1, q - 1, rng.randrange(q)):
            y = rng.choice([q - 1, rng.randrange(q)])
            parts = run(before, q, x=x, y=y)
            assert run(behind, q, low=parts["low"], **fold_sums(fold, q, parts, word))["z"] == x * y % q


def test_sums_are_folded() -> None:
    arith, digits = Arith(28, 32), digits_for(28, 8)
    sums = DigitSums(arith, digits, digits, 5, 32)
    fold = Fold(arith, (arith.top << sums.gain() + 1) + 1, 8, 32)
    before, behind = sums_parted(sums, fold), folded(fold, 1)
    for q, row, column in rows(28, digits, random.Random(1)):
        words = dict(zip(sums.names, sums_of(sums, q, row, column), strict=True))
        parts = run(before, q, **words)
        z = run(behind, q, low=parts["low"], **fold_sums(fold, q, parts, 32))["z"]
        assert z == sum(a * x for a, x in zip(row, column, strict=True)) % q


def test_moduli_that_nearly_fill_their_words_are_not_folded() -> None:
    with pytest.raises(MomagenError, match="at most 30 bits"):
        check_room(Arith(31, 32))


@pytest.mark.parametrize("q", [3, 97, (1 << 31) - 1, (1 << 31) + 11, (1 << 61) - 1, (1 << 127) - 1])
@pytest.mark.parametrize(("size", "count"), [(8, 4), (25, 3), (8, 16), (4, 40)])
def test_digits_of_any_count_make_the_number_up(q: int, size: int, count: int) -> None:
    """Also short moduli by many digits, where a kernel serves longer ones."""
    import numpy as np

    if q >> size * count - 1:
        return
    numbers = [0, 1, q // 2, q // 2 + 1, q - 1]
    table = cut(np.array([numbers], object), q, 3, size, count, np.int64, 1)
    for at, number in enumerate(numbers):
        digits = [int(digit) for digit in table[:, at]]
        assert all(-(1 << size - 1) <= digit < 1 << size - 1 for digit in digits)
        assert sum(digit << size * i for i, digit in enumerate(digits)) == (3 * number + q // 2) % q - q // 2


def test_tables_hold_the_digits_of_a_scalar() -> None:
    """Algorithm 5 of CROSS: column k of a dense table is a·2^(8·k) modulo q, of a sparse one a, k rows further down."""
    import numpy as np

    q, a = (1 << 28) - 57, 123_456_789
    one = np.array([[a]], object)
    dense, sparse = cut(one, q, 1, 8, 4, np.int8), spread(one, q, 1, 8, 4, np.int8)
    assert dense.shape == (4, 4) and sparse.shape == (7, 4)
    for k in range(4):
        for matrix, wanted in ((dense, (a << 8 * k) % q), (sparse, a << 8 * k)):
            number = sum(int(digit) << 8 * i for i, digit in enumerate(matrix[:, k]))
            assert number % q == wanted % q
        assert list(np.flatnonzero(sparse[:, k] == 0)) == [i for i in range(7) if not k <= i < k + 4]
