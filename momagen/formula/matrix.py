"""What a formula means: its exact matrix over Z_q, and its product with a vector without forming the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from momagen.errors import MomagenError

from .atoms import Diagonal, I, Permutation, Scale
from .expression import Compose, DirectSum, Formula, Tensor
from .roots import RingContext
from .transforms import Transform

Matrix = list[list[int]]
Vector = list[int]


def matrix(formula: Formula, ring: RingContext) -> Matrix:
    """The matrix of ``formula`` by its definition: formula.size rows, entries in 0…q−1."""
    match formula:
        case Permutation():
            return [[int(j == formula.source(i)) for j in range(formula.n)] for i in range(formula.n)]
        case Diagonal() | Scale():
            return _block_diagonal([[[entry]] for entry in _diagonal(formula, ring)])
        case Transform():
            return _block_diagonal([_vandermonde(formula, block, ring) for block in _blocks(formula)])
    parts = [matrix(part, ring) for part in _parts(formula)]
    match formula:
        case Compose():  # right to left: the sparse factor stays on the left
            return reduce(lambda right, left: _product(left, right, ring.modulus), reversed(parts))
        case Tensor():
            return reduce(lambda a, b: _kronecker(a, b, ring.modulus), parts)
        case _:
            return _block_diagonal(parts)


def apply(formula: Formula, vector: Sequence[int], ring: RingContext) -> Vector:
    """``formula`` times ``vector``, factor by factor; entries in 0…q−1.

    A transform that is not broken down is evaluated by its definition, with n² multiplications.
    Raises MomagenError unless len(vector) = formula.size.
    """
    if len(vector) != formula.size:
        raise MomagenError(f"a vector of length {formula.size}", f"length {len(vector)}", "apply")
    return _apply(formula, [v % ring.modulus for v in vector], ring)


def _apply(formula: Formula, x: Vector, ring: RingContext) -> Vector:
    match formula:
        case Permutation():
            return [x[formula.source(i)] for i in range(formula.n)]
        case Diagonal() | Scale():
            return [v * entry % ring.modulus for v, entry in zip(x, _diagonal(formula, ring), strict=True)]
        case Transform():
            return _apply_transform(formula, x, ring)
        case Compose():
            return reduce(lambda vector, part: _apply(part, vector, ring), reversed(formula.parts), x)
        case Tensor():
            return _apply_tensor(formula, x, ring)
    result: Vector = []
    for part in _parts(formula):
        result += _apply(part, x[len(result) : len(result) + part.size], ring)
    return result


def _parts(formula: Formula) -> tuple[Formula, ...]:
    if isinstance(formula, Compose | Tensor | DirectSum):
        return formula.parts
    raise MomagenError("a formula", formula, "matrix")


def _diagonal(formula: Diagonal | Scale, ring: RingContext) -> Vector:
    if isinstance(formula, Scale):
        return [pow(formula.n, -1, ring.modulus)] * formula.n
    return [1] * formula.n if isinstance(formula, I) else [ring.e(formula.angle(i)) for i in range(formula.n)]


def _blocks(transform: Transform) -> list[slice]:
    return [slice(at, at + transform.n) for at in range(0, transform.size, transform.n)]


def _vandermonde(transform: Transform, block: slice, ring: RingContext) -> Matrix:
    """[i][j] = e(j·t_i) over the block's points t_i; the conjugate transpose for the inverse."""
    points = transform.points()[block]
    if transform.inverse:
        return [[ring.e(-j * t) for t in points] for j in range(transform.n)]
    return [[ring.e(j * t) for j in range(transform.n)] for t in points]


def _apply_transform(transform: Transform, x: Vector, ring: RingContext) -> Vector:
    roots = [ring.e(-t if transform.inverse else t) for t in transform.points()]
    act = _power_sums if transform.inverse else _values
    return [y for block in _blocks(transform) for y in act(x[block], roots[block], ring.modulus)]


def _values(x: Vector, roots: Vector, q: int) -> Vector:
    """Σ_j x_j ρ^j for every root ρ, by Horner's rule."""
    return [_horner(x, root, q) for root in roots]


def _horner(x: Vector, root: int, q: int) -> int:
    total = 0
    for coefficient in reversed(x):
        total = (total * root + coefficient) % q
    return total


def _power_sums(x: Vector, roots: Vector, q: int) -> Vector:
    """Σ_i x_i ρ_i^j for every j."""
    result = []
    for _ in roots:
        result.append(sum(x) % q)
        x = [v * root % q for v, root in zip(x, roots, strict=True)]
    return result


def _apply_tensor(formula: Tensor, x: Vector, ring: RingContext) -> Vector:
    """A ⊗ B = (A ⊗ I)·(I ⊗ B)."""
    stride = 1
    for part in reversed(formula.parts):
        x = x if isinstance(part, I) else _apply_strided(part, x, stride, ring)
        stride *= part.size
    return x


def _apply_strided(part: Formula, x: Vector, stride: int, ring: RingContext) -> Vector:
    """I ⊗ part ⊗ I(stride) times x."""
    result, span = list(x), part.size * stride
    for start in range(0, len(x), span):
        for at in range(start, start + stride):
            result[at : start + span : stride] = _apply(part, x[at : start + span : stride], ring)
    return result


def _block_diagonal(blocks: Sequence[Matrix]) -> Matrix:
    rows: Matrix = []
    size = sum(map(len, blocks))
    for block in blocks:
        at = len(rows)
        rows += [[0] * at + row + [0] * (size - at - len(row)) for row in block]
    return rows


def _product(left: Matrix, right: Matrix, q: int) -> Matrix:
    """left · right; the zeros of left cost nothing."""
    return [_combine(row, right, q) for row in left]


def _combine(factors: Vector, rows: Matrix, q: int) -> Vector:
    total = [0] * len(rows)
    for factor, row in zip(factors, rows, strict=True):
        if factor:
            total = [(t + factor * v) % q for t, v in zip(total, row, strict=True)]
    return total


def _kronecker(a: Matrix, b: Matrix, q: int) -> Matrix:
    return [[u * v % q for u in row_a for v in row_b] for row_a in a for row_b in b]
