"""What the files of every kernel made of transforms share."""

from __future__ import annotations

from dataclasses import replace

from momagen.errors import MomagenError
from momagen.kernels.spec import Spec


def check_reduction(spec: Spec) -> None:
    """Refuse a table of quotients where Montgomery's is the only product that fits."""
    a = spec.arith
    if spec.options.get("quotients") == "table" and a.kind == "montgomery":
        got = f"{a.bits} bits: only Montgomery's product fits"
        raise MomagenError(f"a modulus of at most {a.held - 1} bits for a table on words", got, "quotients")


def lanes_for(n: int, lanes: int) -> int:
    """The lanes a transform of size n can fill: all, or one where n/2 butterflies are fewer than the lanes."""
    return lanes if n >= 2 * lanes else 1


def ring_numbers(spec: Spec) -> dict[str, object]:
    """What the templates of transforms ask for."""
    return {
        "n": spec.n, "order_of_root": spec.order_of_root, "ranges": spec.ranges,
        "ring": f"x^{spec.n} {'+' if spec.negacyclic else '-'} 1", "inverse": spec.inverse,
    }  # fmt: skip


def title(spec: Spec) -> str:
    """How the header comment of a transform begins."""
    points = f"2 to {spec.n}" if spec.sized else spec.n
    return f"{'Inverse n' if spec.inverse else 'N'}umber theoretic transform of {points} points"


def product_title(spec: Spec) -> str:
    """How that of a product begins."""
    return f"Product of polynomials of {spec.n} coefficients"


def headed(spec: Spec, what: str) -> str:
    """The first line of the header comment."""
    ring = f"x^n {'+' if spec.negacyclic else '-'} 1 ({'nega' * spec.negacyclic}cyclic)"
    return f"{what} modulo q of up to {spec.width} bits, ring {ring}."


def ends(spec: Spec) -> dict[str, object]:
    """The order of the elements on both sides: the point that stands at position j of the values."""
    natural = spec.order == "natural"
    at = "j" if natural else "brv(j)"
    point = f"root^(2·{at} + 1)" if spec.negacyclic else f"root^{at}"
    reversal = f", where brv reverses the {'log2(n)' if spec.sized else spec.n.bit_length() - 1} bits of j"
    points = "n" if spec.sized else spec.n
    return {"natural": natural, "point": point, "reversal": "" if natural else reversal, "points": points}


def ways(spec: Spec, lazy: int = 1) -> dict[str, Spec]:
    """The transforms of a product, whose inverse takes products below lazy·q."""
    factors = {"forward": (spec.ranges.input, 1), "inverse": (lazy, spec.ranges.output)}
    return {
        way: replace(
            spec, kind="ntt", inverse=way == "inverse",
            options={**spec.options, "input_factor": str(m_in), "output_factor": str(m_out)},
        )
        for way, (m_in, m_out) in factors.items()
    }  # fmt: skip
