"""Bounds of noise in the canonical embedding, which slots have: those of CKKS (Cheon, Kim, Kim, Song: ASIACRYPT 2017,
eprint 2016/421, its lemmas on encryption, rescaling and products), for keys and errors as :mod:`momagen.he.keys` has.

A random polynomial with coefficients of variance v is below 6·√(v·N) at every point, and a product of two with
variances v and w below 16·√(v·w)·N, but for few cases in 2^50 (there). Bounds are in units of a plaintext's
coefficients: divided by the scale, they bound errors of slots.

With the paper's distributions, an encryption's v of variance 1/2 and a secret of h coefficients that are not 0, these
two give its constants: 8√2·σN + 6σ√N + 16σ√(hN) of an encryption, √(N/3)·(3 + 8√h) of rounding, and 8σN/√3 times what
is switched over P. The code of eprint 2022/162 quotes them so (bencrts/CKKS_noise, heuristics/priorCE.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2, pi, prod, sin, sqrt

from .keys import SIGMA
from .parameters import HeParameters

TERNARY = 2 / 3
"""The variance of coefficients of -1, 0, 1."""
ROUNDING = 1 / 12
"""The variance of what rounding to nearest leaves."""


def one(variance: float, degree: int) -> float:
    """Of a random polynomial."""
    return 6 * sqrt(variance * degree)


def two(variance: float, other: float, degree: int) -> float:
    """Of a product of two random polynomials."""
    return 16 * sqrt(variance * other) * degree


@dataclass(frozen=True)
class NoiseBounds:
    """Bounds for parameters and a secret with so many coefficients that are not 0."""

    parameters: HeParameters
    nonzero: int

    @property
    def _secret(self) -> float:
        return self.nonzero / self.parameters.degree

    def encoding(self) -> float:
        """Of coefficients rounded to integers."""
        return one(ROUNDING, self.parameters.degree)

    def doubles(self, size: float) -> float:
        """Of embedding and its inverse in doubles, for messages of at most ``size``, scale included: an FFT errs by
        some log2 N units in the last place of the square mean of all numbers."""
        n = self.parameters.degree
        return 2 * size * sqrt(n) * log2(n) * 2.0**-53

    def fresh(self) -> float:
        """Of an encryption by the public key, v·e + e_0 + e_1·s, and its encoding."""
        n, error = self.parameters.degree, SIGMA**2
        hidden = two(TERNARY, error, n) + one(error, n) + two(self._secret, error, n)
        return hidden + self.encoding()

    def rounding(self) -> float:
        """Of two polynomials rounded to integers, τ_0 + τ_1·s."""
        n = self.parameters.degree
        return one(ROUNDING, n) + two(self._secret, ROUNDING, n)

    def switching(self, limbs: int) -> float:
        """Of switching keys: digits times errors, divided by P and rounded.

        Digits around 0 have the variance Q_j²/12. Approximate ones are Q_j times the sum of fractions of their limbs:
        each limb adds that variance, and half of Q_j on average, at whose largest value, next to 1, errors add up.
        """
        p, whole = self.parameters, prod(self.parameters.auxiliary)
        total = 0.0
        for low, high in p.parts(limbs):
            size, count = prod(p.moduli[low:high]) / whole, high - low
            total += size * two(ROUNDING * (count if p.approximate else 1), SIGMA**2, p.degree)
            if p.approximate:
                total += size * count / 2 / sin(pi / (2 * p.degree)) * one(SIGMA**2, p.degree)
        return total + self.rounding()

    def multiplied(self, limbs: int, x: float, y: float, x_noise: float, y_noise: float) -> float:
        """Of a product of messages of at most x and y, scales included."""
        return x * y_noise + y * x_noise + x_noise * y_noise + self.switching(limbs)

    def rescaled(self, noise: float, divisor: int) -> float:
        """Of a ciphertext divided by so much."""
        return noise / divisor + self.rounding()


def bits(bound: float, scale: float) -> float:
    """Bits after the point that a bound leaves right."""
    return log2(scale / bound)
