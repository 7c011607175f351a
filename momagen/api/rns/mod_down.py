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
from momagen.kernels.requests.threads import MOST
from momagen.kernels.requests.typed import DivisionMethod
from momagen.lazy import on_call
from momagen.verify import Report
from momagen.verify.rns.moddown import verify_moddown

from .kernels import COUNT, UnaryRowsKernel, kernel_of, rows_target


@checked_methods
class ModDown(UnaryRowsKernel):
    """The numbers (s·a - t·r)/P modulo the remaining moduli; built by :func:`momagen.moddown`."""

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
    """Build a kernel that divides by the product P of the last ``drop`` moduli: the ModDown of key switching.

    The result is (s·a - t·r)/P modulo all other moduli, where r is congruent to s·a/t modulo P. The rows of a are
    residues of coefficients, not of values.

    Args:
        moduli: The RNS basis: numbers from 2 to 2^62, or the number of the largest primes of ``modulus_bits`` bits. The
            last ``drop`` moduli are coprime to each other and to all other moduli; they are odd if the method is
            "exact".
        modulus_bits: The width in bits of the primes, if a number of them was passed.
        drop: The number of moduli by whose product the kernel divides.
        method: "exact" uses |r| < P/2, so that s·a/P is rounded to the nearest integer if t is 1. "corrected" computes
            the same from rounded quotients; if s·a/t modulo P is within P/2^40 of ±P/2, it may use r ± P.
            "fast" uses 0 ≤ r < drop·P, so that results are too small by at most ``drop`` if t is 1.
        scale: s, from 1 to 2^62 - 1. In BFV it is the plaintext modulus, so that a product is scaled and rounded;
            otherwise it is 1.
        plaintext_modulus: t. In BGV it is the plaintext modulus, so that the result is a·P^-1 modulo t; otherwise it is
            1.
        target: A C target with 64-bit words, "native" for the best of them on this CPU, or a CUDA target such as
            "cuda", for which ``drop`` is at most 64, or 32 if the method is "exact".
        threads: The number of threads that compute one call, in C; ``k.threads`` sets another number.

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, moduli, n) to residues of shape (…, moduli - drop, n).

    Raises:
        MomagenError: The moduli or a number are out of range, t shares a factor with P, or the target does not support
            the kernel or threads.

    Examples:
        >>> import momagen as mg
        >>> k = mg.moddown([193, 257, 97, 101], drop=2)
        >>> a = 7 * 97 * 101 + 1
        >>> k([[a % q] for q in k.moduli])
        [[7], [7]]
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
    """Return the checked request of :func:`moddown`; numbers may also be texts."""
    (basis,) = bases_of({"moduli": moduli}, modulus_bits)
    number = 0 if threads is None else count(threads, "threads", 1, MOST)
    if method not in (names := get_args(DivisionMethod)):
        raise among("one of the methods", names, text(method, "method"), "method")
    s, t = integer(scale, "scale"), integer(plaintext_modulus, "plaintext_modulus")
    return check_moddown(
        ModDownSpec(basis, rows_target(target), count(drop, "drop", 1), str(method), s, t, threads=number)
    )
