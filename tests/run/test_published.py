"""Compiled kernels against what standards and other libraries have published: tests/vectors/published.toml has it."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

import momagen as mg
from momagen.runtime import missing_features
from momagen.targets import load_target

PUBLISHED: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[1] / "vectors" / "published.toml").read_text(encoding="utf-8")
)
TARGETS = ["c", "c64", pytest.param("avx2", marks=pytest.mark.skipif(
    bool(missing_features(load_target("avx2").features)), reason="no AVX2 and FMA"))]  # fmt: skip


def units(n: int) -> list[list[int]]:
    """1, x, x², …"""
    return [[int(i == j) for j in range(n)] for i in range(n)]


def reversed_bits(i: int, bits: int) -> int:
    return int(f"{i:0{bits}b}"[::-1], 2)


def pairs(zetas: list[int], q: int) -> list[int]:
    return [value for zeta in zetas for value in (zeta, q - zeta)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "n"), [("ml_kem", 128), ("ml_dsa", 256)])
def test_zetas(name: str, n: int, target: str) -> None:
    """x^k at the first point, the root, is its k-th power; x at all points the table's second half, of either sign.

    ML-KEM takes the even and the odd coefficients of 256 apart: modulo x² - ζ both are transforms of 128 points.
    """
    given, bits = PUBLISHED[name], n.bit_length() - 1
    kernel = mg.ntt(n, modulus=given["q"], root=given["root"], negacyclic=True, target=target)
    values = kernel(units(n))
    first = [values[reversed_bits(i, bits)][0] for i in range(n)]
    assert first[1:] == given["zetas"][1:]
    assert values[1] == pairs(given["zetas"][n // 2 :], given["q"])


@pytest.mark.parametrize("target", TARGETS)
def test_ml_kem_of_all_coefficients(target: str) -> None:
    """x^255 = x · (x²)^127: an odd half alone, its values γ^127 = -1/γ for γ of the table."""
    given = PUBLISHED["ml_kem"]
    q, gammas = given["q"], pairs(given["zetas"][64:], given["q"])
    kernel = mg.ntt(128, modulus=q, root=given["root"], negacyclic=True, target=target)
    even, odd = kernel([[0] * 128, [0] * 127 + [1]])
    assert even == [0] * 128
    assert [-value * gamma % q for value, gamma in zip(odd, gammas, strict=True)] == [1] * 128  # γ^128 = -1


@pytest.mark.parametrize("target", TARGETS)
def test_roots_of_falcon(target: str) -> None:
    given = PUBLISHED["falcon"]
    q = given["q"]
    kernel = mg.ntt(512, modulus=q, root=given["roots"][0], negacyclic=True, target=target)
    points = kernel(units(512)[1])
    assert sorted(points) == sorted(pairs(given["roots"], q))
    assert points[1::2] == [q - point for point in points[::2]]


@pytest.mark.parametrize("target", TARGETS)
def test_roots_of_goldilocks(target: str) -> None:
    given = PUBLISHED["goldilocks"]
    *_, root = given["omega"]
    kernel = mg.ntt(32, modulus=given["q"], root=root, order="natural", target=target)
    points = kernel(units(32)[1])
    assert [points[16 >> k] for k in range(5)] == given["omega"]
    power = pow(given["root"], 1 << 27, given["q"])
    others = mg.ntt(32, modulus=given["q"], root=power, order="natural", target=target)(units(32)[1])
    assert sorted(others) == sorted(points)


@pytest.mark.parametrize("target", TARGETS)
def test_the_example_of_sympy(target: str) -> None:
    given = PUBLISHED["sympy"]
    q = given["q"]
    root = pow(given["generator"], (q - 1) // 4, q)
    forward, inverse = (
        mg.ntt(4, modulus=q, root=root, order="natural", inverse=inverse, target=target) for inverse in (False, True)
    )
    assert forward(given["x"]) == given["ntt"] and inverse(given["ntt"]) == given["x"]
    assert inverse(given["x"]) == given["intt"] and forward(given["intt"]) == given["x"]


@pytest.mark.thorough
@pytest.mark.parametrize("target", ["c", *TARGETS[2:]])
def test_cells_of_extended_blobs(target: str) -> None:
    """EIP-7594: the coefficients of a blob, by the inverse transform, at twice as many points."""
    given = PUBLISHED["eip_7594"]
    q = int(given["q"], 16)
    held = sum(int(word, 16) << 64 * i for i, word in enumerate(given["root_by_montgomery"]))
    root = held * pow(1 << 256, -1, q) % q
    inverse = mg.ntt(4096, modulus=q, root=root * root % q, inverse=True, target=target)
    forward = mg.ntt(8192, modulus=q, root=root, target=target)
    for blob in given["blobs"]:
        coefficients = inverse([pow(blob["base"], i + 256, q) for i in range(4096)])
        values = forward(coefficients + [0] * 4096)
        assert f"{values[64 * 64]:064x}" == blob["cell_64"]
        assert hashlib.sha256(b"".join(value.to_bytes(32, "big") for value in values)).hexdigest() == blob["cells"]
