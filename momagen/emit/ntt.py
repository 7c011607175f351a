"""What the files of every kernel made of transforms share."""

from __future__ import annotations

from momagen.formula.algorithms import ALGORITHMS, RING
from momagen.kernels.spec.spec import Spec
from momagen.plan.ways import way

MATRIX = """\
   Every column of {spec.n} × {spec.columns} residues is transformed by itself: x[i] and y[j] below are elements of one
   column; element i of column k begins at word ({spec.columns}·i + k)·WORDS.
"""


def ring_numbers(spec: Spec) -> dict[str, object]:
    """What the templates of transforms ask for."""
    return {
        "n": spec.n, "columns": spec.columns, "order_of_root": spec.order_of_root,
        "ring": f"x^{spec.n} {'+' if spec.negacyclic else '-'} 1", "inverse": spec.inverse,
    }  # fmt: skip


def title(spec: Spec) -> str:
    """How the header comment of a transform begins."""
    points = f"2 to {spec.n}" if spec.sized else spec.n
    named = not spec.sized and spec.algorithm != RING and way(spec) == "words"
    by = f" ({ALGORITHMS[spec.algorithm].title})" if named else ""
    columns = f" in each of {spec.columns} columns" if spec.columns > 1 else ""
    return f"{'Inverse n' if spec.inverse else 'N'}umber theoretic transform of {points} points{columns}{by}"


def transform_headline(spec: Spec) -> str:
    """The first line of the header comment of a transform."""
    return headed(spec, title(spec))


def product_headline(spec: Spec) -> str:
    """That of a product of polynomials."""
    return headed(spec, f"Product of polynomials of {spec.n} coefficients")


def headed(spec: Spec, what: str) -> str:
    """``what`` in which ring."""
    ring = f"x^n {'+' if spec.negacyclic else '-'} 1 ({'nega' * spec.negacyclic}cyclic)"
    return f"{what} modulo q of up to {spec.width} bits, ring {ring}."


def ends(spec: Spec) -> dict[str, object]:
    """The order of the elements on both sides: the point that stands at position j of the values; what columns are."""
    natural = spec.order == "natural"
    at = "j" if natural else "brv(j)"
    point = f"root^(2·{at} + 1)" if spec.negacyclic else f"root^{at}"
    reversal = f", where brv reverses the {'log2(n)' if spec.sized else spec.n.bit_length() - 1} bits of j"
    points = "n" if spec.sized else spec.n
    return {
        "natural": natural, "point": point, "reversal": "" if natural else reversal, "points": points,
        "columns": spec.columns, "matrix": MATRIX.format(spec=spec) if spec.columns > 1 else "",
    }  # fmt: skip


def transform_numbers(spec: Spec) -> dict[str, object]:
    """What the template of a transform asks for."""
    return {**ring_numbers(spec), **ends(spec)}
