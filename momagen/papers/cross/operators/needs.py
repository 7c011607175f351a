"""The operations and bytes of HE operators and their kernels on TPUs, from the kernels that they call."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from momagen.he.counts import counts
from momagen.he.parameters import HeParameters

from ..sweeps import needs

OPERATORS = ("add", "subtract", "multiply", "rescale", "rotate")
KERNELS = ("ntt", "intt", "multiply", "add", "permute", "convert")
NAMES = {"add": "HE-Add", "subtract": "HE-Sub", "multiply": "HE-Mult", "rescale": "Rescale", "rotate": "Rotate"}
BLAS = {"multiply": "vmul", "add": "vadd"}


def kernel_needs(p: HeParameters, name: str) -> needs.Needs | None:
    """Return the counts of a kernel on a ciphertext with all limbs; a conversion converts the first digit."""
    if name == "convert":
        return needs.conversion(p.digit, p.limbs, p.degree, True)
    if name in ("ntt", "intt"):
        return needs.transform(p.degree, p.limbs, 2, {}, inverse=name == "intt")
    return _elementwise(name, 2 * p.limbs * p.degree)


def vectors(p: HeParameters, name: str) -> int:
    """Return the number of vectors of N residues of one call, or of pairs of limbs of a conversion."""
    return p.digit * p.limbs if name == "convert" else 2 * p.limbs


def operator_needs(p: HeParameters, operator: str) -> needs.Needs | None:
    """Return the counts of an operator on all limbs: the sum over its kernels, which do not overlap."""
    called = counts(operator, p)
    parts: Mapping[object, needs.Needs | None] = {key: _one(key, p.degree) for key in called}
    known = {str(key): part for key, part in parts.items() if part is not None}
    if len(known) < len(parts):
        return None
    return needs.summed(known, {str(key): calls for key, calls in called.items()})


@cache
def _one(key: object, degree: int) -> needs.Needs | None:
    """Return the counts of one vector of N residues, or of a conversion of N columns."""
    if isinstance(key, tuple):
        _, taken, made, exact = key
        return needs.conversion(taken, made, degree, exact)
    if key in ("ntt", "intt"):
        return needs.transform(degree, 1, 1, {}, inverse=key == "intt")
    return _elementwise(str(key), degree)


def _elementwise(name: str, elements: int) -> needs.Needs | None:
    return needs.elementwise(BLAS[name], elements, {}) if name in BLAS else needs.moved(elements)
