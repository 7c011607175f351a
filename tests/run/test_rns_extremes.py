"""Kernels on the rows of an RNS basis where quotients of products are the longest: against integers."""

from __future__ import annotations

from itertools import islice
from math import gcd, prod
from random import Random

import numpy as np
import pytest
from gmpy2 import next_prime

import momagen as mg
from momagen.params import prime_basis

TARGETS = ["c", "avx2", "avx512", "avx512ifma"]
BITS = [28, 31, 45, 50, 53, 60, 62]
COLUMNS, EACH = 1500, 3
SMALL = (2, 3, 5, 7, 8)


def pairs(bits: int, low: int, high: int) -> list[tuple[int, int]]:
    """Return moduli q and d just below 2^bits with 1/d modulo q between ``low`` and ``high`` percent of q."""
    rng = Random(f"{bits} {low}")
    tried = (((1 << bits) - rng.randrange(1, 2000), (1 << bits) - rng.randrange(1, 2000)) for _ in iter(int, 1))
    fitting = ((q, d) for q, d in tried if gcd(q, d) == 1 and low * q <= 100 * pow(d, -1, q) < high * q)
    return [*islice(fitting, EACH)]


def long_rows(moduli: tuple[int, ...], seed: int) -> list[list[int]]:
    """Return rows of residues, half of which are among the 1,000 largest."""
    rng = Random(seed)
    return [
        [q - rng.randrange(1, min(q, 1000) + 1) if rng.random() < 0.5 else rng.randrange(q) for _ in range(COLUMNS)]
        for q in moduli
    ]


def longest_goals(products: list[int], bits: int) -> list[int]:
    """Return the moduli among many just below 2^bits for which the sums of centred constants are the largest."""
    tried = [p for p in range((1 << bits) - 3001, 1 << bits, 2) if gcd(p, prod(products)) == 1]
    centred = {p: [(each + p // 2) % p - p // 2 for each in products] for p in tried}
    return sorted(tried, key=lambda p: -abs(sum(centred[p]) / p))[:4]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("inverse", [(90, 100), (45, 55), (0, 10)], ids=str)
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("target", TARGETS)
def test_divisions_by_moduli_with_any_inverse(target: str, bits: int, inverse: tuple[int, int]) -> None:
    """Residues just below moduli of full length, and inverses of the divisor next to q, q/2 and 0."""
    for q, d in pairs(bits, *inverse):
        k, half, a = mg.rescale([q, d], target=target), d // 2, pow(d, -1, q)
        x = long_rows((q, d), bits)
        expected = [(u + half - (v + half) % d) * a % q for u, v in zip(*x, strict=True)]
        assert np.array_equal(k(x), [expected]), (q, d)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("target", TARGETS)
def test_conversions_to_the_shortest_moduli(target: str, bits: int) -> None:
    """Sums of factors that are far longer than the modulus of the sum."""
    k = mg.convert(7, to=SMALL, modulus_bits=bits, target=target, method="fast")
    whole, x = prod(k.moduli), long_rows(k.moduli, bits)
    products = [whole // q for q in k.moduli]
    inverses = [pow(each, -1, q) for each, q in zip(products, k.moduli, strict=True)]
    factors = [[u * a % q for u in row] for row, a, q in zip(x, inverses, k.moduli, strict=True)]
    sums = [sum(y * each for y, each in zip(column, products, strict=True)) for column in zip(*factors, strict=True)]
    assert np.array_equal(k(x), [[each % p for each in sums] for p in SMALL])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("target", TARGETS)
def test_conversions_whose_sums_are_the_longest(target: str, bits: int) -> None:
    """Factors next to q_i, and targets p for which most constants Q/q_i modulo p are long and have one sign."""
    rng, sources = Random(bits), prime_basis(14, bits, 1)
    whole = prod(sources)
    products = [whole // q for q in sources]
    goals = longest_goals(products, bits)
    k = mg.convert(sources, to=goals, target=target, method="fast")
    factors = [[q - rng.randrange(1, 50) for _ in range(40)] for q in sources]
    x = [[y * each % q for y in row] for row, each, q in zip(factors, products, sources, strict=True)]
    sums = [sum(y * each for y, each in zip(column, products, strict=True)) for column in zip(*factors, strict=True)]
    assert np.array_equal(k(x), [[each % p for each in sums] for p in goals])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("target", TARGETS)
def test_key_switching_modulo_the_shortest_moduli(target: str, bits: int) -> None:
    """One kernel for moduli of 2 and for moduli of full length, with as many digits as a sum holds, and more.

    The digits of a column are all q - 1, all just below q/2, all just above it, or a mixture. Digits next to q/2 are
    the longest ones after they are centred.
    """
    rng, digits = Random(bits), 40
    moduli = (2, 3, 5, *prime_basis(1, bits, 1), int(next_prime(1 << bits - 1)))
    k = mg.keyswitch(moduli, target=target, digits=digits)
    ends = [[[q - 1], [q // 2], [q - q // 2], [q - 1, q // 2, q - q // 2]] for q in moduli]
    d = [[[rng.choice(row[c % 4]) for c in range(9)] for row in ends] for _ in range(digits)]
    keys = [[[[q - 1] * 9 for q in moduli] for _ in range(2)] for _ in range(digits)]
    row = [[sum(d[j][i][c] * (q - 1) for j in range(digits)) % q for c in range(9)] for i, q in enumerate(moduli)]
    expected = [row, row]
    assert np.array_equal(k(d, keys), expected)
