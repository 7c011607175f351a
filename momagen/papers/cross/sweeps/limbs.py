"""Problems modulo several primes, and matrix products of any shape."""

from __future__ import annotations

import numpy as np

import momagen as mg
from momagen.params.primes import prime_basis, prime_of
from momagen.params.roots import primitive_root
from momagen.params.words import Words

from ..race.problems import SUM_BITS, JaxProblem, check_transform, product_modulo


def drawn(basis: tuple[int, ...], shape: tuple[int, ...], seed: int) -> Words:
    """Return random residues of shape (…, limbs, n) modulo the primes of a basis, for a shape (…, n)."""
    tops = np.array(basis, np.uint64)[:, None]
    found: Words = np.random.default_rng(seed).integers(0, tops, (*shape[:-1], len(basis), shape[-1]), np.uint64)
    return found


def last(found: Words) -> Words:
    """Return an array of shape (…, limbs, n) with limbs as the last axis."""
    return np.ascontiguousarray(np.swapaxes(found, -1, -2))


def transforms(log: int, limbs: int, batch: int, bits: int = SUM_BITS) -> JaxProblem:
    """Return negacyclic NTTs of 2^log points modulo several primes, of shape (batch, limbs, n).

    The expected result is that of the target c, of which some values of the first and last limb are compared with the
    definition.

    Raises:
        MomagenError: There are not enough primes, or the target c is incorrect.
    """
    n, basis = 1 << log, prime_basis(limbs, bits, 1 << log)
    x = drawn(basis, (batch, n), log + limbs)
    y: Words = np.asarray(mg.ntt(n, moduli=list(basis), negacyclic=True, target="c")(x)).reshape(x.shape)
    roots = [primitive_root(2 * n, q) for q in basis]
    for at in {0, limbs - 1}:
        check_transform(x[-1, at][:, None], y[-1, at][:, None], basis[at], roots[at])
    return JaxProblem("ntt", f"2^{log}, {limbs} limbs", n, bits, limbs, batch, basis, (x,), last(y), roots[0])


def products(degree: int, limbs: int, batch: int, bits: int = SUM_BITS) -> JaxProblem:
    """Return element-wise products of residues."""
    basis = prime_basis(limbs, bits, degree)
    x, y = (drawn(basis, (batch, degree), seed) for seed in (1, 2))
    tops = np.array(basis, np.uint64)[:, None]
    shape = f"2^{degree.bit_length() - 1}, {limbs} limbs"
    return JaxProblem("vmul", shape, degree, bits, limbs, batch, basis, (x, y), last(x * y % tops))


def matrix(rows: int, inner: int, columns: int, bits: int = SUM_BITS) -> JaxProblem:
    """Return the product of a matrix of rows × inner and one of inner × columns, modulo one prime."""
    q, draw = prime_of(bits, 1 << 12), np.random.default_rng(rows)
    a, b = (draw.integers(0, q, shape, np.uint64) for shape in ((rows, inner), (inner, columns)))
    shape = f"{rows} × {inner} × {columns}"
    return JaxProblem("matmul", shape, inner, bits, 1, 1, (q,), (a, b), product_modulo(a, b, q))
