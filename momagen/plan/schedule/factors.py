"""The factors of a broken-down formula in terms of index bits."""

from __future__ import annotations

from functools import lru_cache

from momagen.kernels.flow.data_flow import Butterflies, butterflies, fold

from .passes import formula_of
from .types import Bits, Breakdown


@lru_cache(maxsize=64)
def named_factors(of: Breakdown) -> tuple[list[Butterflies], Bits]:
    """Return the kernels of a broken-down formula, and the index bit at each address bit of the result.

    The bits of the kernels have the names of index bits, their address bits in the operand.

    Raises:
        MomagenError: No rule breaks the transform down.
    """
    kernels, gaps = fold(formula_of(of))
    names: Bits = tuple(range(len(gaps[0].order)))
    found = list[Butterflies]()
    for flow, gap in zip(butterflies(kernels, gaps), gaps, strict=False):
        names = tuple(names[bit] for bit in gap.order)
        found.append(flow.named(names))
    return found, tuple(names[bit] for bit in gaps[-1].order)
