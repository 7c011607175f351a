"""Ciphertexts with their scale, a bound on their noise and the size of their numbers, and checks that operands fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2, prod
from typing import Any

from momagen.errors import MomagenError, build_error

SAME = 2.0**-20
"""The largest relative difference between the scales of summands; the resulting error is part of the bound."""
LARGEST = 2.0**62
"""A bound on all coefficients of plaintexts, which are 64-bit integers on the host."""


@dataclass(frozen=True)
class Ciphertext:
    """An encryption of N/2 complex numbers.

    Attributes:
        parts: A uint32 array of JAX of shape (2, limbs, N): values of two polynomials in bit-reversed order.
        scale: The factor by which the numbers were multiplied.
        noise: A bound on the noise, in units of a plaintext's coefficients. :attr:`error` is the same bound in units of
            the numbers.
        size: A bound on the absolute values of all numbers.
    """

    parts: Any
    scale: float
    noise: float
    size: float

    @property
    def limbs(self) -> int:
        """The number of remaining moduli (RNS limbs)."""
        return int(self.parts.shape[-2])

    @property
    def error(self) -> float:
        """A bound on the error of each number; :mod:`momagen.he.noise` defines it."""
        return self.noise / self.scale

    def __repr__(self) -> str:
        """Return a summary with the size and the error bound, without values."""
        n = int(self.parts.shape[-1])
        limbs = f"{self.limbs} RNS limb{'s' * (self.limbs > 1)} of {n} points"
        bounds = f"error at most {self.error:.2g}, numbers up to {self.size:.3g}"
        return f"<momagen ciphertext of {n // 2} numbers: {limbs}, scale 2^{log2(self.scale):.2f}, {bounds}>"


def check_same(x: Ciphertext, y: Ciphertext, scales: bool = False) -> None:
    """Check that two ciphertexts have the same number of RNS limbs and, if ``scales`` is true, the same scale.

    Raises:
        MomagenError: They differ.
    """
    if x.limbs != y.limbs:
        raise MomagenError(f"{x.limbs} limbs, like x", y.limbs, "y", "use `drop` to remove limbs of the longer one")
    if scales and abs(x.scale / y.scale - 1) > SAME:
        raise MomagenError(f"the scale of x, 2^{log2(x.scale):.2f}", f"2^{log2(y.scale):.2f}", "y")


def check_room(moduli: Sequence[int], size: float) -> None:
    """Check that messages are below half of the product of moduli; coefficients are at most as large as slots.

    Args:
        moduli: The moduli.
        size: A bound on the messages, including the scale.

    Raises:
        MomagenError: They are larger.
    """
    if 2 * size >= prod(moduli):
        problem = f"the message times its scale, 2^{log2(size):.1f}, exceeds half the product of the moduli"
        problem += f", 2^{log2(prod(moduli)) - 1:.1f}"
        raise build_error(problem, "scale", "use a smaller scale or more limbs")
