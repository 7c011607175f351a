"""Falcon: keys and signatures of the round 3 implementation by kernels alone: h = g/f, f·G - g·F = q, c - s2·h."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from support.standards import PresetRing, known

import momagen as mg

Q = 12289
BOUNDS = {512: 34034726, 1024: 70265242}
"""Of the squared norm of a signature: Falcon's specification, Table 3.3."""
CASES = [(512, "c32"), pytest.param(512, "avx2", marks=pytest.mark.slow), (1024, "c"),
         pytest.param(1024, "avx512", marks=pytest.mark.slow)]  # fmt: skip


def hash_to_point(data: bytes, n: int) -> np.ndarray:
    """Algorithm 3 of the specification."""
    found = np.frombuffer(hashlib.shake_256(data).digest(6 * n), ">u2").astype(np.uint64)
    return found[found < 5 * Q][:n] % np.uint64(Q)


@pytest.mark.parametrize(("n", "target"), CASES)
def test_signatures_are_short_and_keys_solve_their_equation(n: int, target: str) -> None:
    ring, vector = PresetRing(f"falcon-{n}", target), known(f"falcon_{n}")
    f, g, capital_f, capital_g, s2 = (ring.residues(vector[name]) for name in ("f", "g", "F", "G", "s2"))
    values = [pow(int(value), -1, Q) for value in ring.forward(f)]  # f has an inverse
    h = ring.inverse(ring.product(ring.forward(g), np.array(values, np.uint64)))
    multiply = mg.polymul(preset=f"falcon-{n}", target=target)
    assert (multiply(f, capital_g) == multiply(g, capital_f)).all()
    assert (multiply(f, h) == g).all()
    c = hash_to_point(vector["nonce"] + b"data1", n)
    s1 = ring.signed(ring.sum(c, np.uint64(Q) - multiply(s2, h)))
    norm = sum(int(value) ** 2 for value in (*s1, *vector["s2"]))
    assert norm <= BOUNDS[n]
    assert vector["signature"][1:41] == vector["nonce"]
    wrong = ring.signed(ring.sum(hash_to_point(vector["nonce"] + b"data2", n), np.uint64(Q) - multiply(s2, h)))
    assert sum(int(value) ** 2 for value in wrong) > BOUNDS[n]
