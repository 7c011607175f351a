"""The choice of the differences that are hidden from the optimiser of the C compiler."""

from __future__ import annotations

from collections import Counter

from momagen.ir import Block

DIFFERENCES = ("minus", "sublo")
"""The operations that compilers see as subtractions of words."""


def shared_differences(block: Block) -> set[int]:
    """Return the ids of the differences b - c that another instruction subtracts, x - (b - c), and a third one reads.

    A compiler that computes x - (b - c) as (x + c) - b saves no instruction: it needs b - c as well.
    """
    found = [instr for instr in block.instrs if instr.op in DIFFERENCES]
    readers = Counter(id(arg) for instr in block.instrs for arg in instr.args)
    subtracted = {id(instr.args[1]) for instr in found}
    return {id(r) for instr in found for r in instr.results if readers[id(r)] > 1} & subtracted
