"""The correct results, computed from definitions alone on gmpy2 integers, independently of the generated code.

Vectors are uint64 arrays of shape (n, words): contiguous residues with the low word first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from operator import mul
from typing import NamedTuple

import gmpy2
import numpy as np
from gmpy2 import mpz

from momagen.kinds.modular.derived.meaning import meaning
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, from_words, to_words

CHUNK = 1 << 15
"""The number of residues that are Python integers at the same time."""


def blas(spec: Spec, scalars: Sequence[int], vectors: Sequence[Words], q: int) -> list[int]:
    """Return the result of the element-wise kernel of ``spec``, computed from its meaning on gmpy2 integers.

    Args:
        spec: The specification.
        scalars: The scalars.
        vectors: The vectors.
        q: The modulus.
    """
    given, m = [mpz(a) for a in scalars], mpz(q)
    return [int(meaning(spec, m, *given, *map(mpz, row))) for row in zip(*map(from_words, vectors), strict=True)]


def any_root(order: int, q: int) -> int:
    """Return a root of unity of ``order``, a power of two that divides q - 1: b^((q-1)/order) for a non-residue b."""
    nonresidue = next(b for b in count(2) if gmpy2.jacobi(b, q) == -1)
    return int(gmpy2.powmod(nonresidue, (q - 1) // order, q))


def evaluate(x: Words, points: Sequence[int], q: int) -> list[int]:
    """Return Σ x_j p^j mod q at every point p.

    With j = S·r + s the sum is Σ_s p^s Σ_r x_(S·r+s) (p^S)^r. One big integer holds a row r, with a slot for each s, so
    that the inner sums of all s take one multiplication per row. The outer sum is computed by Horner's scheme.
    """
    n, words = x.shape
    size = 1 << n.bit_length() // 2
    steps = [gmpy2.powmod(p, size, q) for p in points]
    powers, sums = [mpz(1)] * len(steps), [mpz(0)] * len(steps)
    for start in range(0, n, size):
        row = _packed(x[start : start + size], 2 * words + 1)
        sums = [total + row * power for total, power in zip(sums, powers, strict=True)]
        powers = [power * step % q for power, step in zip(powers, steps, strict=True)]
    return [_horner(_unpacked(total, size, 2 * words + 1), mpz(p), q) for total, p in zip(sums, points, strict=True)]


def _packed(rows: Words, slot: int) -> mpz:
    """Return Σ rows_s 2^(64·slot·s)."""
    wide = np.zeros((len(rows), slot), np.dtype("<u8"))
    wide[:, : rows.shape[1]] = rows
    return mpz(int.from_bytes(wide.tobytes(), "little"))


def _unpacked(number: mpz, slots: int, slot: int) -> list[int]:
    """Return the numbers in the slots of a big integer."""
    return from_words(to_words([int(number)], slots * slot).reshape(slots, slot))


def _horner(coefficients: Sequence[int], point: mpz, q: int) -> int:
    """Return the value of a polynomial at a point modulo q."""
    total = mpz(0)
    for c in reversed(coefficients):
        total = (total * point + c) % q
    return int(total)


def product(x: Words, y: Words, q: int, negacyclic: bool, power: int = 1) -> list[int]:
    """Return x·y modulo x^n - power, or x^n + power if ``negacyclic`` is true, by Kronecker substitution.

    The substitution takes one product of big integers.

    Args:
        x: The first polynomial.
        y: The second polynomial.
        q: The modulus.
        negacyclic: Whether the ring is the negacyclic one.
        power: The constant that x^n equals, up to its sign.
    """
    n, words = x.shape
    slot = 2 * words + 1
    full = _unpacked(_packed(x, slot) * _packed(y, slot), 2 * n, slot)
    sign = -power if negacyclic else power
    return [int((low + sign * mpz(high)) % q) for low, high in zip(full[:n], full[n:], strict=True)]


def product_at(x: Words, y: Words, indices: Sequence[int], q: int, negacyclic: bool, power: int = 1) -> list[int]:
    """Return the coefficients of the same product at ``indices``: Σ_(j≤i) x_(i-j) y_j ± Σ_(j>i) x_(n+i-j) y_j.

    Args:
        x: The first polynomial.
        y: The second polynomial, whose zeros are skipped.
        indices: The indices.
        q: The modulus.
        negacyclic: Whether the ring is the negacyclic one.
        power: The constant that x^n equals, up to its sign.
    """
    support, sign = np.flatnonzero(y.any(axis=1)), -power if negacyclic else power
    splits = ((support[support <= i], support[support > i], i) for i in indices)
    return [int((_dot(x[i - low], y[low]) + sign * _dot(x[len(x) + i - high], y[high])) % q) for low, high, i in splits]


def remainder_products(spec: Spec, q: int, root: int, x: Words, y: Words, indices: Sequence[int]) -> list[int]:
    """Return coefficients of the products modulo every x^d - z, divided by 2^montgomery.

    Row i is at indices d·i … d·i + d - 1, and its z is root^e, where e is the position of the factor in the order of
    ``spec``, or 2·position + 1 in the negacyclic ring.

    Args:
        spec: The specification.
        q: The modulus.
        root: The root of unity.
        x: The first operand.
        y: The second operand.
        indices: The indices of the coefficients.
    """
    d, less = spec.degree, gmpy2.invert(gmpy2.powmod(2, spec.montgomery, q), q)
    positions, found = bit_reversed(spec.n) if spec.order == "bitrev" else np.arange(spec.n), list[int]()
    for at in indices:
        row, k = divmod(at, d)
        e = int(positions[row])
        z = gmpy2.powmod(root, 2 * e + 1 if spec.negacyclic else e, q)
        a, b = (list(map(mpz, from_words(part[row * d : row * d + d]))) for part in (x, y))
        total = sum((a[i] * b[k - i] if i <= k else z * a[i] * b[d + k - i] for i in range(d)), mpz(0))
        found.append(int(total * less % q))
    return found


def _dot(x: Words, y: Words) -> mpz:
    """Return the inner product of two vectors as an integer."""
    return sum((sum(map(mul, u, v)) for u, v in _chunks(x, y)), mpz(0))


def pointwise(x: Words, y: Words, q: int) -> Words:
    """Return x_i·y_i mod q."""
    parts = [to_words([int(a * b % q) for a, b in zip(u, v, strict=True)], x.shape[1]) for u, v in _chunks(x, y)]
    return np.concatenate(parts)


def _chunks(x: Words, y: Words) -> Iterator[tuple[list[mpz], list[mpz]]]:
    """Yield the residues of two vectors as integers, chunk by chunk."""
    for start in range(0, len(x), CHUNK):
        yield tuple([mpz(v) for v in from_words(z[start : start + CHUNK])] for z in (x, y))  # type: ignore[misc]


@dataclass(frozen=True)
class Definition:
    """The transform of a specification, as sums over its operand; of several columns, as sums over each.

    With t = root, the forward transform is X_k = Σ_j x_j t^(j·k), and the inverse one x_j = 1/n Σ_k X_k t^(-j·k). In
    the negacyclic ring, 2k + 1 replaces k, so that the inverse is x_j = t^(-j)/n Σ_k X_k t^(-2j·k). On a coset, g·t^k
    replaces t^k. An automorphism permutes coefficients, before the forward transform or after the inverse one.

    Attributes:
        spec: The specification.
        q: The modulus.
        root: The root of unity.
    """

    spec: Spec
    q: int
    root: int

    @cached_property
    def _positions(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The frequency at each index of the transformed side, a permutation that is its own inverse."""
        n = self.spec.n
        return bit_reversed(n) if self.spec.order == "bitrev" else np.arange(n)

    def outputs(self, x: Words, indices: Sequence[int]) -> list[int]:
        """Return the correct outputs at ``indices`` for the operand ``x``.

        The element in row i and column j has the index i·columns + j.
        """
        m, one = self.spec.columns, self._inverse if self.spec.inverse else self._forward
        rows = {column: [at // m for at in indices if at % m == column] for column in range(m)}
        found = {column: iter(one(x[column::m], rows[column])) for column in range(m) if rows[column]}
        return [next(found[at % m]) for at in indices]

    def _forward(self, x: Words, indices: Sequence[int]) -> list[int]:
        """Return values of the forward transform of one column."""
        if self.spec.automorphism > 1:
            x = moved_coefficients(x, self.spec.automorphism, self.spec.negacyclic, self.q)
        exponents = [int(self._positions[i]) for i in indices]
        if self.spec.negacyclic:
            exponents = [2 * e + 1 for e in exponents]
        factor = self.spec.coset or 1
        return evaluate(x, [int(factor * gmpy2.powmod(self.root, e, self.q) % self.q) for e in exponents], self.q)

    def _inverse(self, x: Words, indices: Sequence[int]) -> list[int]:
        """Return coefficients of the inverse transform of one column."""
        if self.spec.automorphism == 1:
            return self._coefficients(x, indices)
        to = moved_powers(self.spec.n, self.spec.automorphism, self.spec.negacyclic)
        origins = np.argsort(to.places)[np.asarray(indices, np.int64)]
        found = zip(self._coefficients(x, origins.tolist()), to.negated[origins], strict=True)
        return [-value % self.q if negated else value for value, negated in found]

    def _coefficients(self, x: Words, indices: Sequence[int]) -> list[int]:
        """Return coefficients of the inverse transform without the automorphism."""
        step = -2 if self.spec.negacyclic else -1
        sums = evaluate(x[self._positions], [int(gmpy2.powmod(self.root, step * j, self.q)) for j in indices], self.q)
        scale = gmpy2.powmod(2, -self.spec.divisor_bits, self.q)
        twist = -1 if self.spec.negacyclic else 0
        less = gmpy2.invert(self.spec.coset or 1, self.q)
        factors = [scale * gmpy2.powmod(self.root, twist * j, self.q) * gmpy2.powmod(less, j, self.q) for j in indices]
        return [int(s * factor % self.q) for s, factor in zip(sums, factors, strict=True)]


class MovedPowers(NamedTuple):
    """The action of x → x^g on powers of x.

    Attributes:
        places: The exponent to which each power is mapped.
        negated: Whether its sign changes.
    """

    places: np.ndarray[tuple[int], np.dtype[np.int64]]
    negated: np.ndarray[tuple[int], np.dtype[np.bool_]]


def moved_powers(n: int, g: int, negacyclic: bool) -> MovedPowers:
    """Return the action of x → x^g modulo x^n + 1 if ``negacyclic`` is true, otherwise modulo x^n - 1."""
    powers = np.arange(n, dtype=np.int64) * (g % (2 * n))
    return MovedPowers(powers % n, (powers // n % 2 > 0) & negacyclic)


def moved_coefficients(x: Words, g: int, negacyclic: bool, q: int) -> Words:
    """Return the coefficients of a(x^g) modulo q for the coefficients of a."""
    to = moved_powers(len(x), g, negacyclic)
    signed, found = x.copy(), np.empty_like(x)
    signed[to.negated] = to_words([-value % q for value in from_words(x[to.negated])], x.shape[1])
    found[to.places] = signed
    return found


def bit_reversed(n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the permutation i → rev(i) on log2 n bits: rev(2i) = rev(i)/2, and the low bit becomes the top bit."""
    result = np.zeros(1, np.int64)
    while len(result) < n:
        result = np.concatenate([2 * result, 2 * result + 1])
    return result
