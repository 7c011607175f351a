"""What tests of standards share: their vectors, bits of polynomials, and the kernels of a preset."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import momagen as mg

Poly = npt.NDArray[np.uint64]
"""Coefficients, or remainders, along the last axis."""
VECTORS = tomllib.loads((Path(__file__).parents[1] / "vectors" / "standards.toml").read_text(encoding="utf-8"))


def known(name: str) -> dict[str, Any]:
    """The vectors of that name: hexadecimal as bytes, lists as they are."""
    return {key: bytes.fromhex(each) if isinstance(each, str) and key != "source" else each
            for key, each in VECTORS[name].items()}  # fmt: skip


def encode(values: npt.ArrayLike, width: int) -> bytes:
    """ByteEncode, or SimpleBitPack: so many bits of each value, the lowest first."""
    numbers = np.asarray(values, np.uint64).reshape(-1, 1)
    return np.packbits((numbers >> np.arange(width, dtype=np.uint64) & np.uint64(1)).astype(np.uint8).ravel(),
                       bitorder="little").tobytes()  # fmt: skip


def decode(data: bytes, width: int, n: int = 256) -> Poly:
    """The values back, n in a row."""
    bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little").reshape(-1, width).astype(np.uint64)
    return (bits << np.arange(width, dtype=np.uint64)).sum(axis=1, dtype=np.uint64).reshape(-1, n)


class PresetRing:
    """Polynomials modulo x^n + 1 and q, by the kernels of a preset alone."""

    def __init__(self, preset: str, target: str) -> None:
        self.forward = mg.ntt(preset=preset, target=target)
        self.inverse, self.product = self.forward.inverse(), mg.basemul(preset=preset, target=target)
        self.q = self.forward.modulus

    def residues(self, values: npt.ArrayLike) -> Poly:
        """Numbers of either sign, modulo q."""
        return (np.asarray(values, np.int64) % self.q).astype(np.uint64)

    def signed(self, values: Poly) -> npt.NDArray[np.int64]:
        """Residues as the numbers next to 0."""
        return (values.astype(np.int64) + self.q // 2) % self.q - self.q // 2

    def sum(self, x: Poly, y: Poly) -> Poly:
        """x + y."""
        return (x + y) % np.uint64(self.q)

    def rows(self, matrix: Poly, vector: Poly) -> Poly:
        """A matrix of transformed polynomials times a vector of them."""
        products = [[self.product(a.copy(), x.copy()) for a, x in zip(row, vector, strict=True)] for row in matrix]
        return np.array(products).sum(axis=1, dtype=np.uint64) % np.uint64(self.q)
