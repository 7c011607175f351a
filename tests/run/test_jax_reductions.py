"""How products become residues otherwise: Barrett's reduction of sums, folding, sparse matrices, convolutions."""

from __future__ import annotations

import random
from typing import Any

import pytest

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError

jax = pytest.importorskip("jax")

Q = (1 << 28) - 57
PRODUCTS = [
    {"sparse": True}, {"sums": "barrett"}, {"sums": "folded"}, {"sums": "folded", "sparse": True},
    {"sums": "folded", "engine": "float64"}, {"sparse": True, "engine": "float32"},
    {"sums": "barrett", "target": "jax_tpu"},
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("asked", PRODUCTS)
@pytest.mark.parametrize(("q", "rows", "inner"), [(Q, 4, 37), (Q, 1, 1), ((1 << 60) - 93, 3, 5)])
def test_matrices_are_multiplied(asked: dict[str, Any], q: int, rows: int, inner: int) -> None:
    rng = random.Random(inner)
    matrix = [[rng.choice([0, q - 1, q // 2, rng.randrange(q)]) for _ in range(inner)] for _ in range(rows)]
    assert mg.matmul(matrix, modulus=q, **asked).verify()


def test_a_scalar_is_a_matrix_of_its_digits() -> None:
    """Algorithm 5 of CROSS: K × K digits for a number that is known beforehand, against integers."""
    a = 123_456_789
    kernel = mg.matmul([[a]], modulus=Q, engine="int8")
    assert kernel.tables.tables["m"].shape == (4, 4)
    given = [0, 1, Q - 1, Q // 2, 987_654]
    assert kernel([given]) == [[a * x % Q for x in given]]


TRANSFORMS = [
    {"n": 64, "dense": 8, "modulus_bits": 28, "negacyclic": True},
    {"n": 32, "dense": 8, "modulus_bits": 60},  # matrices of two sizes
    {"n": 64, "dense": 8, "modulus_bits": 28, "moduli": 2}, {"n": 64, "dense": 64, "modulus_bits": 30, "inverse": True},
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sums", ["barrett", "folded"])
@pytest.mark.parametrize("asked", TRANSFORMS)
def test_transforms_reduce_sums_otherwise(asked: dict[str, Any], sums: Any) -> None:
    assert mg.ntt(target="jax", sums=sums, **asked).verify().ok


@pytest.mark.thorough
@pytest.mark.sampled(4)
@pytest.mark.parametrize("asked", [
    {"modulus_bits": 28}, {"modulus_bits": 28, "moduli": 3}, {"modulus_bits": 16}, {"modulus_bits": 60},
    {"modulus_bits": 28, "input_factor": 4, "output_factor": 2},
])  # fmt: skip
def test_products_are_folded(asked: dict[str, Any]) -> None:
    assert mg.blas("vmul", target="jax", reduction="folded", **asked).verify().ok


@pytest.mark.thorough
@pytest.mark.parametrize("asked", [
    {}, {"reduction": "montgomery"}, pytest.param({"modulus_bits": 124}, marks=pytest.mark.slow),
])  # fmt: skip
def test_products_are_convolutions_of_digits(asked: dict[str, Any]) -> None:
    kernel = mg.blas("vmul", product="convolution", target="jax", **{"modulus_bits": 28, **asked})
    assert kernel.verify().ok and "word_product_by_convolution" in kernel.source


@pytest.mark.parametrize(("call", "message"), [
    (lambda: mg.blas("vmul", modulus_bits=28, target="c", reduction="folded"), "matrix engines"),
    (lambda: mg.blas("vmul", modulus_bits=31, target="jax", reduction="folded"), "at most 30 bits"),
    (lambda: mg.matmul([[1]], modulus=Q, sums="lazy"), "one of montgomery, barrett, folded"),
    (lambda: mg.matmul([[1]], modulus=Q, sums="barrett", sparse=True), "cannot be combined with `sparse`"),
    (lambda: mg.matmul([[1] * 99], modulus=3, sums="barrett"), "at least"),
    (lambda: mg.ntt(64, modulus_bits=28, target="jax_tpu", fused=True, sums="folded"), "cannot be combined with"),
    (lambda: mg.ntt(64, modulus_bits=28, target="c", sums="barrett"), "matrix engines"),
])  # fmt: skip
def test_what_no_reduction_serves_is_refused(call: Any, message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        call()


def test_the_command_prints_a_sparse_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["matmul", "--modulus", str(Q), "--rows", "3", "--inner", "5", "--sparse", "--sums", "folded"]) == 0
    assert "matmul3x5_28b_sparse_folded_jax" in capsys.readouterr().out
    assert main(["matmul", "--modulus", str(Q), "--sums", "other"]) == 2
