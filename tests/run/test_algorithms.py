"""Transforms by every data flow, compiled and run: every algorithm, radix, order, direction and ring."""

from __future__ import annotations

from itertools import product
from random import Random

import gmpy2
import numpy as np
import pytest

from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.formula.breakdown import ALGORITHMS
from momagen.formula.transforms import digit_reversal
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.params import from_words, known_fields, to_words
from momagen.runtime.call import compile_kernel

CHOICES = list(product(ALGORITHMS, (2, 4, 8, 16), ("natural", "bitrev"), (False, True), (False, True)))
"""Algorithm, radix, order, inverse, negacyclic."""
TIGHT = (2**64 - 2**32 + 1, *(known_fields()[name].modulus for name in ("bn254-r", "bls12-381-r")))


def spec_of(target: str, n: int, choice: tuple[str, int, str, bool, bool], bits: int = 128, modulus: int = 0) -> Spec:
    algorithm, radix, order, inverse, negacyclic = choice
    return make_spec(
        "ntt", n=n, bits=None if modulus else bits, modulus=modulus or None, target=target, inverse=inverse,
        negacyclic=negacyclic, order=order, options={"algorithm": algorithm, "radix": str(radix)},
    )  # fmt: skip


def value(x: list[int], point: int, q: int) -> int:
    """Σ x_j point^j."""
    total = gmpy2.mpz(0)
    for coefficient in reversed(x):
        total = (total * point + coefficient) % q
    return int(total)


def check(spec: Spec, samples: int = 16) -> None:
    """Two transforms in one call, out of place and in place: points of the definition, both ways for the inverse."""
    n, q, random = spec.n, spec.modulus, Random(spec.name)
    plan = compile_kernel(generate(spec)).plan(q, spec.root)
    given = [random.choice((0, 1, q - 1, random.randrange(q), random.randrange(q))) for _ in range(2 * n)]
    x = to_words(given, spec.arith.words)
    y = np.zeros_like(x)
    plan.execute(y, x, count=2)
    assert from_words(x) == given, "the input was written to"
    plan.execute(x, x, count=2)
    assert np.array_equal(x, y), "in place differs"
    found = from_words(y)
    for at in (0, n):
        coefficients, values = (given, found) if not spec.inverse else (found, given)
        for i in random.sample(range(n), min(n, samples)):
            k = i if spec.order == "natural" else digit_reversal(i, n)
            point = int(gmpy2.powmod(spec.root, 2 * k + 1 if spec.negacyclic else k, q))
            assert values[at + i] == value(coefficients[at : at + n], point, q), (at, i)


def sampled(count: int, seed: int) -> list[tuple[str, int, str, bool, bool]]:
    """Choices with every algorithm as often as any other."""
    random = Random(seed)
    return [random.choice([c for c in CHOICES if c[0] == a]) for a in ALGORITHMS for _ in range(count)]


@pytest.mark.parametrize("choice", sampled(3, 1), ids=str)
def test_scalar(choice: tuple[str, int, str, bool, bool]) -> None:
    check(spec_of("c", Random(str(choice)).choice((2, 4, 8, 32, 64, 128)), choice))


@pytest.mark.parametrize("choice", sampled(1, 2), ids=str)
def test_words_only(choice: tuple[str, int, str, bool, bool]) -> None:
    check(spec_of("c64", 64, choice))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["avx2", "avx512"])
@pytest.mark.parametrize("choice", sampled(2, 3), ids=str)
def test_vector(choice: tuple[str, int, str, bool, bool], target: str) -> None:
    check(spec_of(target, Random(str(choice)).choice((16, 32, 64, 128, 256)), choice))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["c", "avx2", "avx512"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_large(algorithm: str, target: str) -> None:
    inverse = len(algorithm) % 2 == 0
    check(spec_of(target, 4096, (algorithm, 4, "natural", inverse, not inverse)), samples=4)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("target", ["c", "avx2", "avx512"])
@pytest.mark.parametrize("modulus", TIGHT)
def test_tight_moduli(modulus: int, target: str, inverse: bool) -> None:
    """Montgomery at full width, two spare bits, one spare bit."""
    check(spec_of(target, 64, ("stockham", 4, "natural", inverse, True), modulus=modulus))


def test_default_follows_the_order() -> None:
    specs = {order: make_spec("ntt", n=64, bits=64, order=order) for order in ("bitrev", "natural")}
    assert {order: spec.algorithm for order, spec in specs.items()} == {"bitrev": "ring", "natural": "stockham"}
    assert "Stockham autosort" in generate(specs["natural"]).source


def test_bad_choices() -> None:
    with pytest.raises(MomagenError, match=r"algorithm: expected one of ring, cooley_tukey, .* got fft"):
        make_spec("ntt", n=64, bits=64, options={"algorithm": "fft"})
    with pytest.raises(MomagenError, match="`algorithm` does not apply to polymul"):
        make_spec("polymul", n=64, bits=64, options={"algorithm": "stockham"})
    with pytest.raises(MomagenError, match="radix: expected one of 2, 4, 8, 16, got 3"):
        generate(spec_of("c", 64, ("stockham", 3, "natural", False, False)))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["c", "c64", "avx2", "avx512"])
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_all(choice: tuple[str, int, str, bool, bool], target: str) -> None:
    for n in (16, 64, 512) if target.startswith("avx") else (2, 16, 32, 256):
        check(spec_of(target, n, choice))
