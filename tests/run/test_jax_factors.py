"""Transforms by matrices of R × C points, and of more factors, for any R and C."""

from __future__ import annotations

import json
import random
from math import prod
from pathlib import Path
from typing import Any

import pytest

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.explain.counts.counts import array_counts
from momagen.formula.transforms import digit_reversal
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.options.record import KernelOptions
from momagen.lower.arrays.program import array_program

pytest.importorskip("jax")

TRANSFORMS: list[dict[str, Any]] = [
    {"n": 64, "factors": "64"}, {"n": 64, "factors": "2x2x2x2x2x2", "negacyclic": True},
    {"n": 256, "factors": "2x128", "negacyclic": True}, {"n": 512, "factors": "128x4", "inverse": True},
    {"n": 1024, "factors": (16, 64), "order": "natural"},
    {"n": 1024, "factors": "64x16", "inverse": True, "order": "natural", "negacyclic": True},
    {"n": 1024, "factors": "8x8x16", "negacyclic": True}, {"n": 256, "factors": [16, 4, 4], "inverse": True},
    {"n": 64, "factors": "4x16", "moduli": 3, "negacyclic": True},
    {"n": 64, "factors": "16x4", "columns": 5, "inverse": True},
    *({"n": 64, "factors": "4x16", "engine": engine} for engine in ("bfloat16", "float32", "float64")),
    {"n": 64, "factors": "4x16", "modulus_bits": 60, "negacyclic": True},
    {"n": 64, "factors": "16x4", "fused": True, "target": "jax_tpu"}, {"n": 64, "factors": "2x32", "target": "jax_gpu"},
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.sampled(5)
@pytest.mark.parametrize("asked", TRANSFORMS, ids=lambda asked: "-".join(map(str, asked.values())))
def test_transforms_are_verified(asked: dict[str, Any]) -> None:
    assert mg.ntt(**{"target": "jax", "modulus_bits": 28, **asked}).verify().ok


@pytest.mark.slow
@pytest.mark.parametrize("asked", [
    {"n": 1024, "factors": "2x512", "negacyclic": True}, {"n": 1024, "factors": "512x2", "inverse": True},
    {"n": 4096, "factors": "4x1024", "inverse": True, "negacyclic": True},
])  # fmt: skip
def test_large_matrices_are_verified(asked: dict[str, Any]) -> None:
    assert mg.ntt(target="jax", modulus_bits=28, **asked).verify().ok


@pytest.mark.parametrize("factors", ["16x4x4", "4x64"])
def test_values_stand_in_bit_reversed_order(factors: Any) -> None:
    n, rng = 256, random.Random(factors)
    kernel = mg.ntt(n, modulus=65537, negacyclic=True, factors=factors, target="jax")
    q, x = kernel.modulus, [rng.randrange(65537) for _ in range(n)]
    assert kernel.root is not None and pow(kernel.root, n, q) == q - 1
    points = [pow(kernel.root, 2 * digit_reversal(i, n) + 1, q) for i in range(n)]
    wanted = [sum(a * pow(at, j, q) for j, a in enumerate(x)) % q for at in points]
    assert kernel(x) == wanted and kernel.inverse()(wanted) == x


def test_products_of_polynomials_are_verified() -> None:
    assert mg.polymul(64, modulus_bits=28, negacyclic=True, factors="4x16", target="jax").verify().ok


def test_columns_come_first_and_the_inverse_goes_back() -> None:
    kernel = mg.ntt(1024, modulus_bits=28, factors="2x512", target="jax_tpu")
    wanted = ["matrix of 2 × 2", "twiddles", "matrix of 512 × 512"]
    assert [each.note for each in kernel.plan.passes] == wanted
    assert [each.note for each in kernel.inverse().plan.passes] == wanted[::-1]
    assert [each.bits for each in kernel.plan.passes][::2] == ["L" + "a" * 9, "a" + "L" * 9]


def test_a_tuple_and_a_text_are_the_same(tmp_path: Path) -> None:
    text, numbers = (mg.ntt(64, modulus_bits=28, factors=each, target="jax") for each in ("4x16", (4, 16)))
    assert text.spec.options == numbers.spec.options == KernelOptions(factors=(4, 16)) and text.source == numbers.source
    assert "--factors 4x16" in text.spec.command()
    text.save(tmp_path)
    assert mg.load(tmp_path).spec.options == KernelOptions(factors=(4, 16))


@pytest.mark.parametrize("text", ["128x512", "512x128", "16x64x64", "16x16x16x16"])
def test_counts_follow_the_factors(text: str) -> None:
    """A coefficient needs (R + C + …)·K² products of its K digits."""
    spec = make_spec("ntt", n=1 << 16, target="jax_tpu", options={"factors": text}, modulus_bits=28, negacyclic=True)
    factors, counts = [int(each) for each in text.split("x")], array_counts(array_program(spec, spec.kind.plans(spec)))
    assert prod(factors) == counts.coefficients == 1 << 16
    assert counts.products == {"int8": (1 << 16) * sum(factors) * 4**2}
    assert [each.side for each in counts.digit_products] == [4 * each for each in factors]


def test_explain_shows_the_factors(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["explain", "ntt", "--n", "1024", "--modulus-bits", "28", "--target", "jax_tpu", "--factors", "2x512"]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "three_step (R5)" in shown and "matrix of 512 × 512" in shown
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["from"] for row in found["breakdown"]] == ["Ring(1024, 0)"]


@pytest.mark.parametrize("factors", [
    "", "x", "3x21", "1x64", "64x", "4x16x1", "4X16", "04x16", "4 x 16", "-4x-16", "2048x2", "9" * 5000, (), (4.0, 16),
    True, "٤x١٦",
])  # fmt: skip
def test_what_are_no_factors_is_refused(factors: Any) -> None:
    with pytest.raises(MomagenError, match="factors: expected powers of two from 2 to 1024, separated by x"):
        mg.ntt(64, modulus_bits=28, target="jax", factors=factors)


@pytest.mark.parametrize(("asked", "message"), [
    ({"factors": "4x8"}, "factors: expected factors whose product is 64, got 4x8, whose"),
    ({"factors": "4x16", "dense": 8}, "`dense` cannot be combined with `factors`"),
    ({"factors": "4x16", "radix": 2}, "cannot be combined with `factors`"),
    ({"factors": "4x16", "target": "c"}, "matrix engines"),
    ({"radix": (2,)}, "one of 2, 4, 8, 16"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        _ = mg.ntt(64, **{"modulus_bits": 28, "target": "jax", **asked}).source


def test_other_kernels_have_no_factors(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MomagenError, match="`factors` does not apply to vadd"):
        make_spec("vadd", target="jax", modulus_bits=28, options={"factors": "4x16"})
    assert main(["ntt", "--n", "64", "--modulus-bits", "28", "--target", "jax", "--factors", "4x4"]) == 2
    assert "factors whose product is 64" in " ".join(capsys.readouterr().err.split())
