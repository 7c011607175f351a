"""Problems modulo several primes at a time, and matrix products of any shape."""

from __future__ import annotations

import numpy as np

import momagen as mg
from momagen.params.primes import prime_basis, prime_of
from momagen.params.roots import primitive_root
from momagen.params.words import Words

from ..problems import SUM_BITS, Problem, check_transform, product_modulo


def drawn(basis: tuple[int, ...], shape: tuple[int, ...], seed: int) -> Words:
    """Residues modulo each of a basis: (…, limbs, n) for a shape (…, n)."""
    tops = np.array(basis, np.uint64)[:, None]
    found: Words = np.random.default_rng(seed).integers(0, tops, (*shape[:-1], len(basis), shape[-1]), np.uint64)
    return found


def last(found: Words) -> Words:
    """(…, limbs, n) with limbs as the last axis, as problems have it."""
    return np.ascontiguousarray(np.swapaxes(found, -1, -2))


def transforms(log: int, limbs: int, batch: int, bits: int = SUM_BITS) -> Problem:
    """Negacyclic NTTs of 2^log points modulo each of so many primes, as of :func:`momagen.ntt`: (batch, limbs, n).

    What must come out is the target c's, of which some values of the first and the last limb are compared with the
    definition.

    Raises:
        MomagenError: there are not so many primes; the target c is wrong.
    """
    n, basis = 1 << log, prime_basis(limbs, bits, 1 << log)
    x = drawn(basis, (batch, n), log + limbs)
    y: Words = np.asarray(mg.ntt(n, moduli=list(basis), negacyclic=True, target="c")(x)).reshape(x.shape)
    roots = [primitive_root(2 * n, q) for q in basis]
    for at in {0, limbs - 1}:
        check_transform(x[-1, at][:, None], y[-1, at][:, None], basis[at], roots[at])
    return Problem("ntt", f"2^{log}, {limbs} limbs", n, bits, limbs, batch, basis, (x,), last(y), roots[0])


def products(degree: int, limbs: int, batch: int, bits: int = SUM_BITS) -> Problem:
    """Products of residues, element by element: x, y and, for kernels of a number for each modulus, that number."""
    basis = prime_basis(limbs, bits, degree)
    x, y = (drawn(basis, (batch, degree), seed) for seed in (1, 2))
    tops = np.array(basis, np.uint64)[:, None]
    shape = f"2^{degree.bit_length() - 1}, {limbs} limbs"
    return Problem("vmul", shape, degree, bits, limbs, batch, basis, (x, y), last(x * y % tops))


def matrix(rows: int, inner: int, columns: int, bits: int = SUM_BITS) -> Problem:
    """A matrix of rows × inner times one of inner × columns, modulo one prime."""
    q, draw = prime_of(bits, 1 << 12), np.random.default_rng(rows)
    a, b = (draw.integers(0, q, shape, np.uint64) for shape in ((rows, inner), (inner, columns)))
    shape = f"{rows} × {inner} × {columns}"
    return Problem("matmul", shape, inner, bits, 1, 1, (q,), (a, b), product_modulo(a, b, q))
