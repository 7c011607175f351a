"""Primes and roots that a C library finds: those that Python takes where nothing is said."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.params import primitive_root
from momagen.params.primes import is_prime, prime_basis, prime_of
from momagen.runtime import compile_shared, load
from momagen.runtime.compiler import find_compiler

pytestmark = pytest.mark.compiles

OK, BAD_MODULUS, BAD_ROOT, NULL_POINTER, BAD_SIZE = "OK", "BAD_MODULUS", "BAD_ROOT", "NULL_POINTER", "BAD_SIZE"
CODES = ("OK", "BAD_MODULUS", "BAD_ROOT", "NO_MEMORY", "NULL_POINTER", "BAD_SIZE", "NO_VARIANT")
ROOM = 2112
"""Bits of the arrays."""


class Finder:
    """The two functions of a library of one kernel."""

    def __init__(self, target: str) -> None:
        texts = mg.library("mine", ["vadd:bits=64"], targets=[target]).files
        includes = {"mine.h": texts["include/mine.h"]}
        path = compile_shared(
            texts["src/mine_params.c"], name="params", flags=["-std=c99", "-Wall", "-Wextra", "-Werror"],
            includes=includes, compiler=find_compiler(None),
        )  # fmt: skip
        self.library, self.word = load(path), 32 if target == "c32" else 64
        self.words = ROOM // self.word

    def _array(self, value: int = 0) -> Any:
        kind = ctypes.c_uint32 if self.word == 32 else ctypes.c_uint64
        return (kind * self.words)(*(value >> self.word * i & (1 << self.word) - 1 for i in range(self.words)))

    def _number(self, array: Any) -> int:
        return sum(digit << self.word * i for i, digit in enumerate(array))

    def prime(self, bits: int, n: int, words: int | None = None) -> tuple[str, int]:
        q = self._array()
        count = self.words if words is None else words
        code = self.library.mine_find_prime(q, *map(ctypes.c_size_t, (count, bits, n)))
        return CODES[code], self._number(q)

    def previous(self, q: int, n: int, words: int | None = None) -> tuple[str, int]:
        found = self._array(q)
        count = self.words if words is None else words
        code = self.library.mine_previous_prime(found, ctypes.c_size_t(count), ctypes.c_size_t(n))
        return CODES[code], self._number(found)

    def root(self, q: int, order: int) -> tuple[str, int]:
        root = self._array()
        code = self.library.mine_find_root(root, self._array(q), ctypes.c_size_t(self.words), ctypes.c_size_t(order))
        return CODES[code], self._number(root)


@pytest.fixture(scope="module", params=["c", "c32"])
def finder(request: pytest.FixtureRequest) -> Finder:
    return Finder(request.param)


def wanted(find: Callable[[], int]) -> tuple[str, int]:
    try:
        return OK, find()
    except MomagenError:
        return BAD_MODULUS, 0


@pytest.mark.parametrize("n", [1, 2, 16, 1024, 1 << 20])
def test_primes_are_those_of_python(finder: Finder, n: int) -> None:
    for bits in (*range(2, 40), 50, 60, 63, 64, 65, 124, 128, 252, 384):
        assert finder.prime(bits, n) == wanted(lambda bits=bits: prime_of(bits, n)), (bits, n)  # type: ignore[misc]


@pytest.mark.parametrize(("bits", "n"), [(753, 1 << 15), (1024, 4096), (2048, 1)])
def test_long_primes(finder: Finder, bits: int, n: int) -> None:
    assert finder.prime(bits, n) == (OK, prime_of(bits, n))


@pytest.mark.parametrize("n", [1, 2, 16, 1024])
def test_previous_primes_are_those_of_python(finder: Finder, n: int) -> None:
    for bits in (3, 6, 13, 20, 32, 33, 60, 64, 124):
        below = [q for q in range((1 << bits) - 2 * n + 1, 1 << bits - 1, -2 * n) if is_prime(q)] if bits < 21 else (
            prime_basis(4, bits, n)
        )  # fmt: skip
        for q, right in pairwise(below):
            assert finder.previous(q, n) == finder.previous(q - 1, n) == (OK, right), (q, n)
        if bits < 21 and below:
            assert finder.previous(below[-1], n)[0] == BAD_MODULUS


def test_previous_primes_that_there_are_not(finder: Finder) -> None:
    assert finder.previous(97, 3)[0] == finder.previous(97, 0)[0] == BAD_SIZE
    assert finder.previous(0, 1)[0] == finder.previous(1, 1)[0] == finder.previous(2, 1)[0] == BAD_MODULUS
    assert finder.previous(97, 1 << 20)[0] == BAD_MODULUS
    assert CODES[finder.library.mine_previous_prime(None, ctypes.c_size_t(1), ctypes.c_size_t(1))] == NULL_POINTER


@pytest.mark.parametrize("order", [1, 2, 4, 8, 64, 4096])
def test_roots_are_those_of_python(finder: Finder, order: int) -> None:
    rng = random.Random(order)
    moduli = [prime_of(bits, max(order // 2, 1)) for bits in (14, 32, 50, 64, 124, 255, 753)]
    moduli += [q for q in (3, 5, 17, 97, 257, 65537, 2**64 - 2**32 + 1) if (q - 1) % order == 0]
    for q in rng.sample(moduli, len(moduli)):
        assert finder.root(q, order) == (OK, primitive_root(order, q)), (q, order)


def test_what_is_refused(finder: Finder) -> None:
    assert finder.prime(60, 3) == finder.prime(60, 0) == (BAD_SIZE, 0)
    assert finder.prime(129, 1, words=128 // finder.word)[0] == BAD_SIZE
    assert finder.prime(1, 1)[0] == finder.prime(2049, 1)[0] == finder.prime(8, 1 << 20)[0] == BAD_MODULUS
    assert finder.prime(64, 1 << 63)[0] == BAD_MODULUS
    for composite in (0, 1, 2, 4, 9, 341, 561, 97 * 193, 3215031751, 3825123056546413051, (2**61 - 1) * (2**89 - 1)):
        assert finder.root(composite, 2)[0] == BAD_MODULUS, composite
    assert finder.root(97, 3)[0] == finder.root(97, 0)[0] == finder.root(97, 1 << 33)[0] == BAD_SIZE
    assert finder.root(97, 64)[0] == finder.root(97, 1 << 20)[0] == BAD_ROOT
    assert CODES[finder.library.mine_find_prime(None, ctypes.c_size_t(1), ctypes.c_size_t(60), ctypes.c_size_t(1))] == (
        NULL_POINTER
    )
