"""Ciphertexts with what is known of them: scale, a bound of noise, how large their numbers are; what does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2, prod
from typing import Any

from momagen.errors import MomagenError, build_error

SAME = 2.0**-20
"""How far scales of summands may lie apart; what that adds to the error is part of the bound."""
LARGEST = 2.0**62
"""Above all coefficients of plaintexts, which are 64-bit integers on the host."""


@dataclass(frozen=True)
class Ciphertext:
    """What hides N/2 complex numbers.

    Attributes:
        parts: an array of JAX, (2, limbs, N), uint32: values in bit-reversed order.
        scale: by which the numbers were multiplied. noise: a bound, in the same unit, with :attr:`error` in the
            numbers'. size: what all numbers are at most, by absolute value.
    """

    parts: Any
    scale: float
    noise: float
    size: float

    @property
    def limbs(self) -> int:
        """Moduli left."""
        return int(self.parts.shape[-2])

    @property
    def error(self) -> float:
        """A bound for the error of each number; :mod:`momagen.he.noise` says of what kind."""
        return self.noise / self.scale

    def __repr__(self) -> str:
        """Say how large it is and how exact; the values themselves tell nothing."""
        n = int(self.parts.shape[-1])
        limbs = f"{self.limbs} RNS limb{'s' * (self.limbs > 1)} of {n} points"
        bounds = f"error at most {self.error:.2g}, numbers up to {self.size:.3g}"
        return f"<momagen ciphertext of {n // 2} numbers: {limbs}, scale 2^{log2(self.scale):.2f}, {bounds}>"


def check_same(x: Ciphertext, y: Ciphertext, scales: bool = False) -> None:
    """Check that two ciphertexts have the same number of limbs and, if ``scales`` is true, the same scale.

    Raises:
        MomagenError: they differ.
    """
    if x.limbs != y.limbs:
        raise MomagenError(f"{x.limbs} limbs, like x", y.limbs, "y", "use `drop` to remove limbs of the longer one")
    if scales and abs(x.scale / y.scale - 1) > SAME:
        raise MomagenError(f"the scale of x, 2^{log2(x.scale):.2f}", f"2^{log2(y.scale):.2f}", "y")


def check_room(moduli: Sequence[int], size: float) -> None:
    """Check that messages are below half of the product of the moduli; no coefficient exceeds the largest slot.

    Raises:
        MomagenError: they are larger.
    """
    if 2 * size >= prod(moduli):
        problem = f"the message times its scale, 2^{log2(size):.1f}, exceeds half the product of the moduli"
        problem += f", 2^{log2(prod(moduli)) - 1:.1f}"
        raise build_error(problem, "scale", "use a smaller scale or more limbs")
