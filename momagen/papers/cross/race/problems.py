"""The problems of races: inputs and the expected results, by integers."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

import momagen as mg
from momagen.bench.measure.kernel import residues
from momagen.errors import MomagenError
from momagen.params.primes import prime_basis, prime_of
from momagen.params.words import Words, words_per

LIMBS = ((12, 28), (24, 56))
"""The numbers of source and target limbs of basis conversions."""
SUM_BITS = 28
"""The width in bits of the moduli of matrix products and basis conversions."""


@dataclass(frozen=True)
class JaxProblem:
    """One kernel on certain inputs.

    Attributes:
        kernel: "ntt", "matmul" or "bconv", or the name of an operator.
        shape: A description of the size.
        n: The points of a transform, the terms of a sum of a matrix product, or the coefficients of a basis conversion.
        bits: The width of each modulus.
        limbs: The number of moduli of the input.
        batch: The number of transforms in one call.
        moduli: The moduli of the last axis of the result; a single one is that of the whole array.
        given: The inputs, arrays of uint64.
        expected: The expected result.
        root: ψ, of order 2n, of a transform.
        sources: The moduli of the input of a basis conversion.
    """

    kernel: str
    shape: str
    n: int
    bits: int
    limbs: int
    batch: int
    moduli: tuple[int, ...]
    given: tuple[Words, ...]
    expected: Words
    root: int = 0
    sources: tuple[int, ...] = ()

    @property
    def modulus(self) -> int:
        """The first modulus."""
        return self.moduli[0]


def transform(bits: int, log: int, batch: int) -> JaxProblem:
    """Return the negacyclic NTT of 2^log points modulo a prime of ``bits`` bits, with values in bit-reversed order.

    The expected result is that of the target c, of which some values are compared with the definition.

    Raises:
        MomagenError: There is no such prime, or the target c is incorrect.
    """
    n, q, words = 1 << log, prime_of(bits, 1 << log), words_per(bits)
    kernel = mg.ntt(n, modulus=q, negacyclic=True, target="c")
    x = residues(words, q, batch * n, seed=log).reshape(batch, n, words)
    y = np.ascontiguousarray(kernel(x))
    check_transform(x[-1], y[-1], q, kernel.root)
    return JaxProblem("ntt", f"2^{log}", n, bits, 1, batch, (q,), (x,), y, kernel.root)


def check_transform(x: Words, y: Words, q: int, root: int) -> None:
    """Compare a few values of a transform with Σ xᵢ·ψ^((2·rev(j) + 1)·i) in Python's integers.

    Raises:
        MomagenError: A value is incorrect.
    """
    n, numbers = len(x), _numbers(x)
    for j in sorted({0, 1, n // 3, n - 1}):
        point = pow(root, 2 * reversed_bits(j, n) + 1, q)
        wanted = 0
        for each in reversed(numbers):
            wanted = (wanted * point + each) % q
        (found,) = _numbers(y[[j]])
        if found != wanted:
            raise MomagenError(f"{wanted} at {j}, by the definition", found, "target c")


def _numbers(rows: Words) -> list[int]:
    return [sum(word << 64 * at for at, word in enumerate(row)) for row in rows.tolist()]


def reversed_bits(j: int, n: int) -> int:
    """Return the index j below n, a power of two, with its bits reversed."""
    return int(format(j, f"0{n.bit_length() - 1}b")[::-1], 2)


def reversal(n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return all indices below n, a power of two, with their bits reversed."""
    return np.array([reversed_bits(j, n) for j in range(n)], np.int64)


def matrix_product(log: int) -> JaxProblem:
    """Return the product of a matrix of 2^log × 2^(log - 1) and a square one, modulo a prime."""
    rows, terms = 1 << log, 1 << log - 1
    q = prime_of(SUM_BITS, 1 << 12)
    draw = np.random.default_rng(log)
    a, b = (draw.integers(0, q, (height, terms), np.uint64) for height in (rows, terms))
    return JaxProblem(
        "matmul", f"{rows} × {terms} × {terms}", terms, SUM_BITS, 1, 1, (q,), (a, b), product_modulo(a, b, q)
    )


def product_modulo(a: Words, b: Words, q: int) -> Words:
    """Return a·b modulo q < 2^31; splitting a into halves keeps sums of up to 2^17 products below 2^64."""
    high, low, mask = np.uint64(16), np.uint64((1 << 16) - 1), np.uint64(q)
    found: Words = (((a >> high) @ b % mask << high) + (a & low) @ b) % mask
    return found


def conversion(log: int, taken: int, made: int) -> JaxProblem:
    """Return a conversion of 2^log coefficients: Σ [x·(Q/qᵢ)⁻¹ mod qᵢ]·(Q/qᵢ) modulo each target modulus.

    Args:
        log: The binary logarithm of the number of coefficients.
        taken: The number of source moduli qᵢ, whose product is Q.
        made: The number of target moduli.

    Raises:
        MomagenError: There are not enough primes.
    """
    basis = prime_basis(taken + made, SUM_BITS, 1 << log)
    sources, goals = basis[:taken], basis[taken:]
    draw = np.random.default_rng(log + taken)
    x = draw.integers(0, np.array(sources, np.uint64), (1 << log, taken), np.uint64)
    return JaxProblem(
        "bconv", f"2^{log}, {taken} → {made}", 1 << log, SUM_BITS, taken, 1, goals, (x,),
        converted(x, sources, goals), sources=sources,
    )  # fmt: skip


def converted(x: Words, sources: tuple[int, ...], goals: tuple[int, ...]) -> Words:
    """Return the sum of :func:`conversion`; products of two numbers below 2^32 are exact in uint64."""
    whole, q, p = prod(sources), np.array(sources, np.uint64), np.array(goals, np.uint64)
    inverses = np.array([pow(whole // each, -1, each) for each in sources], np.uint64)
    digits, found = x * inverses % q, np.zeros((len(x), len(goals)), np.uint64)
    for at, each in enumerate(sources):
        found += digits[:, at : at + 1] * np.array([whole // each % goal for goal in goals], np.uint64) % p
    return found % p


def centred(x: Words, sources: tuple[int, ...], goals: tuple[int, ...]) -> Words:
    """Return the residues modulo ``goals`` of the numbers around 0 that x represents, by Python's integers."""
    whole, number = prod(sources), np.zeros(len(x), object)
    for at, q in enumerate(sources):
        share = whole // q
        number += x[:, at].astype(object) * (share * pow(share, -1, q))
    number = (number + whole // 2) % whole - whole // 2
    return np.stack([(number % p).astype(np.uint64) for p in goals], axis=1)
