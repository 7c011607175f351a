"""Batch inversion against gmpy2: zeros among others, lengths around chains and blocks, forms, in place."""

from __future__ import annotations

import random

import gmpy2
import numpy as np
import pytest

import momagen as mg
from momagen.errors import MomagenError

WIDTHS = (31, 62, 124, 254, *(pytest.param(bits, marks=pytest.mark.slow) for bits in (381, 753)))


def inverses(xs: list[int], q: int, factor: int = 1) -> list[int]:
    """By definition; 0 for 0."""
    return [int(gmpy2.invert(x, q)) * factor % q if x else 0 for x in xs]


def some(q: int, count: int) -> list[int]:
    """Random residues, zeros and the ends of the range among them."""
    rng = random.Random(count)
    return [rng.choice((0, 1, q - 1, *[rng.randrange(q)] * 5)) for _ in range(count)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("target", ["c", "avx2", "avx512", "c32"])
def test_inverses(target: str, bits: int) -> None:
    k = mg.blas("vinv", modulus_bits=bits, target=target)
    for count in (0, 1, 2, 7, 33, 100):
        xs = some(k.modulus, count)
        assert k(xs) == inverses(xs, k.modulus)
    assert k([0] * 40) == [0] * 40 and k([k.modulus - 1] * 40) == [k.modulus - 1] * 40


@pytest.mark.parametrize(("target", "bits"), [("c", 254), ("avx2", 124)])
def test_blocks(target: str, bits: int) -> None:
    """More residues than a block has, and some: 32768 words."""
    k = mg.blas("vinv", modulus_bits=bits, target=target)
    xs = some(k.modulus, 2 * (1 << 15) // -(-bits // 64) + 3)
    assert k(xs) == inverses(xs, k.modulus)


@pytest.mark.parametrize(("bits", "k"), [(62, None), (254, None), (31, 32), (124, 127)])
def test_montgomerys_form(bits: int, k: int | None) -> None:
    """From x·R to R/x: R^2 over what was given."""
    kernel = mg.blas("vinv", modulus_bits=bits, form="montgomery", form_bits=k)
    xs, r = some(kernel.modulus, 50), 1 << (k or -(-bits // 64) * 64)
    assert kernel(xs) == inverses(xs, kernel.modulus, r * r)


@pytest.mark.thorough
def test_in_place_and_beside_words() -> None:
    k = mg.blas("vinv", modulus="pallas", target="native")
    xs = some(k.modulus, 101)
    words = np.array([[x >> 64 * w & (1 << 64) - 1 for w in range(4)] for x in xs], np.uint64)
    assert k(words, out=words) is words
    assert [sum(int(v) << 64 * w for w, v in enumerate(row)) for row in words] == inverses(xs, k.modulus)


@pytest.mark.parametrize(("bits", "target"), [(61, "avx2"), (254, "c")])
def test_verification_passes(bits: int, target: str) -> None:
    assert mg.blas("vinv", modulus_bits=bits, target=target).verify().ok


@pytest.mark.parametrize("target", ["jax", "cuda"])
def test_targets_without_it_say_so(target: str) -> None:
    with pytest.raises(MomagenError, match="target: vinv is not available on"):
        _ = mg.blas("vinv", bits=64, target=target).source


def test_a_composite_modulus_is_refused() -> None:
    with pytest.raises(MomagenError, match="modulus: expected a prime"):
        mg.blas("vinv", modulus=3 * 5)
