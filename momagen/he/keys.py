"""Keys: a ternary secret, an encryption key, switching keys. Seeded NumPy: repeatable, and no secure randomness."""

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
"""Of errors, rounded normal ones."""


def ternary(rng: Generator, degree: int) -> Any:
    """N coefficients of -1, 0, 1, each as likely."""
    return rng.integers(-1, 2, degree)


def errors(rng: Generator, degree: int) -> Any:
    """N rounded normal errors."""
    return np.rint(rng.normal(0, SIGMA, degree)).astype(np.int64)


def residues(x: Any, moduli: Basis) -> Any:
    """Integers of the host (…, N) as an array of JAX, (…, moduli, N)."""
    import jax.numpy as jnp

    rows = [np.asarray(x % q, dtype=np.uint32) for q in moduli]
    return jnp.asarray(np.stack(rows, axis=-2))


def uniform(rng: Generator, moduli: Basis, degree: int) -> Any:
    """A uniform element as an array of JAX, (moduli, N)."""
    import jax.numpy as jnp

    return jnp.asarray(np.stack([rng.integers(0, q, degree, dtype=np.uint32) for q in moduli]))


@dataclass
class HeKeys:
    """The secret and what is made of it on demand. A benchmark's keys: do not hide anything with them.

    Attributes:
        secret: s, values modulo all moduli and the auxiliary ones, (L + auxiliary, N). nonzero: its coefficients that
            are not 0. coefficients: of s, on the host.
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
        return self.parameters.moduli + self.parameters.auxiliary

    def small(self, x: Any, moduli: Basis) -> Any:
        """Values of a polynomial of the host."""
        return self.kernels.ntt(residues(x, moduli), moduli)

    def _hiding(self, a: Any, moduli: Basis) -> Any:
        """-a·s + e."""
        e = self.small(errors(self.rng, self.parameters.degree), moduli)
        return self.kernels.subtract(e, self.kernels.multiply(a, self.secret[: len(moduli)], moduli), moduli)

    def switching(self, t: Any) -> Any:
        """The key of t, values modulo all moduli: (dnum, 2, L + auxiliary, N), pairs (-a·s + e + P·g·t, a), where g is
        1 modulo the limbs of the pair's digit and 0 modulo the others."""
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
        """The key of s²."""
        if 0 not in self._switching:
            self._switching[0] = self.switching(self.kernels.multiply(self.secret, self.secret, self._basis))
        return self._switching[0]

    def rotation(self, steps: int) -> Any:
        """The key of s(x^g), g = 5^steps."""
        g = galois(self.parameters.degree, steps)
        if g not in self._switching:
            moved = self.kernels.permute(self.secret, places(self.parameters.degree, g))
            self._switching[g] = self.switching(moved)
        return self._switching[g]
