"""What a formula asks of long vectors: butterflies of the highest bit of a point's place, and shuffles.

Pease's flow moves that bit below all others, and turns it there: (I(n/2) ⊗ NTT(2)) · L(n, n/2) is
L(n, n/2) · (NTT(2) ⊗ I(n/2)), which is Korn and Lambiotte's.
"""

from __future__ import annotations

from functools import cache

from momagen.errors import MomagenError, build_error
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
    before, behind = [gap.order for gap in gaps[:-1]], [gap.order for gap in gaps[1:]]
    if all(kernel.legs == range(1) for kernel in kernels) and {*before} == {turned} and behind[-1] == still:
        return [[BUTTERFLY, UNPACK]] * bits
    moves = {still: [], turned: [UNPACK]}
    if before[0] != still or any(kernel.legs != range(bits - 1, bits) for kernel in kernels):
        problem = "the machine needs an algorithm whose butterflies all combine x[i] and x[i + n/2]"
        raise build_error(problem, f"algorithm {algorithm}")
    if unknown := [order for order in behind if order not in moves]:
        expected = "a perfect shuffle, or no permutation, after each butterfly"
        raise MomagenError(expected, unknown[0], f"algorithm {algorithm}")
    return [[BUTTERFLY, *moves[order]] for order in behind]
