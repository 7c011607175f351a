"""The definition of every kernel on gmpy2 integers: the one place where the tests state which result is correct.

Nothing here calls the generator. ``momagen.verify`` has an oracle of its own, which users rely on;
``tests/unit/verify/test_oracle.py`` tests it against sums that are written out.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import gmpy2
from gmpy2 import mpz

from momagen.kinds.modular.spec import Spec

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "nlt": operator.ge, "le": operator.le, "nle": operator.gt,
    "true": lambda x, bound: True, "false": lambda x, bound: False,
}  # fmt: skip
"""HEXL's predicates of ``x`` and a bound; an n stands for "not"."""
ELEMENTS: dict[str, Callable[..., int]] = {
    "vadd": lambda q, r, holds, x, y: x + y,
    "vsub": lambda q, r, holds, x, y: x - y,
    "vmul": lambda q, r, holds, x, y: x * y,
    "vmuladd": lambda q, r, holds, x, y, w: x * y + w,
    "tomont": lambda q, r, holds, x: x * r,
    "frommont": lambda q, r, holds, x: x * gmpy2.invert(r, q),
    "axpy": lambda q, r, holds, a, x, y: a * x + y,
    "scal": lambda q, r, holds, a, x: a * x,
    "vadds": lambda q, r, holds, a, x: x + a,
    "vsubs": lambda q, r, holds, a, x: x - a,
    "vneg": lambda q, r, holds, x: -x,
    "reduce": lambda q, r, holds, x: x,
    "cmpadd": lambda q, r, holds, bound, diff, x: x + diff if holds(x, bound) else x,
    "cmpsub": lambda q, r, holds, bound, diff, x: x - diff if holds(x, bound) else x,
}
"""One element of each element-wise kernel before its reduction: scalars first, then vectors, under their names."""


def element(kind: str, q: int, *operands: int, r: int = 1 << 64, cmp: str = "nle", **named: int) -> int:
    """Return one element of an element-wise kernel.

    Args:
        kind: the kernel, a key of ``ELEMENTS``.
        q: the modulus.
        operands: the scalars, then one element of each vector; or all of them by name, as ``named``.
        r: 2^b for residues in containers of b bits. ``cmpadd`` is the only kernel that reduces modulo ``r``, and only
            where the comparison holds. The Montgomery form of x is x·r.
        cmp: the predicate of ``cmpadd`` and ``cmpsub``.
    """
    result = ELEMENTS[kind](mpz(q), mpz(r), COMPARISONS[cmp], *map(mpz, operands), **named)
    return int(result % r if kind == "cmpadd" else result % q)


def elements(spec: Spec, q: int, scalars: Sequence[int], *vectors: Sequence[int]) -> list[int]:
    """Return the result of an element-wise kernel on whole vectors."""
    r, cmp = 1 << spec.arith.held, spec.cmp or "nle"
    return [element(str(spec.kind), q, *scalars, *row, r=r, cmp=cmp) for row in zip(*vectors, strict=True)]


def bit_reversed(i: int, n: int) -> int:
    """Return the log2(n) bits of ``i`` in reverse order; n is a power of two."""
    return int(f"{i:0{n.bit_length() - 1}b}"[::-1], 2) if n > 1 else 0


def exponents(n: int, negacyclic: bool = False, order: str = "bitrev") -> list[int]:
    """Return e for each output of a transform, which is the value of the polynomial at root^e."""
    frequencies = [bit_reversed(i, n) if order == "bitrev" else i for i in range(n)]
    return [2 * k + 1 if negacyclic else k for k in frequencies]


def points(n: int, q: int, root: int, negacyclic: bool = False, order: str = "bitrev") -> list[int]:
    """Return the point at which each output of a transform of n points evaluates the polynomial."""
    return [int(gmpy2.powmod(root, e, q)) for e in exponents(n, negacyclic, order)]


def points_of(spec: Spec) -> list[int]:
    """Return the evaluation points of the transform that ``spec`` describes."""
    return points(spec.n, spec.modulus, spec.root, spec.negacyclic, spec.order)


def values(coefficients: Sequence[int], at: Sequence[int], q: int) -> list[int]:
    """Return Σ c_j p^j mod q for every point p in ``at``, by Horner's rule."""
    return [_value(coefficients, mpz(point), mpz(q)) for point in at]


def _value(coefficients: Sequence[int], point: mpz, q: mpz) -> int:
    total = mpz(0)
    for coefficient in reversed(coefficients):
        total = (total * point + coefficient) % q
    return int(total)


def coefficients(given: Sequence[int], at: Sequence[int], q: int) -> list[int]:
    """Return the polynomial with the values ``given`` at the points ``at``.

    The points are c·w^0 … c·w^(n-1) in any order, for an n-th root of unity w, so that c_j = 1/n Σ v_k p_k^(-j).
    """
    inverses, scale = [gmpy2.invert(p, q) for p in at], gmpy2.invert(len(at), q)
    rows = ([v * gmpy2.powmod(p, j, q) for v, p in zip(given, inverses, strict=True)] for j in range(len(at)))
    return [int(scale * sum(row) % q) for row in rows]


def product(x: Sequence[int], y: Sequence[int], q: int, negacyclic: bool = False) -> list[int]:
    """Return x·y modulo q and x^n - 1, or x^n + 1 if ``negacyclic``, with n² products."""
    n, wrapped = len(x), -1 if negacyclic else 1
    return [
        int(sum(mpz(x[i]) * y[(k - i) % n] * (wrapped if i > k else 1) for i in range(n)) % q) for k in range(n)
    ]  # fmt: skip


def result(spec: Spec, *operands: Sequence[int]) -> list[int]:
    """Return the result of a transform, a product of polynomials or an element-wise kernel modulo ``spec.modulus``.

    Args:
        spec: the kernel.
        operands: scalars as lists of one number, then the vectors.
    """
    if not spec.n:
        count = len(spec.ranges.scalars)
        return elements(spec, spec.modulus, [number for (number,) in operands[:count]], *operands[count:])
    if str(spec.kind) == "polymul":
        return product(*operands, spec.modulus, spec.negacyclic)
    (x,) = operands
    return (coefficients if spec.inverse else values)(x, points_of(spec), spec.modulus)
