"""Transforms on digits of 52 bits whose arrays have words of 32: against gmpy2, by definitions, and where they go."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.targets import load_target

TARGET, PRIME = "avx512ifma_words32", 2013265921
DIGITS, WORDS = "1 integer limb of radix 2^52", "32-bit words"
WAYS: dict[str, dict[str, Any]] = {
    "forward": {}, "inverse": {"inverse": True}, "negacyclic": {"negacyclic": True},
    "natural": {"order": "natural"}, "natural inverse": {"order": "natural", "inverse": True, "negacyclic": True},
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.sampled(15)
@pytest.mark.parametrize("bits", [17, 25, 31])
@pytest.mark.parametrize("n", [256, 512, 1024, 2048, 8192, 32768, 65536])
@pytest.mark.parametrize("way", WAYS)
def test_transforms(way: str, n: int, bits: int) -> None:
    k = mg.ntt(n, modulus_bits=max(bits, n.bit_length() + 4), target=TARGET, **WAYS[way])
    assert DIGITS in k.notes[0]
    report = k.verify(seed=n)
    assert report.ok, str(report)


@pytest.mark.parametrize(("bits", "options"), [
    (30, {"output_factor": 2}), (28, {"output_factor": 4, "inverse": True}), (29, {"input_factor": 4}),
    (31, {"depth": 7}), (31, {"coset": 3}), (31, {"threads": 2}),
], ids=str)  # fmt: skip
def test_options(bits: int, options: dict[str, Any]) -> None:
    report = mg.ntt(512, modulus_bits=bits, target=TARGET, **options).verify()
    assert report.ok, str(report)


@pytest.mark.parametrize("inverse", [False, True])
def test_words_that_come_and_go(inverse: bool) -> None:
    """Extreme residues and random ones, by the definition on plain integers; arrays of uint32 come and go."""
    n, rng = 512, random.Random(int(inverse))
    k = mg.ntt(n, modulus=PRIME, order="natural", inverse=inverse, target=TARGET)
    root, scale = (pow(k.root, -1, PRIME), pow(n, -1, PRIME)) if inverse else (k.root, 1)
    rows = [[PRIME - 1] * n, [0] * (n - 1) + [1], [rng.randrange(PRIME) for _ in range(n)]]
    found = k(np.array(rows, np.uint32))
    assert found.dtype == np.uint32
    powers = [pow(root, i, PRIME) for i in range(n)]
    for x, y in zip(rows, found.tolist(), strict=True):
        assert y == [sum(a * powers[i * j % n] for i, a in enumerate(x)) * scale % PRIME for j in range(n)]


@pytest.mark.parametrize(("n", "options", "held"), [
    (128, {}, WORDS), (256, {}, DIGITS), (65536, {}, DIGITS), (131072, {}, WORDS),
    (128, {"inverse": True}, WORDS), (256, {"inverse": True}, DIGITS),
    (65536, {"inverse": True}, DIGITS), (131072, {"inverse": True}, WORDS), (1024, {"columns": 16}, WORDS),
    (1024, {"quotients": "computed"}, "full-radix limbs"),
], ids=str)  # fmt: skip
def test_where_they_go(n: int, options: dict[str, Any], held: str) -> None:
    k = mg.ntt(n, modulus=PRIME, target="avx512ifma", **options)
    assert str(k.spec.target) == TARGET and k.spec.layout == "u32"
    assert any(held in note for note in k.notes), k.notes


def test_a_product_goes_there_and_back() -> None:
    report = mg.polymul(1024, modulus=PRIME, negacyclic=True, target=TARGET).verify()
    assert report.ok, str(report)


def test_emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU without the target's features."""
    monkeypatch.setenv("MOMAGEN_DISABLE", ",".join(load_target(TARGET).features))
    for inverse in (False, True):
        kernel = mg.ntt(512, modulus=PRIME, inverse=inverse, target=TARGET)
        assert kernel.emulated and kernel.verify().ok
