"""What a formula means: its exact matrix over Z_q, and its product with a vector without forming the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from momagen.errors import MomagenError

from .atoms import Diagonal, I, Permutation, Scale
from .expression import Compose, DirectSum, Formula, Tensor
from .roots import RingContext
from .transforms import Transform

Rows = list[list[int]]
"""A matrix by rows; a vector is a matrix of one column."""


def matrix(formula: Formula, ring: RingContext) -> Rows:
    """The matrix of ``formula``, its product with the identity: formula.size rows, entries in 0…q−1."""
    n = formula.size
    return _times(formula, [[int(i == j) for j in range(n)] for i in range(n)], ring)


def apply(formula: Formula, vector: Sequence[int], ring: RingContext) -> list[int]:
    """``formula`` times ``vector``, factor by factor; entries in 0…q−1.

    A transform that is not broken down is evaluated by its definition, with n² multiplications.
    Raises MomagenError unless len(vector) = formula.size.
    """
    if len(vector) != formula.size:
        raise MomagenError(f"a vector of length {formula.size}", f"length {len(vector)}", "apply")
    return [value for (value,) in _times(formula, [[v % ring.modulus] for v in vector], ring)]


def _times(formula: Formula, x: Rows, ring: RingContext) -> Rows:
    match formula:
        case Permutation():
            return [x[formula.source(i)] for i in range(formula.n)]
        case Scale(n):
            return [_scaled(row, pow(n, -1, ring.modulus), ring.modulus) for row in x]
        case Diagonal():
            return [_scaled(row, ring.e(formula.angle(i)), ring.modulus) for i, row in enumerate(x)]
        case Transform():
            return _transformed(formula, x, ring)
        case Compose(parts=parts):
            return reduce(lambda rows, part: _times(part, rows, ring), reversed(parts), x)
        case Tensor(parts=parts):
            return _tensor(parts, x, ring)
        case DirectSum(parts=parts):
            return _direct_sum(parts, x, ring)
    raise MomagenError("a formula", formula, "matrix")


def _scaled(row: list[int], factor: int, q: int) -> list[int]:
    return [v * factor % q for v in row]


def _transformed(transform: Transform, x: Rows, ring: RingContext) -> Rows:
    """Block by block y_i = Σ_j ρ_i^j x_j at the points ρ_i; the conjugate transpose y_j = Σ_i ρ_i^(−j) x_i."""
    result: Rows = []
    roots = [ring.e(-turn if transform.inverse else turn) for turn in transform.points()]
    for at in range(0, transform.size, transform.n):
        block = slice(at, at + transform.n)
        result += (_power_sums if transform.inverse else _values)(roots[block], x[block], ring.modulus)
    return result


def _values(roots: list[int], x: Rows, q: int) -> Rows:
    """By Horner's rule."""
    totals = [[0] * len(x[0]) for _ in roots]
    for row in reversed(x):
        scaled = (_scaled(total, root, q) for total, root in zip(totals, roots, strict=True))
        totals = [[t + v for t, v in zip(total, row, strict=True)] for total in scaled]
    return [[t % q for t in total] for total in totals]


def _power_sums(roots: list[int], x: Rows, q: int) -> Rows:
    result = []
    for _ in roots:
        result.append([sum(column) % q for column in zip(*x, strict=True)])
        x = [_scaled(row, root, q) for row, root in zip(x, roots, strict=True)]
    return result


def _tensor(parts: Sequence[Formula], x: Rows, ring: RingContext) -> Rows:
    """A ⊗ B = (A ⊗ I)·(I ⊗ B): each part at the stride of those on its right."""
    x, stride = list(x), 1
    for part in reversed(parts):
        span = part.size * stride
        for at in (at for at in range(len(x)) if at % span < stride and not isinstance(part, I)):
            own = slice(at, at + span, stride)
            x[own] = _times(part, x[own], ring)
        stride = span
    return x


def _direct_sum(parts: Sequence[Formula], x: Rows, ring: RingContext) -> Rows:
    result: Rows = []
    for part in parts:
        result += _times(part, x[len(result) : len(result) + part.size], ring)
    return result
