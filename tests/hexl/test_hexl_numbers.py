"""Number theory against Python's integers."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from built import Border, Thrown, needs_cmake

from momagen.params.primes import is_prime
from momagen.params.roots import primitive_root

pytestmark = needs_cmake
SOURCE = random.Random(17)
MODULI = [2, 3, 4, 97, 65536, (1 << 32) - 5, (1 << 52) - 47, (1 << 62) - 57, (1 << 63) - 25]
PSEUDO = [2047, 3215031751, 3825123056546413051, 318665857834031151167461 % (1 << 64), 341550071728321, 4759123141]
"""Numbers that fool the test of Miller and Rabin with few bases, and one at random."""


def pairs(q: int) -> list[tuple[int, int]]:
    edges = [(0, 0), (0, q - 1), (q - 1, q - 1), (1 % q, q - 1)]
    return edges + [(SOURCE.randrange(q), SOURCE.randrange(q)) for _ in range(50)]


@pytest.mark.parametrize("q", MODULI)
def test_arithmetic_modulo_one_word(border: Border, q: int) -> None:
    for x, y in pairs(q):
        assert border.number("multiply_mod", x, y, q) == x * y % q
        assert border.number("multiply_precon", x, y, q) == x * y % q
        assert border.number("add_mod", x, y, q) == (x + y) % q
        assert border.number("sub_mod", x, y, q) == (x - y) % q
        assert border.number("pow_mod", x, y, q) == pow(x, y, q)
        assert border.number("multiply_lazy", x, y, q) in (x * y % q, x * y % q + q)
        assert border.number("reduce128", x, y, q) == ((x << 64) + y) % q
        assert border.number("reduce64", x, q) == x % q
        if q < 1 << 52:
            assert border.number("multiply_lazy52", x, y, q) in (x * y % q, x * y % q + q)
        if q < 1 << 61:
            assert border.number("reduce8", 7 * q + x, q) == x
        for shift in (32, 52, 64):
            assert border.number("multiply_factor", x, shift, q) == (x << shift) // q % (1 << 64)


@pytest.mark.parametrize("q", [97, 99, 100, (1 << 61) - 1, (1 << 64) - 59, (1 << 64) - 1])
def test_inverses(border: Border, q: int) -> None:
    for x in {1, 2, 7, q - 1, SOURCE.randrange(q)}:
        if math.gcd(x, q) == 1:
            assert border.number("inverse_mod", x, q) == pow(x, -1, q)
        else:
            with pytest.raises(Thrown, match="InverseMod: expected a number that is coprime to the modulus"):
                border.number("inverse_mod", x, q)


@pytest.mark.parametrize(("q", "r"), [(97, 7), (97, 40), ((1 << 61) - 1, 61), ((1 << 62) - 57, 63)])
def test_montgomery(border: Border, q: int, r: int) -> None:
    for x, y in pairs(q):
        high, low = divmod(x * y, 1 << 64)
        assert border.number("montgomery", high, low, q, r) == x * y * pow(1 << r, -1, q) % q


def test_reversed_bits(border: Border) -> None:
    for width in range(65):
        x = SOURCE.getrandbits(64) % (1 << width)
        assert border.number("reverse_bits", x, width) == (int(f"{x:0{width}b}"[::-1], 2) if width else 0)


def test_primality(border: Border) -> None:
    near = [(1 << bits) + more for bits in (10, 31, 32, 33, 53, 63) for more in range(-30, 30)]
    tops = [(1 << 64) - 1 - more for more in range(60)]
    for n in [*range(2000), *near, *tops, *PSEUDO]:
        assert border.number("is_prime", n) == is_prime(n), n


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize(("count", "bits", "n"), [(5, 20, 1), (10, 50, 4096), (3, 61, 1 << 17), (1, 2, 1), (2, 63, 8)])
def test_lists_of_primes(border: Border, count: int, bits: int, n: int, small: bool) -> None:
    low, step = 1 << bits, 2 * n
    ascending = range(low + 1, 2 * low, step)
    right: list[int] = []
    for q in ascending if small else reversed(ascending):
        if len(right) < count and is_prime(q):
            right.append(q)
        if len(right) == count:
            break
    found = np.zeros(count, np.uint64)
    border("primes", found, count, bits, small, n)
    assert found.tolist() == right


@pytest.mark.parametrize(("degree", "q"), [(2, 3), (2, 97), (32, 97), (8192, 40961), (16, (1 << 61) + 1)])
def test_roots(border: Border, degree: int, q: int) -> None:
    q = next(p for p in range(q, 0, -degree) if p % degree == 1 and is_prime(p))
    least = border.number("least_root", degree, q)
    assert least == primitive_root(degree, q)
    some = border.number("some_root", degree, q)
    assert pow(some, degree // 2, q) == q - 1
    for root in (least, some, 0, 1, q - 1, least * least % q):
        assert border.number("is_root", root, degree, q) == (pow(root, degree // 2, q) == q - 1)
