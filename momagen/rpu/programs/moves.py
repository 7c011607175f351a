"""The steps of long vectors in a formula: butterflies on the highest bit of a point's position, and shuffles.

In Pease's data flow the highest bit is moved below all others and transformed there: (I(n/2) ⊗ NTT(2)) · L(n,
n/2). This equals L(n, n/2) · (NTT(2) ⊗ I(n/2)), the data flow of Korn and Lambiotte.
"""

from __future__ import annotations

from functools import cache

from momagen.errors import MomagenError, build_error
from momagen.formula.breakdown import asked, expand
from momagen.kernels.flow.data_flow import fold

BUTTERFLY, UNPACK = "butterfly", "unpack"


@cache
def stages_of(algorithm: str, bits: int) -> list[list[str]]:
    """Return the steps of each stage of a forward transform of 2^bits points.

    The steps are a butterfly and perhaps an unpack, which moves the highest bit of the position below all
    others; in formulas this is L(n, n/2). The results are in bit-reversed order.

    Raises:
        MomagenError: The stages of the algorithm have another form.
    """
    kernels, gaps = fold(expand(*asked(algorithm, 1 << bits, 2)))
    still, turned = tuple(range(bits)), (bits - 1, *range(bits - 1))
    before, behind = [gap.order for gap in gaps[:-1]], [gap.order for gap in gaps[1:]]
    if all(kernel.legs == (0,) for kernel in kernels) and {*before} == {turned} and behind[-1] == still:
        return [[BUTTERFLY, UNPACK]] * bits
    moves = {still: [], turned: [UNPACK]}
    if before[0] != still or any(kernel.legs != (bits - 1,) for kernel in kernels):
        problem = "the machine needs an algorithm whose butterflies all combine x[i] and x[i + n/2]"
        raise build_error(problem, f"algorithm {algorithm}")
    if unknown := [order for order in behind if order not in moves]:
        expected = "a perfect shuffle, or no permutation, after each butterfly"
        raise MomagenError(expected, unknown[0], f"algorithm {algorithm}")
    return [[BUTTERFLY, *moves[order]] for order in behind]
