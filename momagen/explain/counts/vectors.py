"""Operations of vector units that one run of a codelet takes, for each element that it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from momagen.ir import Value, leaves
from momagen.lower.arrays.codelets import ArrayCodelet, ArrayCodelets


class WordCost(NamedTuple):
    """Operations on 32 bits of one word operation, as target files of JAX write it: ``own``, and ``each`` for every
    part that differs from element to element; ``parts``: numbers of the arguments of each."""

    own: int = 1
    each: int = 0
    parts: Sequence[tuple[int, ...]] = ()


COSTS = {
    "addclo": WordCost(1, 1, [(0, 1), (2,)]), "subblo": WordCost(1, 1, [(0, 1), (2,)]),
    "shrd": WordCost(1, 1, [(0,), (1,)]), "mulhi": WordCost(12, 2, [(0,), (1,)]),
}  # fmt: skip
"""Those of more than one. A carry is first made a word. A high word is made of halves of 16 bits: 2 operations to take
those of an operand, 4 products, and 8 to add them up with carries. Codelets for TPUs have it so; those of other targets
have products of 64 bits, which are not counted."""
PLAIN = WordCost()


def vector_operations(codelet: ArrayCodelet, codelets: ArrayCodelets) -> int:
    """Of one element; what depends on no operand is done once for all and not counted."""
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
    """``reads``: which arguments differ from element to element."""
    return of.own + of.each * sum(any(reads[at] for at in part) for part in of.parts)


def _live(arg: Value, live: set[int]) -> bool:
    return any(id(leaf) in live for leaf in leaves(arg))
