"""What a formula means: its exact matrix over Z_q, and its product with a vector without forming the matrix.

``tests/rules/test_breakdown.py`` compares both with the definitions of every leaf and operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np

from momagen.formula.atoms import Diagonal, I, Permutation, Scale
from momagen.formula.expression import Compose, DirectSum, Formula, Tensor
from momagen.formula.transforms import NTT, Transform, digit_reversal

Rows = list[list[int]]
Array = Any
"""A matrix of Python's integers in NumPy; a vector is a matrix of one column."""


@dataclass(frozen=True)
class RingContext:
    """Z_q and one root ``omega`` = e(1/order), order a power of two, so that omega^(order/2) = −1 mod q."""

    modulus: int
    omega: int
    order: int

    def __post_init__(self) -> None:
        assert pow(self.omega, self.order // 2, self.modulus) == self.modulus - 1

    def e(self, turn: Fraction) -> int:
        """exp(2πi·turn) in 0…q−1, for a turn in multiples of 1/order."""
        assert self.order % turn.denominator == 0
        return pow(self.omega, turn.numerator % turn.denominator * (self.order // turn.denominator), self.modulus)


def points(transform: Transform) -> list[Fraction]:
    """Turns of all evaluation points, in output order: rings are split by successive square roots,
    x^2n − e(t) = (x^n − e(t/2))·(x^n − e(t/2 + 1/2)), down to degree 1."""
    n, natural = transform.size, isinstance(transform, NTT)
    return [(transform.turn + (i if natural else digit_reversal(i, n))) / n for i in range(n)]


def matrix(formula: Formula, ring: RingContext) -> Rows:
    """The matrix of ``formula``, its product with the identity: formula.size rows, entries in 0…q−1."""
    found: Rows = _times(formula, np.identity(formula.size, object), ring).tolist()
    return found


def apply(formula: Formula, vector: Sequence[int], ring: RingContext) -> list[int]:
    """``formula`` times ``vector``, factor by factor; entries in 0…q−1.

    A transform that is not broken down is evaluated by its definition, with n² multiplications.
    """
    assert len(vector) == formula.size
    return [value for (value,) in _times(formula, _column(vector) % ring.modulus, ring).tolist()]


def _column(values: Sequence[int]) -> Array:
    return np.array(values, object)[:, None]


def _times(formula: Formula, x: Array, ring: RingContext) -> Array:
    q = ring.modulus
    match formula:
        case Permutation():
            return x[[formula.source(i) for i in range(formula.n)]]
        case Scale(n):
            return x * pow(n, -1, q) % q
        case Diagonal():
            return x * _column([ring.e(formula.angle(i)) for i in range(formula.n)]) % q
        case Transform():
            return _transformed(formula, x, ring)
        case Compose(parts=parts):
            return reduce(lambda rows, part: _times(part, rows, ring), reversed(parts), x)
        case Tensor(parts=parts):
            return _tensor(parts, x, ring)
        case DirectSum(parts=parts):
            blocks = np.split(x, [*accumulate(part.size for part in parts)][:-1])
            return np.concatenate([_times(part, rows, ring) for part, rows in zip(parts, blocks, strict=True)])
    raise AssertionError(formula)


def _transformed(transform: Transform, x: Array, ring: RingContext) -> Array:
    """Block by block y_i = Σ_j ρ_i^j x_j at the points ρ_i, by Horner's rule; the conjugate transpose
    y_j = Σ_i ρ_i^(−j) x_i."""
    q, n, powers = ring.modulus, transform.n, x.reshape(-1, transform.n, x.shape[1])
    roots = _column([ring.e(-turn if transform.inverse else turn) for turn in points(transform)]).reshape(-1, n, 1)
    if not transform.inverse:
        total = reduce(lambda y, j: (y * roots + powers[:, j, None]) % q, reversed(range(n)), 0 * powers)
        return total.reshape(x.shape)
    sums = []
    for _ in range(n):
        sums.append(powers.sum(1) % q)
        powers = powers * roots % q
    return np.stack(sums, 1).reshape(x.shape)


def _tensor(parts: Sequence[Formula], x: Array, ring: RingContext) -> Array:
    """A ⊗ B = (A ⊗ I)·(I ⊗ B): each part at the stride of those on its right."""
    columns = x.shape[1]
    for part in reversed(parts):
        if not isinstance(part, I):
            apart = x.reshape(-1, part.size, columns).swapaxes(0, 1)
            done = _times(part, apart.reshape(part.size, -1), ring)
            x = done.reshape(apart.shape).swapaxes(0, 1).reshape(x.shape)
        columns *= part.size
    return x
