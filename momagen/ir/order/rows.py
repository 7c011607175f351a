"""The order of the products of a long block: row by row, so that their sums stay in registers.

A row consists of all products by one factor, namely the factor that becomes known last. A row adds to as many
sums as the other number has limbs, twice to each of them. If these sums are in registers, each product needs
at most one load.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from momagen.ir.block import Block, Instr
from momagen.ir.value import Value

from .dependences import waits


def ranks(block: Block, names: Sequence[str]) -> dict[int, int]:
    """Return the order in which the limbs of inputs are used, the low limb first, by the id of the limb.

    Args:
        block: The block.
        names: The names of the inputs.
    """
    found: dict[int, int] = {}
    for name in names:
        digits = block.inputs[name].digits or (block.inputs[name],)
        found.update((id(digit), at) for at, digit in enumerate(reversed(digits)))
    return found


def by_rows(block: Block, fused: Collection[str], ranks: Mapping[int, int]) -> Block:
    """Return a block with its multiply-adds ordered by rows and all other instructions as early as possible.

    Args:
        block: The block.
        fused: The names of the multiply-adds d = c + a·b.
        ranks: The order of the rows, by the ids of inputs.
    """
    needs, users = waits(block)
    left = Counter({at: len(sources) for at, sources in enumerate(needs)})
    known, order, ready = dict(ranks), list[Instr](), list[tuple[bool, int, str, int]]()

    def push(at: int) -> None:
        instr = block.instrs[at]
        product = instr.op in fused
        row = max((_rank(known, a) for a in instr.args[1:]), default=0) if product else 0
        heapq.heappush(ready, (product, row, instr.op, at))

    for at in range(len(block.instrs)):
        if not needs[at]:
            push(at)
    first = max(known.values(), default=0) + 1
    while ready:
        at = heapq.heappop(ready)[-1]
        order.append(block.instrs[at])
        known.update((id(r), first + len(order)) for r in block.instrs[at].results)
        for user in users[at]:
            left[user] -= 1
            if not left[user]:
                push(user)
    return Block(block.inputs, order, block.outputs)


def _rank(known: Mapping[int, int], value: Value) -> int:
    """Return the position of a value in the order of the rows, or 0 for values that have none."""
    return known.get(id(value), 0)
