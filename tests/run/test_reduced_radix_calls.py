"""Transforms in tiles or steps, called as users may: many at once, in place, aligned to a word and no more."""

from __future__ import annotations

import ctypes
import platform
import re
from random import Random

import gmpy2
import numpy as np
import pytest

from momagen.emit import generate
from momagen.formula.transforms import digit_reversal
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.params import from_words, to_words
from momagen.plan.choices import tiled
from momagen.runtime.call import compile_kernel

Case = tuple[int, int, bool, bool]
CASES: list[Case] = [
    (64, 60, False, False), (64, 381, True, True), (64, 124, True, False), (128, 124, False, True),
    (128, 753, True, False), (512, 60, True, True), (512, 252, False, False), (1024, 124, True, True),
    (1024, 381, False, True), (1024, 753, False, False), (1024, 252, True, False), (512, 108, False, False),
    (64, 50, False, False), (1024, 50, True, True), (1024, 48, False, True), (4096, 50, False, False),
    (4096, 50, True, False), (128, 51, True, True),
]  # fmt: skip
"""Points, bits of the modulus, inverse, negacyclic."""
COUNT = 3


def spec_of(target: str, case: Case, order: str = "bitrev") -> Spec:
    n, bits, inverse, negacyclic = case
    return make_spec("ntt", n=n, bits=bits + 4, target=target, inverse=inverse, negacyclic=negacyclic, order=order)


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
    held = r"radix 2\^52|52-bit products" if str(spec.target) == "avx512ifma" else "floating-point limb"
    assert re.search(held, " ".join(source.notes))
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
            k = i if spec.order == "natural" else digit_reversal(i, n)
            point = int(gmpy2.powmod(spec.root, 2 * k + 1 if spec.negacyclic else k, q))
            assert values[at + i] == value(coefficients[at : at + n], point, q), (at, i)


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=str)
def test_digits_of_52_bits(case: Case) -> None:
    check(spec_of("avx512ifma", case))


@pytest.mark.parametrize("case", CASES[:6], ids=str)
def test_natural_order(case: Case) -> None:
    check(spec_of("avx512ifma", case, "natural"))


@pytest.mark.thorough
@pytest.mark.parametrize("case", [(16, 252, True, False), (256, 381, False, True), (512, 252, True, True)], ids=str)
def test_natural_order_in_four_lanes(case: Case) -> None:
    check(spec_of("avx2", case, "natural"))


@pytest.mark.thorough
@pytest.mark.parametrize("case", [case for case in CASES if tiled(spec_of("avx2", case))], ids=str)
def test_digits_in_doubles(case: Case) -> None:
    check(spec_of("avx2", case))


@pytest.mark.thorough
@pytest.mark.parametrize("case", [CASES[2], CASES[8]], ids=str)
def test_eight_doubles(case: Case) -> None:
    check(spec_of("avx512", case))


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the modes are those of x86")
@pytest.mark.parametrize("mode", [0x400, 0x800, 0xC00], ids=["down", "up", "to zero"])
def test_doubles_whatever_the_rounding_mode(mode: int) -> None:
    """A kernel rounds to nearest, and leaves the mode as it was."""
    spec = spec_of("avx2", (64, 124, False, False))
    plan = compile_kernel(generate(spec)).plan(spec.modulus, spec.root)
    x = to_words([Random(i).randrange(spec.modulus) for i in range(64)], 2)
    y, z = np.zeros_like(x), np.zeros_like(x)
    plan.execute(y, x, count=1)
    libm = ctypes.CDLL("libm.so.6")
    assert libm.fesetround(mode) == 0
    try:
        plan.execute(z, x, count=1)
        assert libm.fegetround() == mode
    finally:
        libm.fesetround(0)
    assert np.array_equal(y, z)


@pytest.mark.parametrize("case", [CASES[0], CASES[3], CASES[8], CASES[12]], ids=str)
def test_without_the_instructions(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain C in place of the multiply-adds that a CPU lacks."""
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512ifma")
    assert "avx512ifma" in compile_kernel(generate(spec_of("avx512ifma", (64, 60, False, False)))).missing
    check(spec_of("avx512ifma", case))
