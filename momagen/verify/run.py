"""One guarded call of a kernel, with a fence around its output, unchanged inputs, and memory aligned to words only."""

from __future__ import annotations

import numpy as np

from momagen.params.words import Words
from momagen.runtime.runner import RunnerPlan

from .report import demand_equal

FENCE = np.uint64(0xC0FFEE0123456789)


def run(
    plan: RunnerPlan, inputs: tuple[Words, ...], rows: int, count: int, vector: str = "", *, over: tuple[int, ...] = ()
) -> Words:
    """Return the kernel's result for ``inputs``.

    Args:
        plan: The plan.
        inputs: The operands.
        rows: The number of residues of the result.
        count: The number of transforms, products or elements.
        vector: The name of the input, for errors.
        over: The indices of the operands that the result overwrites, which are all equal.

    Raises:
        Found: The kernel wrote outside its output, or to another operand.
    """
    fenced = np.full((rows + 2, plan.words), FENCE)
    result = fenced[1:-1]
    if over:
        result[:] = inputs[over[0]]
    given = tuple(result if i in over else array.copy() for i, array in enumerate(inputs))
    plan.execute(result, *given, count=count)
    demand_equal("memory beside the output", vector, plan.modulus, fenced[[0, -1]], np.full((2, plan.words), FENCE))
    for i, (before, after) in enumerate(zip(inputs, given, strict=True)):
        if i not in over:
            demand_equal(f"input {i} kept", vector, plan.modulus, after, before)
    return result
