"""What is computed in a race: numbers given, and what must come out, by integers."""

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
"""Limbs that a basis conversion takes and gives."""
SUM_BITS = 28
"""Bits of the moduli of matrix products and basis conversions."""


@dataclass(frozen=True)
class Problem:
    """One kernel on certain numbers.

    Attributes:
        kernel: "ntt", "matmul" or "bconv". shape: its size, for a reader.
        n: points of a transform, the sum's terms of a matrix product, coefficients of a basis conversion.
        bits: of each modulus. limbs: moduli of what is given. batch: transforms at a time.
        moduli: of the last axis of what comes out; one serves a whole array. given: arrays of uint64.
        expected: what must come out. root: ψ, of order 2n, of a transform.
        sources: the moduli of what is given, of a basis conversion.
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
        """The first one, where there is one."""
        return self.moduli[0]


def transform(bits: int, log: int, batch: int) -> Problem:
    """The negacyclic NTT of 2^log points modulo a prime of so many bits, values in bit-reversed order.

    What must come out is the target c's, of which some values are compared with the definition.

    Raises:
        MomagenError: no such prime; the target c is wrong.
    """
    n, q, words = 1 << log, prime_of(bits, 1 << log), words_per(bits)
    kernel = mg.ntt(n, modulus=q, negacyclic=True, target="c")
    x = residues(words, q, batch * n, seed=log).reshape(batch, n, words)
    y = np.ascontiguousarray(kernel(x))
    check_transform(x[-1], y[-1], q, kernel.root)
    return Problem("ntt", f"2^{log}", n, bits, 1, batch, (q,), (x,), y, kernel.root)


def check_transform(x: Words, y: Words, q: int, root: int) -> None:
    """A few values of a transform against Σ xᵢ·ψ^((2·rev(j) + 1)·i) in Python's integers."""
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
    """An index below n, a power of two, with its bits reversed."""
    return int(format(j, f"0{n.bit_length() - 1}b")[::-1], 2)


def reversal(n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Every index below n, a power of two, with its bits reversed."""
    return np.array([reversed_bits(j, n) for j in range(n)], np.int64)


def matrix_product(log: int) -> Problem:
    """A matrix of 2^log × 2^(log - 1) times a square one, modulo a prime of :data:`SUM_BITS` bits."""
    rows, terms = 1 << log, 1 << log - 1
    q = prime_of(SUM_BITS, 1 << 12)
    draw = np.random.default_rng(log)
    a, b = (draw.integers(0, q, (height, terms), np.uint64) for height in (rows, terms))
    return Problem(
        "matmul", f"{rows} × {terms} × {terms}", terms, SUM_BITS, 1, 1, (q,), (a, b), product_modulo(a, b, q)
    )


def product_modulo(a: Words, b: Words, q: int) -> Words:
    """a·b modulo q < 2^31: halves of a keep sums of up to 2^17 products below 2^64."""
    high, low, mask = np.uint64(16), np.uint64((1 << 16) - 1), np.uint64(q)
    found: Words = (((a >> high) @ b % mask << high) + (a & low) @ b) % mask
    return found


def conversion(log: int, taken: int, made: int) -> Problem:
    """2^log coefficients modulo ``taken`` primes, to ``made`` others: Σ [x·(Q/qᵢ)⁻¹ mod qᵢ]·(Q/qᵢ) modulo each.

    Raises:
        MomagenError: there are not so many primes.
    """
    basis = prime_basis(taken + made, SUM_BITS, 1 << log)
    sources, goals = basis[:taken], basis[taken:]
    draw = np.random.default_rng(log + taken)
    x = draw.integers(0, np.array(sources, np.uint64), (1 << log, taken), np.uint64)
    return Problem(
        "bconv", f"2^{log}, {taken} → {made}", 1 << log, SUM_BITS, taken, 1, goals, (x,),
        converted(x, sources, goals), sources=sources,
    )  # fmt: skip


def converted(x: Words, sources: tuple[int, ...], goals: tuple[int, ...]) -> Words:
    """The sum above; products of two numbers below 2^32 are exact in uint64."""
    whole, q, p = prod(sources), np.array(sources, np.uint64), np.array(goals, np.uint64)
    inverses = np.array([pow(whole // each, -1, each) for each in sources], np.uint64)
    digits, found = x * inverses % q, np.zeros((len(x), len(goals)), np.uint64)
    for at, each in enumerate(sources):
        found += digits[:, at : at + 1] * np.array([whole // each % goal for goal in goals], np.uint64) % p
    return found % p


def centred(x: Words, sources: tuple[int, ...], goals: tuple[int, ...]) -> Words:
    """Residues modulo the goals of the numbers around 0 that x says, by integers of Python."""
    whole, number = prod(sources), np.zeros(len(x), object)
    for at, q in enumerate(sources):
        share = whole // q
        number += x[:, at].astype(object) * (share * pow(share, -1, q))
    number = (number + whole // 2) % whole - whole // 2
    return np.stack([(number % p).astype(np.uint64) for p in goals], axis=1)
