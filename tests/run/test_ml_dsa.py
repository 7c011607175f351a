"""ML-DSA-44 (FIPS 204): keys, and a signature verified, by transforms and products of kernels; vectors of NIST."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from support.standards import Poly, PresetRing, decode, encode, known

Q, K, L, ETA, D, TAU, GAMMA1, GAMMA2, OMEGA, BETA = 8380417, 4, 4, 2, 13, 39, 1 << 17, (8380417 - 1) // 88, 80, 78
TARGETS = ["c32", *(pytest.param(target, marks=pytest.mark.slow) for target in ("c", "avx2", "avx512", "python"))]
Signed = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def uniform(seed: bytes) -> Poly:
    """Algorithm 30, RejNTTPoly."""
    data = np.frombuffer(hashlib.shake_128(seed).digest(3 * 400), np.uint8).astype(np.uint64).reshape(-1, 3)
    found = data[:, 0] + 256 * data[:, 1] + 65536 * (data[:, 2] % 128)
    return found[found < Q][:256]


def matrix(rho: bytes) -> Poly:
    """Algorithm 32, ExpandA: transformed."""
    return np.array([[uniform(rho + bytes([s, r])) for s in range(L)] for r in range(K)])


def bounded(seed: bytes) -> Signed:
    """Algorithm 31, RejBoundedPoly, for eta = 2."""
    data = np.frombuffer(hashlib.shake_256(seed).digest(400), np.uint8)
    halves = np.stack([data % 16, data // 16], axis=1).ravel().astype(np.int64)
    return 2 - halves[halves < 15][:256] % 5


def challenge(seed: bytes) -> Signed:
    """Algorithm 29, SampleInBall."""
    data = hashlib.shake_256(seed).digest(1000)
    signs, at = int.from_bytes(data[:8], "little"), 8
    c = np.zeros(256, np.int64)
    for i in range(256 - TAU, 256):
        while data[at] > i:
            at += 1
        c[i], c[data[at]] = c[data[at]], 1 - 2 * (signs & 1)
        at, signs = at + 1, signs >> 1
    return c


def keys(ring: PresetRing, seed: bytes) -> tuple[bytes, bytes]:
    """Algorithm 6, KeyGen_internal."""
    seeds = hashlib.shake_256(seed + bytes([K, L])).digest(128)
    rho, rest, key = seeds[:32], seeds[32:96], seeds[96:]
    s1, s2 = (np.array([bounded(rest + bytes([r, 0])) for r in rows]) for rows in (range(L), range(L, L + K)))
    product = ring.inverse(ring.rows(matrix(rho), ring.forward(ring.residues(s1))))
    t = ring.sum(product, ring.residues(s2)).astype(np.int64)
    low = (t + 4095) % 8192 - 4095
    pk = rho + encode((t - low) >> D, 10)
    head = rho + key + hashlib.shake_256(pk).digest(64)
    return pk, head + encode(ETA - s1, 3) + encode(ETA - s2, 3) + encode(4096 - low, 13)


def hints(data: bytes) -> Signed | None:
    """Algorithm 21, HintBitUnpack."""
    h, at = np.zeros((K, 256), np.int64), 0
    for i in range(K):
        end = data[OMEGA + i]
        places = list(data[at:end])
        if end < at or end > OMEGA or places != sorted(set(places)):
            return None
        h[i, places], at = 1, end
    return h if not any(data[at:OMEGA]) else None


def used(h: Signed, r: Poly) -> Signed:
    """Algorithm 40, UseHint, for q - 1 = 44 · 2·gamma2."""
    whole = r.astype(np.int64)
    low = (whole + GAMMA2 - 1) % (2 * GAMMA2) - GAMMA2 + 1
    top = whole - low == Q - 1
    high, low = np.where(top, 0, (whole - low) // (2 * GAMMA2)), low - top
    return (high + h * np.where(low > 0, 1, -1)) % 44


def verifies(ring: PresetRing, pk: bytes, message: bytes, signature: bytes) -> bool:
    """Algorithm 8, Verify_internal."""
    rho, t1 = pk[:32], decode(pk[32:], 10)
    seed, z, h = signature[:32], signature[32 : 32 + L * 576], hints(signature[32 + L * 576 :])
    numbers = GAMMA1 - decode(z, 18).astype(np.int64)
    mu = hashlib.shake_256(hashlib.shake_256(pk).digest(64) + message).digest(64)
    c = ring.forward(ring.residues(challenge(seed)))
    az = ring.rows(matrix(rho), ring.forward(ring.residues(numbers)))
    ct = ring.rows(ring.forward(t1 << np.uint64(D))[:, None], c[None])
    w = ring.inverse(ring.sum(az, np.uint64(Q) - ct))
    if h is None or np.abs(numbers).max() >= GAMMA1 - BETA:
        return False
    return hashlib.shake_256(mu + encode(used(h, w), 6)).digest(32) == seed


@pytest.mark.parametrize("target", TARGETS)
def test_keys_are_those_of_nist_and_its_signature_verifies(target: str) -> None:
    ring = PresetRing("ml-dsa", target)
    vector = known("ml_dsa_44")
    assert keys(ring, vector["seed"]) == (vector["pk"], vector["sk"])
    vector = known("ml_dsa_44_verify")
    assert verifies(ring, vector["pk"], vector["message"], vector["signature"])
    other = bytes([vector["message"][0] ^ 1]) + vector["message"][1:]
    assert not verifies(ring, vector["pk"], other, vector["signature"])
