"""The number of operations of a vector unit that a codelet takes per element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from momagen.ir import Value, leaves
from momagen.lower.arrays.codelets import ArrayCodelet, ArrayCodelets


class WordCost(NamedTuple):
    """The 32-bit operations of one word operation, as the target files of JAX implement it.

    Attributes:
        own: The number of operations that are always needed.
        each: The number of additional operations for each part that differs between elements.
        parts: The indices of the arguments that each part reads.
    """

    own: int = 1
    each: int = 0
    parts: Sequence[tuple[int, ...]] = ()


COSTS = {
    "addclo": WordCost(1, 1, [(0, 1), (2,)]), "subblo": WordCost(1, 1, [(0, 1), (2,)]),
    "shrd": WordCost(1, 1, [(0,), (1,)]), "mulhi": WordCost(12, 2, [(0,), (1,)]),
}  # fmt: skip
"""The word operations that take more than one 32-bit operation. A carry is first converted to a word. A high
word is computed from halves of 16 bits: 2 operations split each operand, 4 compute products, and 8 add them
with carries. Codelets for TPUs do this; other targets have 64-bit products, which are not counted."""
PLAIN = WordCost()
"""The cost of all other word operations."""


def vector_operations(codelet: ArrayCodelet, codelets: ArrayCodelets) -> int:
    """Return the operations per element.

    Operations that depend on no operand run once and are not counted.
    """
    words = [word for name in codelet.operands for word in codelets.words(codelet.block.inputs[name])]
    live = {id(word) for word in words if not word.is_const}
    total = 0
    for instr in codelet.block.instrs:
        reads = [_live(arg, live) for arg in instr.args]
        if any(reads):
            live |= {id(result) for result in instr.results}
            total += _cost(COSTS.get(instr.op, PLAIN), reads)
    return total


def _cost(of: WordCost, reads: Sequence[bool]) -> int:
    """Return the cost of an operation.

    Args:
        of: The cost of the word operation.
        reads: For each argument, whether it differs between elements.
    """
    return of.own + of.each * sum(any(reads[at] for at in part) for part in of.parts)


def _live(arg: Value, live: set[int]) -> bool:
    return any(id(leaf) in live for leaf in leaves(arg))
