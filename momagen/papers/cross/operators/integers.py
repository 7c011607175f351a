"""The expected results of HE operators and kernels, by integers of NumPy and Python.

Transforms are those of the target c, which are compared with the definition. Keys and ciphertexts are uniformly random
residues, which hide nothing and exercise all arithmetic.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np

import momagen as mg
from momagen.he.parameters import HeParameters
from momagen.params.primes import prime_basis
from momagen.params.roots import primitive_root
from momagen.params.words import Words

from ..published import Row
from ..race.problems import centred, check_transform, converted
from ..sweeps.limbs import last

Basis = tuple[int, ...]


@cache
def _transform(degree: int, basis: Basis, inverse: bool) -> Any:
    return mg.ntt(degree, moduli=list(basis), negacyclic=True, target="c", inverse=inverse)


def tops(basis: Basis) -> Words:
    """Return the moduli as an array that broadcasts over arrays of shape (…, limbs, N)."""
    return np.array(basis, np.uint64)[:, None]


def ntt(x: Words, basis: Basis) -> Words:
    """Return the values of polynomials of shape (…, limbs, N)."""
    found: Words = np.asarray(_transform(x.shape[-1], basis, False)(x)).reshape(x.shape)
    one, limb = x.reshape(-1, *x.shape[-2:])[0, 0], found.reshape(-1, *x.shape[-2:])[0, 0]
    check_transform(one[:, None], limb[:, None], basis[0], primitive_root(2 * len(one), basis[0]))
    return found


def intt(x: Words, basis: Basis) -> Words:
    """Return the coefficients of values; their transform by :func:`ntt` is compared with the definition."""
    found: Words = np.asarray(_transform(x.shape[-1], basis, True)(x)).reshape(x.shape)
    ntt(found[..., :1, :], basis[:1])
    return found


def convert(x: Words, basis: Basis, to: Basis, exact: bool = True) -> Words:
    """Return residues of shape (limbs, N) modulo other primes."""
    return last((centred if exact else converted)(last(x), basis, to))


def divided(x: Words, basis: Basis, kept: int) -> Words:
    """Return values divided by the product of the moduli from index ``kept`` on, rounded to nearest."""
    dropped, rest = basis[kept:], basis[:kept]
    below = np.stack([convert(each, dropped, rest) for each in intt(x[..., kept:, :], dropped)])
    inverses = np.array([pow(prod(dropped), -1, q) for q in rest], np.uint64)[:, None]
    found: Words = (x[..., :kept, :] + tops(rest) - ntt(below, rest)) % tops(rest) * inverses % tops(rest)
    return found


def switched(p: HeParameters, d: Words, key: Words) -> Words:
    """Return the key-switched pair of d, (limbs, N), for a key of shape (digits, 2, limbs + auxiliary, N)."""
    basis = p.moduli + p.auxiliary
    total, coefficients = np.zeros((2, len(basis), p.degree), np.uint64), intt(d, p.moduli)
    for at, (low, high) in enumerate(p.parts(p.limbs)):
        others = p.moduli[:low] + p.moduli[high:] + p.auxiliary
        lifted = ntt(convert(coefficients[low:high], p.moduli[low:high], others, not p.approximate), others)
        digit = np.concatenate([lifted[:low], d[low:high], lifted[low:]])
        total = (total + key[at] * digit % tops(basis)) % tops(basis)
    return divided(total, basis, p.limbs)


def multiplied(p: HeParameters, x: Words, y: Words, key: Words) -> Words:
    """Return the result of HE-Mult."""
    q = tops(p.moduli)
    ends, crossed = x * y % q, (x[0] * y[1] % q + x[1] * y[0] % q) % q
    found: Words = (np.stack([ends[0], crossed]) + switched(p, ends[1], key)) % q
    return found


def turned(x: Words, basis: Basis, g: int) -> Words:
    """Return a(x^g) for the values of a, by its coefficients: xⁱ becomes x^(i·g), and x^N is -1."""
    a, n = intt(x, basis), x.shape[-1]
    to = np.arange(n) * g % (2 * n)
    found = np.empty_like(a)
    found[..., to % n] = np.where(to >= n, (tops(basis) - a) % tops(basis), a)
    return ntt(found, basis)


def rotated(p: HeParameters, x: Words, g: int, key: Words) -> Words:
    """Return the result of Rotate."""
    moved = turned(x, p.moduli, g)
    fresh = switched(p, moved[1], key)
    return np.stack([(moved[0] + fresh[0]) % tops(p.moduli), fresh[1]])


def parameters(row: Row) -> HeParameters:
    """Return the parameters of a row of Table VIII.

    Raises:
        MomagenError: There are not enough primes.
    """
    found = HeParameters(row["degree"], row["limbs"], 28, row["digits"], name=row["name"])
    prime_basis(found.limbs + found.digit, found.bits, found.degree)
    return found
