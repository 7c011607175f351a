"""What a kernel's files say that it does, in one line."""

from __future__ import annotations

from momagen.formula.algorithms import ALGORITHMS, RING
from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.plan.ways import way


def headline(spec: Spec) -> str:
    """The first line of the comment on top."""
    if spec.kind in BLAS:
        found = f"z = {spec.formula}, element by element, on vectors of any length"
    else:
        what = f"Product of polynomials of {spec.n} coefficients" if spec.kind == "polymul" else _transform(spec)
        ring = f"x^n {'+' if spec.negacyclic else '-'} 1 ({'nega' * spec.negacyclic}cyclic)"
        found = f"{what} modulo q of up to {spec.width} bits, ring {ring}"
    return f"{found}{', for every modulus of a basis' * bool(spec.basis)}."


def _transform(spec: Spec) -> str:
    points = f"2 to {spec.n}" if spec.sized else spec.n
    named = not spec.sized and spec.algorithm != RING and way(spec) == "words"
    by = f" ({ALGORITHMS[spec.algorithm].title})" if named else ""
    columns = f" in each of {spec.columns} columns" if spec.columns > 1 else ""
    return f"{'Inverse n' if spec.inverse else 'N'}umber theoretic transform of {points} points{columns}{by}"
