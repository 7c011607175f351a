"""ML-KEM-512 (FIPS 203), whose every transform and product is a kernel, against vectors of NIST."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from support.standards import Poly, PresetRing, decode, encode, known

Q, K, ETA1, ETA2, DU, DV = 3329, 2, 3, 2, 10, 4
TARGETS = ["avx2", *(pytest.param(target, marks=pytest.mark.slow) for target in ("c", "c32", "avx512", "python"))]


def sample_ntt(seed: bytes) -> Poly:
    """Algorithm 7."""
    data = np.frombuffer(hashlib.shake_128(seed).digest(3 * 512), np.uint8).astype(np.uint64).reshape(-1, 3)
    low, high = data[:, 0] + 256 * (data[:, 1] % 16), data[:, 1] // 16 + 16 * data[:, 2]
    both = np.stack([low, high], axis=1).ravel()
    return both[both < Q][:256]


def noise(seed: bytes, eta: int, first: int, count: int) -> np.ndarray:
    """PRF and Algorithm 8 for so many polynomials."""
    found = []
    for at in range(first, first + count):
        data = hashlib.shake_256(seed + bytes([at])).digest(64 * eta)
        bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little").reshape(256, 2, eta).astype(np.int64)
        found.append(bits[:, 0].sum(axis=1) - bits[:, 1].sum(axis=1))
    return np.array(found)


def matrix(rho: bytes) -> Poly:
    """A, transformed."""
    return np.array([[sample_ntt(rho + bytes([j, i])) for j in range(K)] for i in range(K)])


def compress(x: Poly, bits: int) -> Poly:
    return ((x.astype(np.int64) * 2 ** (bits + 1) + Q) // (2 * Q) % 2**bits).astype(np.uint64)


def decompress(y: Poly, bits: int) -> Poly:
    return (y * np.uint64(Q) + np.uint64(2 ** (bits - 1))) >> np.uint64(bits)


def keys(ring: PresetRing, d: bytes) -> tuple[bytes, bytes]:
    """Algorithm 13, K-PKE.KeyGen."""
    seeds = hashlib.sha3_512(d + bytes([K])).digest()
    rho, sigma = seeds[:32], seeds[32:]
    s, e = (ring.forward(ring.residues(noise(sigma, ETA1, first, K))) for first in (0, K))
    t = ring.sum(ring.rows(matrix(rho), s), e)
    return encode(t, 12) + rho, encode(s, 12)


def encrypt(ring: PresetRing, ek: bytes, m: bytes, r: bytes) -> bytes:
    """Algorithm 14, K-PKE.Encrypt."""
    t, rho = decode(ek[:-32], 12), ek[-32:]
    y = ring.forward(ring.residues(noise(r, ETA1, 0, K)))
    e1, e2 = ring.residues(noise(r, ETA2, K, K)), ring.residues(noise(r, ETA2, 2 * K, 1))
    u = ring.sum(ring.inverse(ring.rows(matrix(rho).transpose(1, 0, 2), y)), e1)
    v = ring.sum(ring.sum(ring.inverse(ring.rows(t[None], y)), e2), decompress(decode(m, 1), 1))
    return encode(compress(u, DU), DU) + encode(compress(v, DV), DV)


def decrypt(ring: PresetRing, dk: bytes, c: bytes) -> bytes:
    """Algorithm 15, K-PKE.Decrypt."""
    cut = 32 * DU * K
    u, v = decompress(decode(c[:cut], DU), DU), decompress(decode(c[cut:], DV), DV)
    us = ring.inverse(ring.rows(decode(dk[: 384 * K], 12)[None], ring.forward(u)))
    return encode(compress(ring.sum(v, np.uint64(Q) - us), 1), 1)


@pytest.mark.parametrize("target", TARGETS)
def test_keys_ciphertext_and_message_are_those_of_nist(target: str) -> None:
    ring = PresetRing("ml-kem", target)
    vector = known("ml_kem_512")
    ek, secret = keys(ring, vector["d"])
    assert ek == vector["ek"]
    assert secret + ek + hashlib.sha3_256(ek).digest() + vector["z"] == vector["dk"]
    vector = known("ml_kem_512_encaps")
    shared = hashlib.sha3_512(vector["m"] + hashlib.sha3_256(vector["ek"]).digest()).digest()
    assert shared[:32] == vector["k"]
    assert encrypt(ring, vector["ek"], vector["m"], shared[32:]) == vector["c"]
    assert decrypt(ring, vector["dk"], vector["c"]) == vector["m"]
