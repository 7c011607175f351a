"""Inner products against plain integers: the largest sums, any length, parts, forms, shapes."""

from __future__ import annotations

import random
from operator import mul
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.ir import run
from momagen.kernels.elementwise.sums import ProductSums
from momagen.kernels.residues.arith import Arith

WIDTHS = (31, 62, 64, 124, 254, *(pytest.param(bits, marks=pytest.mark.slow) for bits in (381, 753)))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("target", ["c", "avx2", "avx512", "c32"])
def test_inner_products(target: str, bits: int) -> None:
    k, rng = mg.blas("dot", modulus_bits=bits, target=target), random.Random(bits)
    q = k.modulus
    for count in (0, 1, 2, 7, 33, 100):
        x, y = ([rng.choice((0, 1, q - 1, rng.randrange(q))) for _ in range(count)] for _ in range(2))
        assert k(x, y) == sum(u * v for u, v in zip(x, y, strict=True)) % q
        assert k([q - 1] * count, [q - 1] * count) == count % q


@pytest.mark.parametrize("target", ["c", "avx2"])
def test_parts(target: str) -> None:
    """At 54 bits two words hold 2^20 products: lanes take four or eight times so many, then a new part begins."""
    k = mg.blas("dot", modulus_bits=54, target=target)
    n = (4 << 20) + 7
    x = np.full(n, k.modulus - 1, np.uint64)
    assert k(x, x) == n % k.modulus


@pytest.mark.parametrize(("bits", "terms", "word"), [(3, 1, 8), (8, 2, 8), (7, 4, 8), (62, 4, 64), (124, 2, 64)])
def test_the_largest_sum_fits(bits: int, terms: int, word: int) -> None:
    """The last turn of a part, all numbers as large as they go."""
    of = ProductSums(Arith(bits, word), terms)
    top = (1 << bits) - 2
    before = (of.most - terms) * top * top
    given = {"s": before, **{f"{name}{i}": top for name in "xy" for i in range(terms)}}
    total = run(of.codelet(), given)["s"]
    assert total == before + terms * top * top < 1 << of.words * word


@pytest.mark.parametrize(("bits", "k"), [(62, None), (254, None), (31, 32), (124, 127)])
def test_montgomerys_form(bits: int, k: int | None) -> None:
    kernel, rng = mg.blas("dot", modulus_bits=bits, form="montgomery", form_bits=k), random.Random(bits)
    q, r = kernel.modulus, 1 << (k or -(-bits // 64) * 64)
    x, y = ([rng.randrange(q) for _ in range(50)] for _ in range(2))
    over = pow(r, -1, q)
    plain = sum(u * over * v * over for u, v in zip(x, y, strict=True))
    assert kernel(x, y) == plain * r % q


def test_shapes() -> None:
    """(…, n, words) gives (…, words)."""
    k = mg.blas("dot", modulus_bits=124)
    x = np.zeros((2, 3, 5, 2), np.uint64)
    x[..., 0] = np.arange(5)
    found = k(x, x)
    assert found.shape == (2, 3, 2) and (found == [30, 0]).all()
    out = np.ones((2, 3, 2), np.uint64)
    assert k(x, x, out=out) is out and (out == found).all()
    assert k([[1, 2], [3, 4]], [[1, 2], [3, 4]]) == [5, 25] and k([], []) == 0
    with pytest.raises(MomagenError, match="y: expected the shape of x"):
        k([1, 2], [1])
    with pytest.raises(MomagenError, match=r"y\[1\]: expected residues below"):
        k([1, 2], [1, k.modulus])


@pytest.mark.parametrize(("bits", "target"), [(61, "avx2"), (124, "c")])
def test_verification_passes(bits: int, target: str) -> None:
    assert mg.blas("dot", modulus_bits=bits, target=target).verify().ok


@pytest.mark.parametrize("asked", [
    {"modulus_bits": 50, "target": "avx2"}, {"modulus_bits": 124}, {"modulus_bits": 14, "target": "avx2"},
    {"modulus_bits": 20, "layout": "u32", "target": "avx2"}, {"modulus_bits": 60, "form": "montgomery"},
    {"modulus_bits": 50, "target": "c32"}, {"modulus_bits": 20, "target": "python"},
], ids=str)  # fmt: skip
def test_several_moduli(asked: dict[str, Any]) -> None:
    """One number for each row, for no elements as well; batches of arrays."""
    k, rng = mg.blas("dot", moduli=3, **asked), random.Random(1)
    assert k.verify().ok
    for n in (0, 1, 5, 300):
        x, y = ([[rng.randrange(q) for _ in range(n)] for q in k.moduli] for _ in "xy")
        over = [pow(2, -64, q) if "form" in asked else 1 for q in k.moduli]
        wanted = [sum(map(mul, *rows)) * r % q for *rows, r, q in zip(x, y, over, k.moduli, strict=True)]
        assert k(x, y) == wanted
        if n > 1 and asked["modulus_bits"] < 64:
            found = k(np.array([y, x], np.uint64), np.array([y, y], np.uint64))
            assert np.asarray(found)[1].reshape(-1).tolist() == wanted


@pytest.mark.parametrize("target", ["jax", "cuda"])
def test_targets_without_it_say_so(target: str) -> None:
    with pytest.raises(MomagenError, match="target: dot is not available on"):
        _ = mg.blas("dot", bits=64, target=target).source


def test_what_is_refused() -> None:
    with pytest.raises(MomagenError, match="modulus: expected an odd modulus"):
        mg.blas("dot", modulus=2**60)
