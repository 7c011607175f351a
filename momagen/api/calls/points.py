"""The points at which a transform evaluates, in the order of its values."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec


def exponents(spec: Spec) -> npt.NDArray[np.int64]:
    """Return a read-only array e such that value j of a transform is the value at ω^e[j].

    ω is the transform's root, or ψ if the transform is negacyclic. In natural order e[j] is j, or 2j + 1 if negacyclic,
    because the odd powers of ψ are the roots of x^n + 1. In bit-reversed order, the log2(n) bits of j are reversed
    first.

    Raises:
        MomagenError: The kernel is not a transform.
    """
    check_transform(spec)
    return exponents_of(spec.n, spec.order, spec.negacyclic)


def exponents_of(n: int, order: str, negacyclic: bool) -> npt.NDArray[np.int64]:
    """Return the same array for n values in the order ``order``."""
    position = np.arange(n) if order == "natural" else _reversed(n)
    found = 2 * position + 1 if negacyclic else position
    found.flags.writeable = False
    return found


def points(spec: Spec) -> list[int]:
    """Return ω^e modulo q for each of :func:`exponents`."""
    wanted, powers = exponents(spec).tolist(), [1]
    for _ in range(spec.order_of_root - 1):
        powers.append(powers[-1] * spec.root % spec.modulus)
    return [powers[e] for e in wanted]


def check_transform(spec: Spec) -> None:
    """Check that a kernel is a transform.

    Raises:
        MomagenError: It is not.
    """
    if not spec.kind.has_inverse:
        raise MomagenError("a transform", f"a kernel of the kind {spec.kind}", spec.name)


def _reversed(n: int) -> npt.NDArray[np.int64]:
    """Return 0 … n - 1 with their bits reversed: those of twice the length are 2b and then 2b + 1."""
    found = np.zeros(1, np.int64)
    while found.size < n:
        found = np.concatenate([2 * found, 2 * found + 1])
    return found
