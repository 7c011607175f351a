"""Element by element against Python's integers: factors at their edges, moduli odd and even at each class's borders."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from built import Border, Vector, needs_cmake

pytestmark = needs_cmake
TOP = 1 << 64
BORDERS = (14, 15, 26, 30, 36, 44, 46, 47, 48, 49, 50, 51, 52, 56, 60, 61, 62, 63)
MODULI = sorted(
    {2, 3, 4, 5, 7, 8, 12, 97, 769, 65536, 65537, (1 << 63) - 1, 3 << 48, 3 << 58, 5 << 57, 10**15, 10**18 + 9}
    | {(1 << bits) + more for bits in BORDERS for more in (-2, -1, 0, 1, 2)}
)
LENGTHS = (1, 2, 7, 8, 9, 64, 511, 512, 513, 1031, 3107)
"""The vectors of the longest calls do not fit the first-level cache, so that some kernels use another loop."""
COMPARISONS: dict[int, Callable[[int, int], bool]] = {
    0: lambda x, b: x == b, 1: lambda x, b: x < b, 2: lambda x, b: x <= b, 3: lambda x, b: False,
    4: lambda x, b: x != b, 5: lambda x, b: x >= b, 6: lambda x, b: x > b, 7: lambda x, b: True,
}  # fmt: skip


def below(bound: int) -> Iterator[tuple[int, int]]:
    """Every modulus that is, with a length; all lengths come in turn."""
    for at, q in enumerate(q for q in MODULI if 2 <= q < bound):
        yield q, LENGTHS[at % len(LENGTHS)]
    yield 97, 0


def drawn(n: int, top: int, seed: int) -> list[int]:
    """Numbers below ``top``: its edges, its multiples' neighbours, and random ones."""
    source = random.Random(seed)
    edges = [0, top - 1, top // 2, min(1, top - 1), max(top // 4 - 1, 0)]
    return [source.choice(edges) if source.random() < 0.3 else source.randrange(top) for _ in range(n)]


def pairs(x: list[int], y: list[int]) -> Iterator[tuple[int, int]]:
    return zip(x, y, strict=True)


def vector(numbers: Sequence[int]) -> Vector:
    return np.array(numbers, dtype=np.uint64)


def check(border: Border, name: str, x: list[int], more: Sequence[object], right: list[int]) -> None:
    """The function gives what is right out of place, and in place of its first vector; other operands stay."""
    z = vector([TOP - 1] * (len(x) + 1))
    given = vector(x)
    border(name, z, given, *more)
    assert z.tolist() == [*right, TOP - 1] and given.tolist() == x
    border(name, given, given, *more)
    assert given.tolist() == right


@pytest.mark.sampled(2)
def test_sums_and_differences(border: Border) -> None:
    for q, n in below(1 << 63):
        x, y = drawn(n, q, 1), drawn(n, q, 2)
        sums, differences = [(a + b) % q for a, b in pairs(x, y)], [(a - b) % q for a, b in pairs(x, y)]
        check(border, "add", x, [vector(y), n, q], sums)
        check(border, "sub", x, [vector(y), n, q], differences)
        second = vector(y)
        border("sub", second, vector(x), second, n, q)
        assert second.tolist() == differences
        for a in {0, 1, q - 1, q // 2}:
            check(border, "adds", x, [a, n, q], [(number + a) % q for number in x])
            check(border, "subs", x, [a, n, q], [(number - a) % q for number in x])


@pytest.mark.parametrize("factor", [1, 2, 4])
def test_products(border: Border, factor: int) -> None:
    for q, n in below((1 << 63) // factor):
        x, y = drawn(n, factor * q, 3), drawn(n, factor * q, 4)
        right = [a * b % q for a, b in pairs(x, y)]
        check(border, "mult", x, [vector(y), n, q, factor], right)
        second = vector(y)
        border("mult", second, vector(x), second, n, q, factor)
        assert second.tolist() == right
        square = vector(x)
        border("mult", square, square, square, n, q, factor)
        assert square.tolist() == [a * a % q for a in x]


@pytest.mark.parametrize("factor", [1, 2, 4, 8])
def test_scaled_sums(border: Border, factor: int) -> None:
    for q, n in below(1 << 61):
        x, y = drawn(n, factor * q, 5), drawn(n, factor * q, 6)
        for a in {0, 1, q - 1, factor * q - 1}:
            check(border, "fma_", x, [a, None, n, q, factor], [a * number % q for number in x])
            right = [(a * b + c) % q for b, c in pairs(x, y)]
            check(border, "fma_", x, [a, vector(y), n, q, factor], right)
            third = vector(y)
            border("fma_", third, vector(x), a, third, n, q, factor)
            assert third.tolist() == right


@pytest.mark.parametrize("to", [1, 2])
@pytest.mark.parametrize("start", [0, 1, 2, 4])
def test_reductions(border: Border, start: int, to: int) -> None:
    """Factor 0 stands for the modulus itself: any number. Where no factor falls, elements stay as they are."""
    for q, n in below(1 << 63):
        x = drawn(n, min(start * q, TOP) or TOP, 7)
        check(border, "reduce", x, [n, q, start or q, to], [number % (to * q) for number in x])


@pytest.mark.parametrize("cmp", COMPARISONS)
def test_comparisons(border: Border, cmp: int) -> None:
    holds = COMPARISONS[cmp]
    for q, n in below(1 << 63):
        x = drawn(n, TOP, 8)
        for bound in {0, 1, q, TOP - 1, *x[:1]}:
            for diff in {0, 1, q - 1}:
                right = [(number - diff * holds(number, bound)) % q for number in x]
                check(border, "cmpsub", x, [n, q, cmp, bound, diff], right)
    for n in LENGTHS:
        x = drawn(n, TOP, 9)
        for bound in {0, 1, TOP - 1, *x[:2]}:
            for diff in (0, 1, TOP - 1):
                right = [(number + diff * holds(number, bound)) % TOP for number in x]
                check(border, "cmpadd", x, [n, cmp, bound, diff], right)


def test_more_moduli_than_the_table_has_places(border: Border) -> None:
    """By then calls have plans of their own; threads fill the table at the same time."""
    x, y = drawn(9, 1 << 40, 10), drawn(9, 1 << 40, 11)

    def one(i: int) -> None:
        q = (1 << 41) + 977 * i
        check(border, "mult", x, [vector(y), 9, q, 1], [a * b % q for a, b in pairs(x, y)])
        check(border, "mult", x[:3], [vector(y), 3, q, 1], [a * b % q for a, b in pairs(x[:3], y[:3])])

    with ThreadPoolExecutor(8) as threads:
        for _ in range(2):
            list(threads.map(one, range(1500)))
