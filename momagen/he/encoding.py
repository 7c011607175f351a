"""Complex numbers as polynomials and back: the canonical embedding, in doubles on the host."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import gmpy2
import numpy as np


@cache
def _slots(degree: int) -> tuple[Any, Any]:
    """Where ζ^(5^k) and its conjugate stand among ζ^1, ζ^3, …, for slot k."""
    powers = np.ones(degree // 2, dtype=np.int64)
    for k in range(1, degree // 2):
        powers[k] = powers[k - 1] * 5 % (2 * degree)
    return (powers - 1) // 2, (2 * degree - powers - 1) // 2


def _twist(degree: int) -> Any:
    return np.exp(1j * np.pi * np.arange(degree) / degree)


def embed(z: Any, degree: int) -> Any:
    """The real coefficients, (N,), of the polynomial whose value at ζ^(5^k) is z_k, for N/2 complex numbers."""
    here, conjugate = _slots(degree)
    values = np.empty(degree, dtype=np.complex128)
    values[here], values[conjugate] = z, np.conj(z)
    return (np.fft.fft(values) / degree * np.conj(_twist(degree))).real


def slots_of(coefficients: Any, degree: int) -> Any:
    """The N/2 values at ζ^(5^k) of a polynomial with real coefficients."""
    values = np.fft.ifft(coefficients * _twist(degree)) * degree
    return values[_slots(degree)[0]]


def centred(residues: Any, moduli: Sequence[int]) -> list[int]:
    """The integers around 0 with these residues, (moduli, N), by the Chinese remainder theorem.

    Raises:
        ZeroDivisionError: moduli that have a common factor.
    """
    whole = gmpy2.mpz(1)
    total = [gmpy2.mpz(0)] * np.asarray(residues).shape[-1]
    for row, q in zip(np.asarray(residues).tolist(), moduli, strict=True):
        step = whole * gmpy2.invert(whole % q, q) if whole > 1 else gmpy2.mpz(1)
        total = [x + step * ((r - x) % q) for x, r in zip(total, row, strict=True)]
        whole *= q
        total = [x % whole for x in total]
    return [int(x - whole if 2 * x > whole else x) for x in total]
