"""Modular operations on vectors of 512 numbers, by momagen's own kernels."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from momagen.api.kernel import Kernel
from momagen.api.make import blas
from momagen.errors import MomagenError
from momagen.params.words import check_residues
from momagen.rpu.isa.table import b512

from .memory import LANES, Words

BITS = b512().machine["bits"]


class Arithmetic:
    """Modulo q, from 2 to 2^128 - 1; operands are (512, 2), below q."""

    def __init__(self, q: int) -> None:
        self.q = q

    def add(self, x: Words, y: Words) -> Words:
        return self._call("vadd", x, y)

    def sub(self, x: Words, y: Words) -> Words:
        return self._call("vsub", x, y)

    def mul(self, x: Words, y: Words) -> Words:
        return self._call("vmul", x, y)

    def _call(self, kind: str, x: Words, y: Words) -> Words:
        found: Words = _kernel(kind, self.q)(x, y)
        return found

    def check(self, x: Words, what: str, where: str) -> None:
        """Refuse numbers that are not below q.

        Raises:
            MomagenError: one is not.
        """
        try:
            check_residues(x, self.q, f"{where}, {what}")
        except MomagenError as error:
            raise MomagenError(f"numbers below the modulus {self.q:#x}", error.got, error.where) from None


@lru_cache(maxsize=256)
def _kernel(kind: str, q: int) -> Kernel:
    return blas(kind, modulus=q, bits=BITS)


def spread(number: Words) -> Words:
    """One number, (2,), in all lanes."""
    return np.tile(number, (LANES, 1))
