"""Transforms against their definition: every length, both directions, factors, roots, tables, memory, threads."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from built import LONGEST, Border, Thrown, Transform, Vector, needs_cmake

from momagen.params.primes import is_prime
from momagen.params.roots import primitive_root

pytestmark = needs_cmake
LENGTHS = [1 << k for k in range(1, LONGEST.bit_length())]
BITS = (0, 20, 27, 30, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 56, 60, 61, 62)


def prime(n: int, bits: int) -> int:
    """The largest prime of so many bits that has roots of order 2n; the smallest of all for 0 bits."""
    step = 2 * n
    down = range(((1 << bits) - 2) // step * step + 1, 1, -step) if bits else range(step + 1, 1 << 40, step)
    return next(q for q in down if is_prime(q))


def reversed_bits(j: int, n: int) -> int:
    return int(f"{j + n:b}"[:0:-1], 2) if n > 1 else 0


def values(x: list[int], q: int, root: int) -> list[int]:
    """The definition: position j holds x at root^(2 brv(j) + 1)."""
    n = len(x)
    powers = [1]
    for _ in range(2 * n - 1):
        powers.append(powers[-1] * root % q)
    points = [2 * reversed_bits(j, n) + 1 for j in range(n)]
    return [sum(c * powers[point * i % (2 * n)] for i, c in enumerate(x)) % q for point in points]


def drawn(n: int, top: int, seed: int) -> list[int]:
    source = random.Random(seed)
    return [source.choice((0, top - 1)) if source.random() < 0.3 else source.randrange(top) for _ in range(n)]


def vector(numbers: list[int]) -> Vector:
    return np.array(numbers, dtype=np.uint64)


@pytest.mark.parametrize("n", LENGTHS)
def test_both_directions_with_every_factor(border: Border, n: int) -> None:
    for bits in BITS if n <= 64 else (0, 46, 47, 48, 49, 50, 52, 61, 62):
        q = prime(n, bits)
        root = primitive_root(2 * n, q)
        ntt = Transform(border, n, q)
        for factor in (1, 2, 4):
            x = drawn(n, factor * q, bits)
            right = values([number % q for number in x], q, root)
            for to in (1, 4):
                for in_place in (False, True):
                    assert ntt.run("forward", vector(x), factor, to, in_place=in_place).tolist() == right, (q, factor)
        for factor in (1, 2):
            given = [y + q * random.Random(n).randrange(factor) for y in right]
            for to in (1, 2):
                for in_place in (False, True):
                    back = ntt.run("inverse", vector(given), factor, to, in_place=in_place)
                    assert back.tolist() == [number % q for number in x], (q, factor)


@pytest.mark.parametrize("n", [2, 8, 128])
def test_every_root_of_the_order(border: Border, n: int) -> None:
    q = prime(n, 45)
    least = primitive_root(2 * n, q)
    x = drawn(n, q, n)
    for exponent in {1, 3, n - 1, 2 * n - 1, n + 1}:
        root = pow(least, exponent, q)
        ntt = Transform(border, n, q, root)
        y = ntt.run("forward", vector(x))
        assert y.tolist() == values(x, q, root) and ntt.run("inverse", y).tolist() == x
        assert ntt.numbers() == [n, q, root]
    assert Transform(border, n, q).numbers() == [n, q, least]


def test_there_is_no_modulus_between_the_kernels(border: Border) -> None:
    """Primes beside every power of two: whichever kernel serves them, values are right."""
    n = 8
    x = drawn(n, 17, 1)
    for bits in range(5, 63):
        step, top = 2 * n, 1 << bits
        for candidates in (range(top + 1, min(2 * top, 1 << 62), step), range(top - step + 1, 1, -step)):
            q = next(filter(is_prime, candidates), 17)
            ntt = Transform(border, n, q)
            y = ntt.run("forward", vector([number % q for number in x]))
            assert y.tolist() == values(x, q, primitive_root(2 * n, q)), q
            assert ntt.run("inverse", y).tolist() == [number % q for number in x], q


@pytest.mark.parametrize("n", [2, 4, 8, 64])
def test_tables_of_powers(border: Border, n: int) -> None:
    q = prime(n, 40)
    root, ntt = primitive_root(2 * n, q), Transform(border, n, q)
    powers = [pow(root, reversed_bits(j, n), q) for j in range(n)]
    inverses = [pow(power, -1, q) for power in powers]
    repeated = [power for j, power in enumerate(powers) for _ in range(
        1 if j >= n // 2 or j < n // 8 else 2 if j >= n // 4 else 4)]  # fmt: skip
    ordered = [inverses[0]]
    for k in reversed(range(n.bit_length() - 1)):
        ordered += inverses[1 << k : 2 << k]
    right = [(powers, (32, 64)), (repeated, (32, 52, 64)), (ordered, (32, 52, 64))]
    wanted = [table for plain, shifts in right for table in
              (plain, *([(power << shift) // q for power in plain] for shift in shifts))]  # fmt: skip
    assert [ntt.table(which) for which in range(len(wanted))] == wanted


def test_copies_moves_and_maps(border: Border) -> None:
    n, q = 64, prime(64, 50)
    x = drawn(n, q, 3)
    border("kept", n, q, vector(x), vector(values(x, q, primitive_root(2 * n, q))))


def test_memory_comes_from_the_allocator_and_goes_back(border: Border) -> None:
    counts = np.zeros(6, np.uint64)
    border("allocators", 256, prime(256, 50), counts)
    made, table, held, given, taken, left = (int(count) for count in counts)
    assert 0 < made < table < given and held >= 256 * 8
    assert taken == given and left == 0


def test_where_memory_ends_it_says_so_and_nothing_leaks(border: Border) -> None:
    for limit in (0, 1):
        with pytest.raises(Thrown, match=r"^bad_alloc"):
            border("starved", 64, prime(64, 50), limit)
    border("starved", 64, prime(64, 50), 100)


def test_threads_share_one_object(border: Border) -> None:
    n, q = LONGEST, prime(LONGEST, 60)
    ntt, x = Transform(border, n, q), drawn(n, q, 5)
    right = ntt.run("forward", vector(x)).tolist()

    def one(i: int) -> None:
        for in_place in (False, True):
            y = ntt.run("forward", vector(x), 1 + i % 2, in_place=in_place)
            assert y.tolist() == right and ntt.run("inverse", y, 1 + i % 2, in_place=in_place).tolist() == x
        assert ntt.table(i % 11) == tables[i % 11]

    tables = [Transform(border, n, q).table(which) for which in range(11)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(one, range(200)))
