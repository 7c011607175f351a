"""Division by the product of the last moduli of an RNS basis, on the rows of NumPy arrays and lists."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from typing import get_args

from momagen.api.checks.arguments import text
from momagen.api.moduli import bases_of
from momagen.api.numbers import count, integer
from momagen.api.request import TargetName
from momagen.arguments import checked_arguments, checked_methods
from momagen.errors import among
from momagen.kernels.matrices.moddown import ModDownSpec, check_moddown
from momagen.kernels.spec.threads import MOST
from momagen.kernels.spec.typed import DivisionMethod
from momagen.lazy import on_call
from momagen.verify import Report
from momagen.verify.rns.moddown import verify_moddown

from .kernels import COUNT, UnaryRowsKernel, kernel_of, rows_target


@checked_methods
class ModDown(UnaryRowsKernel):
    """The numbers (s·a - t·r)/P modulo the moduli that stay; built by :func:`momagen.moddown`."""

    spec: ModDownSpec

    @cached_property
    def _plan(self) -> int:
        s, t = self.spec.scale, self.spec.plaintext_modulus
        return self._created([self.moduli], (COUNT, self.spec.drop), (ctypes.c_uint64, s), (ctypes.c_uint64, t))

    def _compared(self, seed: int) -> Report:
        return verify_moddown(self.name, self._on_integers, self.spec, seed)


@checked_arguments
def moddown(
    moduli: Sequence[int] | int, *, modulus_bits: int | None = None, drop: int = 1,
    method: DivisionMethod = "corrected", scale: int = 1, plaintext_modulus: int = 1, target: TargetName = "c",
    threads: int | None = None,
) -> ModDown:  # fmt: skip
    """Build a kernel that divides by the product P of the last ``drop`` moduli: ModDown of key switching and rescaling.

    The result is (s·a - t·r)/P modulo all other moduli, where r is congruent to s·a/t modulo P. Residues of a are rows
    of coefficients, not of values.

    Args:
        moduli: the RNS basis: numbers from 2 to 2^62, or the number of the largest primes of ``modulus_bits`` bits. The
            last ``drop`` moduli share no factor with any other modulus; they are odd if the method is "exact".
        drop: the number of moduli that divide.
        method: "exact" takes |r| < P/2, so that s·a/P is rounded to the nearest integer if t is 1. "corrected" computes
            the same from rounded quotients; if s·a/t modulo P is within P/2^40 of ±P/2, r may have the other sign.
            "fast" takes 0 ≤ r < drop·P, so that results are too small by at most ``drop`` if t is 1.
        scale: s, from 1 to 2^62 - 1: BFV's plaintext modulus, with which a product is scaled and rounded; otherwise 1.
        plaintext_modulus: t: BGV's plaintext modulus, so that a·P^-1 modulo t is kept; otherwise 1.
        target: a target in C with 64-bit words, "native" for the best of them on this CPU, or a target in CUDA such as
            "cuda", where ``drop`` is at most 64, or 32 if the method is "exact".
        threads: the number of threads that do a call together, in C; `k.threads` sets another number.

    Raises:
        MomagenError: other moduli, numbers or threads, t shares a factor with P, or a target of another language.
    """
    spec = moddown_spec(
        moduli, modulus_bits=modulus_bits, drop=drop, method=method, plaintext_modulus=plaintext_modulus,
        scale=scale, target=target, threads=threads,
    )  # fmt: skip
    return kernel_of(spec, ModDown, on_call("momagen.api.rns.on_device", "CudaModDown"))


def moddown_spec(
    moduli: object, *, modulus_bits: object = None, drop: object = 1, method: object = "corrected",
    scale: object = 1, plaintext_modulus: object = 1, target: TargetName = "c", threads: object = None,
) -> ModDownSpec:  # fmt: skip
    """Return the checked request of :func:`moddown`, of which numbers may also be texts."""
    (basis,) = bases_of({"moduli": moduli}, modulus_bits)
    number = 0 if threads is None else count(threads, "threads", 1, MOST)
    if method not in (names := get_args(DivisionMethod)):
        raise among("one of the methods", names, text(method, "method"), "method")
    s, t = integer(scale, "scale"), integer(plaintext_modulus, "plaintext_modulus")
    return check_moddown(
        ModDownSpec(basis, rows_target(target), count(drop, "drop", 1), str(method), s, t, threads=number)
    )
