"""The canonical embedding: complex numbers as polynomials with real coefficients and back, in doubles on the host."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import gmpy2
import numpy as np


@cache
def _slots(degree: int) -> tuple[Any, Any]:
    """Return the positions of ζ^(5^k) and of its conjugate among ζ^1, ζ^3, …, for each slot k."""
    powers = np.ones(degree // 2, dtype=np.int64)
    for k in range(1, degree // 2):
        powers[k] = powers[k - 1] * 5 % (2 * degree)
    return (powers - 1) // 2, (2 * degree - powers - 1) // 2


def _twist(degree: int) -> Any:
    """Return the powers of a root of order 2N that turn a cyclic FFT into a negacyclic one."""
    return np.exp(1j * np.pi * np.arange(degree) / degree)


def embed(z: Any, degree: int) -> Any:
    """Return the N real coefficients of the polynomial whose value at ζ^(5^k) is z_k, for N/2 complex numbers z_k."""
    here, conjugate = _slots(degree)
    values = np.empty(degree, dtype=np.complex128)
    values[here], values[conjugate] = z, np.conj(z)
    return (np.fft.fft(values) / degree * np.conj(_twist(degree))).real


def slots_of(coefficients: Any, degree: int) -> Any:
    """Return the N/2 values at ζ^(5^k) of a polynomial with real coefficients."""
    values = np.fft.ifft(coefficients * _twist(degree)) * degree
    return values[_slots(degree)[0]]


def centred(residues: Any, moduli: Sequence[int]) -> list[int]:
    """Return the integers around 0 with the given residues, by the Chinese remainder theorem.

    Args:
        residues: The residues, of shape (moduli, N).
        moduli: The moduli.

    Raises:
        ZeroDivisionError: The moduli are not pairwise coprime.
    """
    whole = gmpy2.mpz(1)
    total = [gmpy2.mpz(0)] * np.asarray(residues).shape[-1]
    for row, q in zip(np.asarray(residues).tolist(), moduli, strict=True):
        step = whole * gmpy2.invert(whole % q, q) if whole > 1 else gmpy2.mpz(1)
        total = [x + step * ((r - x) % q) for x, r in zip(total, row, strict=True)]
        whole *= q
        total = [x % whole for x in total]
    return [int(x - whole if 2 * x > whole else x) for x in total]
