"""Keys: a ternary secret, an encryption key and switching keys, from seeded NumPy randomness, which is not secure."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.random import Generator

from .kernels import Basis, RnsKernels, places
from .operators import galois
from .parameters import HeParameters

SIGMA = 3.2
"""The standard deviation of errors, which are rounded normal numbers."""


def ternary(rng: Generator, degree: int) -> Any:
    """Return N coefficients of -1, 0 and 1 with equal probabilities."""
    return rng.integers(-1, 2, degree)


def errors(rng: Generator, degree: int) -> Any:
    """Return N rounded normal errors."""
    return np.rint(rng.normal(0, SIGMA, degree)).astype(np.int64)


def residues(x: Any, moduli: Basis) -> Any:
    """Return integers of the host (…, N) as an array of JAX, (…, moduli, N)."""
    import jax.numpy as jnp

    rows = [np.asarray(x % q, dtype=np.uint32) for q in moduli]
    return jnp.asarray(np.stack(rows, axis=-2))


def uniform(rng: Generator, moduli: Basis, degree: int) -> Any:
    """Return a uniformly random element as an array of JAX, (moduli, N)."""
    import jax.numpy as jnp

    return jnp.asarray(np.stack([rng.integers(0, q, degree, dtype=np.uint32) for q in moduli]))


@dataclass
class HeKeys:
    """The secret key and the keys that are derived from it on demand; they are for benchmarks and protect nothing.

    Attributes:
        kernels: The kernels.
        parameters: The parameters.
        rng: The random generator.
        secret: The values of s modulo all moduli and the auxiliary ones, of shape (L + auxiliary, N).
        nonzero: The number of coefficients of s that are not 0.
        coefficients: The coefficients of s, on the host.
        public: The encryption key, a pair (-a·s + e, a).
    """

    kernels: RnsKernels
    parameters: HeParameters
    rng: Generator

    def __post_init__(self) -> None:
        self.coefficients = ternary(self.rng, self.parameters.degree)
        self.nonzero = int(np.count_nonzero(self.coefficients))
        self.secret = self.small(self.coefficients, self._basis)
        self._switching: dict[int, Any] = {}
        a = uniform(self.rng, self.parameters.moduli, self.parameters.degree)
        self.public = (self._hiding(a, self.parameters.moduli), a)

    @property
    def _basis(self) -> Basis:
        """The moduli and the auxiliary ones."""
        return self.parameters.moduli + self.parameters.auxiliary

    def small(self, x: Any, moduli: Basis) -> Any:
        """Return the values of a polynomial of the host."""
        return self.kernels.ntt(residues(x, moduli), moduli)

    def _hiding(self, a: Any, moduli: Basis) -> Any:
        """Return -a·s + e for a new error e."""
        e = self.small(errors(self.rng, self.parameters.degree), moduli)
        return self.kernels.subtract(e, self.kernels.multiply(a, self.secret[: len(moduli)], moduli), moduli)

    def switching(self, t: Any) -> Any:
        """Return the switching key of t, whose values are given modulo all moduli.

        Its shape is (dnum, 2, L + auxiliary, N): pairs (-a·s + e + P·g·t, a), where g is 1 modulo the limbs of the
        pair's digit and 0 modulo the others.
        """
        import jax.numpy as jnp

        limbs, lift = self.parameters.limbs, prod(self.parameters.auxiliary)
        pairs = []
        for low, high in self.parameters.parts(limbs):
            a = uniform(self.rng, self._basis, self.parameters.degree)
            gadget = [lift * (low <= at < high) for at in range(len(self._basis))]
            shown = self.kernels.scale(t, gadget, self._basis)
            pairs.append(jnp.stack([self.kernels.add(self._hiding(a, self._basis), shown, self._basis), a]))
        return jnp.stack(pairs)

    def relinearisation(self) -> Any:
        """Return the switching key of s²."""
        if 0 not in self._switching:
            self._switching[0] = self.switching(self.kernels.multiply(self.secret, self.secret, self._basis))
        return self._switching[0]

    def rotation(self, steps: int) -> Any:
        """Return the switching key of s(x^g) for g = 5^steps."""
        g = galois(self.parameters.degree, steps)
        if g not in self._switching:
            moved = self.kernels.permute(self.secret, places(self.parameters.degree, g))
            self._switching[g] = self.switching(moved)
        return self._switching[g]
