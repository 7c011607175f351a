"""The transform that a specification requests, as the first part of every schedule."""

from __future__ import annotations

from momagen.kinds.modular.derived.meaning import lacking_bits
from momagen.kinds.modular.spec import Spec
from momagen.plan.schedule.types import Bits, Breakdown


def breakdown_of(
    spec: Spec, product: bool, radix: int, even: bool = False, algorithm: str = "", columns: int = 1, radices: Bits = ()
) -> Breakdown:  # fmt: skip
    """Return the transform of a specification, and the rules that break it down.

    Args:
        spec: The specification of the transform.
        product: Whether the transform is part of a product of polynomials.
        radix: The largest radix of a butterfly.
        even: Whether radices are as equal as possible.
        algorithm: The data flow, or "" for the specification's data flow.
        columns: The number of columns that are index bits.
        radices: The radices in the order of the forward transform, if the planner chooses each of them.
    """
    scale = lacking_bits(spec) * product - spec.divisor_bits  # products of points lack a power of two
    return Breakdown(
        algorithm or spec.algorithm, spec.n, radix, even, radices, spec.inverse, spec.splits, spec.order == "natural",
        columns, spec.coset, 1 if spec.inverse else spec.blowup, scale * spec.inverse,
    )  # fmt: skip
