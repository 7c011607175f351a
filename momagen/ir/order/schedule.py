"""The order of a block's instructions for a machine that looks ahead only so far: what is ready goes first.

A list schedule: cycle by cycle, of the instructions whose arguments are there, those with the longest way to an output.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping

from momagen.ir.block import Block, Instr

from .dependences import waits


def schedule(block: Block, latency: Mapping[str, int], issue: int) -> Block:
    """``block`` with its instructions in the order of a schedule of ``issue`` a cycle; others take one cycle."""
    needs, users = waits(block)
    time = [latency.get(i.op, 1) for i in block.instrs]
    height = _heights(users, time)
    left = Counter({at: len(sources) for at, sources in enumerate(needs)})
    start = [0] * len(time)
    coming = [(0, at) for at in range(len(time)) if not needs[at]]
    heapq.heapify(coming)
    ready: list[tuple[int, int]] = []
    order: list[Instr] = []
    cycle = 0
    while coming or ready:
        while coming and coming[0][0] <= cycle:
            at = heapq.heappop(coming)[1]
            heapq.heappush(ready, (-height[at], at))
        for _ in range(min(issue, len(ready))):
            at = heapq.heappop(ready)[1]
            order.append(block.instrs[at])
            for user in users[at]:
                start[user] = max(start[user], cycle + time[at])
                left[user] -= 1
                if not left[user]:
                    heapq.heappush(coming, (start[user], user))
        cycle = cycle + 1 if ready or not coming else max(cycle + 1, coming[0][0])
    return Block(block.inputs, order, block.outputs)


def _heights(users: Mapping[int, list[int]], time: list[int]) -> list[int]:
    """The cycles from each instruction to the end of the block."""
    height = list(time)
    for at in reversed(range(len(time))):
        height[at] = time[at] + max((height[user] for user in users.get(at, ())), default=0)
    return height
