"""Modular operations on vectors of 512 numbers, computed by momagen's own kernels."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.params.words import check_residues
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.table import b512
from momagen.runtime.compiled import Plan, compile_c

from .memory import Words

BITS = b512().machine["bits"]


class Arithmetic:
    """The operations modulo q, from 2 to 2^128 - 1, on operands of shape (512, 2) below q.

    Attributes:
        q: The modulus.
    """

    def __init__(self, q: int) -> None:
        self.q = q

    def add(self, x: Words, y: Words) -> Words:
        """Return x + y."""
        return self._call("vadd", x, y)

    def sub(self, x: Words, y: Words) -> Words:
        """Return x - y."""
        return self._call("vsub", x, y)

    def mul(self, x: Words, y: Words) -> Words:
        """Return x·y."""
        return self._call("vmul", x, y)

    def _call(self, kind: str, x: Words, y: Words) -> Words:
        found = np.empty_like(x)
        _plan(kind, self.q).execute(found, x, y, count=LANES)
        return found

    def check(self, x: Words, what: str) -> None:
        """Check that numbers are below q.

        Raises:
            MomagenError: One is not.
        """
        try:
            check_residues(x, self.q, what)
        except MomagenError as error:
            raise MomagenError(f"numbers below the modulus {self.q:#x}", error.got, error.where) from None


@lru_cache(maxsize=256)
def _plan(kind: str, q: int) -> Plan:
    """Return the plan of a build that serves all moduli, so that operands have 128 bits for any q."""
    serves = BITS if q.bit_length() < BITS else 0
    return compile_c(generate(make_spec(kind, modulus=q, serves=serves))).plan(q, 0)


def spread(number: Words) -> Words:
    """Return one number, of shape (2,), in all lanes."""
    return np.tile(number, (LANES, 1))
