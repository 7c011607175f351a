"""Wide kernels, whose products are calls of procedures: generated, compiled, and verified against gmpy2."""

from __future__ import annotations

import random
import re
from typing import Any

import gmpy2
import pytest

import momagen as mg

KERNELS: list[tuple[str, dict[str, Any]]] = [
    ("ntt", {"bits": 1024, "target": "c64"}),
    ("ntt", {"bits": 600, "target": "c64", "inverse": True, "negacyclic": True, "order": "natural"}),
    ("ntt", {"bits": 960, "target": "avx512", "inverse": True}),
    ("polymul", {"bits": 768, "target": "avx512", "negacyclic": True}),
    ("vmul", {"bits": 1024, "target": "c64", "reduction": "montgomery"}),
    ("vmul", {"bits": 1024, "target": "avx512"}),
    ("axpy", {"bits": 768, "target": "c64"}),
]
CALL = r"(mul|mullo|mulhi|mulhi_about)_\d+\("


def made(kind: str, options: dict[str, Any]) -> mg.Kernel:
    if kind in ("ntt", "polymul"):
        return (mg.ntt if kind == "ntt" else mg.polymul)(32, **options)
    return mg.blas(kind, **options)


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kind", "options"), KERNELS, ids=str)
def test_wide(kind: str, options: dict[str, Any]) -> None:
    kernel = made(kind, options)
    assert len(re.findall(rf"    {CALL}", kernel.source)) > len(re.findall(rf"void {CALL}", kernel.source)) > 1
    report = kernel.verify(seed=1)
    assert report.ok, str(report)


@pytest.mark.thorough
def test_calls_between_carry_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Target c has whole products and chains of additions; with a low limit it calls too."""
    monkeypatch.setattr("momagen.rewrite.engine.procedures.LONGEST", 40)
    kernel = mg.ntt(32, bits=1024, inverse=True)
    assert re.search(rf"    {CALL}", kernel.source) and "mg_add4(" in kernel.source
    report = kernel.verify(seed=1)
    assert report.ok, str(report)


MODULUS = int(gmpy2.next_prime(5 << 1018))
"""Of 1021 bits, next to no power of two."""


@pytest.mark.thorough
def test_a_modulus_baked_in() -> None:
    """Procedures that know an argument take the null pointer for it."""
    kernel, rng = mg.blas("vmul", modulus=MODULUS, target="c64", bake="yes"), random.Random(1)
    assert re.search(rf"{CALL}t\d+, 0, ", kernel.source)
    q = kernel.modulus
    x, y = ([0, 1, q - 1, *(rng.randrange(q) for _ in range(20))] for _ in range(2))
    assert kernel(x, y[::-1]) == [a * b % q for a, b in zip(x, y[::-1], strict=True)]
