"""Bounds on the noise of CKKS in the canonical embedding, as slots have it.

They follow Cheon, Kim, Kim and Song (ASIACRYPT 2017, eprint 2016/421; its lemmas on encryption, rescaling and
products), for the keys and errors of :mod:`momagen.he.keys`.

A random polynomial with coefficients of variance v is below 6·√(v·N) at every point, and a product of two with
variances v and w is below 16·√(v·w)·N, except with a probability of about 2^-50 (same paper). Bounds are in units of a
plaintext's coefficients; divided by the scale, they bound the errors of slots.

With the paper's distributions, an encryption's v of variance 1/2 and a secret with h nonzero coefficients, these two
bounds give its constants: 8√2·σN + 6σ√N + 16σ√(hN) for an encryption, √(N/3)·(3 + 8√h) for rounding, and 8σN/√3 times
the switched polynomial over P. The code of eprint 2022/162 quotes them in this form (bencrts/CKKS_noise,
heuristics/priorCE.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2, pi, prod, sin, sqrt

from .keys import SIGMA
from .parameters import HeParameters

TERNARY = 2 / 3
"""The variance of coefficients from -1, 0 and 1."""
ROUNDING = 1 / 12
"""The variance of the error of rounding to the nearest integer."""


def one(variance: float, degree: int) -> float:
    """Return the bound for a random polynomial."""
    return 6 * sqrt(variance * degree)


def two(variance: float, other: float, degree: int) -> float:
    """Return the bound for a product of two random polynomials."""
    return 16 * sqrt(variance * other) * degree


@dataclass(frozen=True)
class NoiseBounds:
    """The noise bounds for parameters and a secret.

    Attributes:
        parameters: The parameters.
        nonzero: The number of nonzero coefficients of the secret.
    """

    parameters: HeParameters
    nonzero: int

    @property
    def _secret(self) -> float:
        """The variance of the coefficients of the secret."""
        return self.nonzero / self.parameters.degree

    def encoding(self) -> float:
        """Return a bound on the error from rounding coefficients to integers."""
        return one(ROUNDING, self.parameters.degree)

    def doubles(self, size: float) -> float:
        """Return a bound on the error of embedding and its inverse in doubles.

        An FFT errs by about log2 N units in the last place of the root mean square of all numbers.

        Args:
            size: A bound on the messages, including the scale.
        """
        n = self.parameters.degree
        return 2 * size * sqrt(n) * log2(n) * 2.0**-53

    def fresh(self) -> float:
        """Return a bound on the noise of an encryption by the public key, v·e + e_0 + e_1·s, and its encoding."""
        n, error = self.parameters.degree, SIGMA**2
        hidden = two(TERNARY, error, n) + one(error, n) + two(self._secret, error, n)
        return hidden + self.encoding()

    def rounding(self) -> float:
        """Return a bound on the error from rounding two polynomials to integers, τ_0 + τ_1·s."""
        n = self.parameters.degree
        return one(ROUNDING, n) + two(self._secret, ROUNDING, n)

    def switching(self, limbs: int) -> float:
        """Return a bound on the noise of key switching: digits times errors, divided by P and rounded.

        Digits around 0 have the variance Q_j²/12. Approximate digits are Q_j times the sum of the fractions of their
        limbs: each limb adds that variance, and half of Q_j on average, for which errors add up at the point next to 1.
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
        """Return a bound on the noise of a product with relinearisation.

        Args:
            limbs: The number of RNS limbs.
            x: A bound on the first message, including the scale.
            y: A bound on the second message, including the scale.
            x_noise: The noise bound of the first ciphertext.
            y_noise: The noise bound of the second ciphertext.
        """
        return x * y_noise + y * x_noise + x_noise * y_noise + self.switching(limbs)

    def rescaled(self, noise: float, divisor: int) -> float:
        """Return a bound on the noise of a ciphertext divided by ``divisor``."""
        return noise / divisor + self.rounding()


def bits(bound: float, scale: float) -> float:
    """Return the number of correct bits after the binary point for a bound on the noise."""
    return log2(scale / bound)
