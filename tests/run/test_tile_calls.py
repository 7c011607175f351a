"""Transforms in tiles, called as users may: many at once, in place, aligned to a word and no more."""

from __future__ import annotations

from random import Random

import gmpy2
import numpy as np
import pytest

from momagen.build.call import compile_kernel
from momagen.emit import generate
from momagen.emit.tiles import tiled
from momagen.kernels.roots import digit_reversal
from momagen.kernels.spec import Spec, make_spec
from momagen.params import from_words, to_words

Case = tuple[int, int, bool, bool]
CASES: list[Case] = [
    (64, 60, False, False), (64, 381, True, True), (64, 124, True, False), (128, 124, False, True),
    (128, 753, True, False), (512, 60, True, True), (512, 252, False, False), (1024, 124, True, True),
    (1024, 381, False, True), (1024, 753, False, False), (1024, 252, True, False), (512, 108, False, False),
]  # fmt: skip
"""Points, bits of the modulus, inverse, negacyclic."""
COUNT = 3


def spec_of(target: str, case: Case) -> Spec:
    n, bits, inverse, negacyclic = case
    return make_spec("ntt", n=n, bits=bits + 4, target=target, inverse=inverse, negacyclic=negacyclic)


def shifted(words: np.ndarray) -> np.ndarray:
    """The same words, eight bytes beyond an address that vectors like."""
    room = np.zeros(words.size + 16, dtype=np.uint64)
    start = -(room.ctypes.data // 8) % 8 + 1
    result = room[start : start + words.size].reshape(words.shape)
    result[...] = words
    assert result.ctypes.data % 64 == 8
    return result


def value(x: list[int], point: int, q: int) -> int:
    """Σ x_j point^j."""
    total = gmpy2.mpz(0)
    for coefficient in reversed(x):
        total = (total * point + coefficient) % q
    return int(total)


def check(spec: Spec) -> None:
    n, q, random = spec.n, spec.modulus, Random(spec.name)
    source = generate(spec)
    assert "digits of" in " ".join(source.notes)
    plan = compile_kernel(source).plan(q, spec.root)
    given = [random.choice((0, 1, q - 1, random.randrange(q), random.randrange(q))) for _ in range(COUNT * n)]
    x = shifted(to_words(given, spec.arith.words))
    y = shifted(np.zeros_like(x))
    plan.execute(y, x, count=COUNT)
    assert from_words(x) == given, "the input was written to"
    plan.execute(x, x, count=COUNT)
    assert np.array_equal(x, y), "in place differs"
    found = from_words(y)
    for at in range(0, COUNT * n, n):
        coefficients, values = (given, found) if not spec.inverse else (found, given)
        for i in random.sample(range(n), 8):
            k = digit_reversal(i, n)
            point = int(gmpy2.powmod(spec.root, 2 * k + 1 if spec.negacyclic else k, q))
            assert values[at + i] == value(coefficients[at : at + n], point, q), (at, i)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_digits_of_52_bits(case: Case) -> None:
    check(spec_of("avx512ifma", case))


@pytest.mark.parametrize("case", [case for case in CASES if tiled(spec_of("avx512", case))], ids=str)
def test_digits_of_28_bits(case: Case) -> None:
    check(spec_of("avx512", case))


@pytest.mark.parametrize("case", [CASES[0], CASES[3], CASES[8]], ids=str)
def test_without_the_instructions(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain C in place of the multiply-adds that a CPU lacks."""
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512ifma")
    assert "avx512ifma" in compile_kernel(generate(spec_of("avx512ifma", (64, 60, False, False)))).missing
    check(spec_of("avx512ifma", case))
