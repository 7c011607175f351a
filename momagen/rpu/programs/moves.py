"""What a formula asks of long vectors: butterflies of the highest bit of a point's place, and shuffles."""

from __future__ import annotations

from functools import cache

from momagen.errors import MomagenError
from momagen.formula.breakdown import asked, expand
from momagen.kernels.flow.data_flow import fold

BUTTERFLY, UNPACK = "butterfly", "unpack"


@cache
def stages_of(algorithm: str, bits: int) -> list[list[str]]:
    """By stage of a transform of 2^bits points, forward to bit-reversed order: a butterfly, and what moves points
    behind it. An unpack takes the highest bit of their place below all others: L(n, n/2) of the formulas.

    Raises:
        MomagenError: stages of another form.
    """
    kernels, gaps = fold(expand(*asked(algorithm, 1 << bits, 2)))
    still, turned = tuple(range(bits)), (bits - 1, *range(bits - 1))
    moves = {still: [], turned: [UNPACK]}
    if gaps[0].order != still or any(kernel.legs != range(bits - 1, bits) for kernel in kernels):
        raise MomagenError("butterflies of the highest bit", algorithm, "algorithm")
    if unknown := [gap.order for gap in gaps[1:] if gap.order not in moves]:
        raise MomagenError("a perfect shuffle, or none, behind a butterfly", unknown[0], f"algorithm {algorithm}")
    return [[BUTTERFLY, *moves[gap.order]] for gap in gaps[1:]]
