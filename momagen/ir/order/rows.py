"""The order of a long block's products: row by row, so that sums of products stay in registers.

A row is all products by one factor, the one that is known last. It adds to as many sums as the other number has digits,
and to each twice; with those sums in registers, a row needs no more than one load a product.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from momagen.ir.block import Block, Instr
from momagen.ir.value import Value

from .dependences import waits


def ranks(block: Block, names: Sequence[str]) -> dict[int, int]:
    """When each digit of the inputs ``names`` is taken: digit after digit, low first."""
    found: dict[int, int] = {}
    for name in names:
        digits = block.inputs[name].digits or (block.inputs[name],)
        found.update((id(digit), at) for at, digit in enumerate(reversed(digits)))
    return found


def by_rows(block: Block, fused: Collection[str], ranks: Mapping[int, int]) -> Block:
    """``block`` with what is no product as soon as its arguments are there, and its products by rows.

    Args:
        fused: multiply-adds d = c + a·b by name. ranks: the order of rows by inputs, by their id.
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
    return known.get(id(value), 0)
