"""The order of instructions for out-of-order machines with a limited window: a list schedule.

In each cycle it issues those ready instructions that have the longest paths to an output.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping

from momagen.ir.block import Block, Instr

from .dependences import waits


def schedule(block: Block, latency: Mapping[str, int], issue: int) -> Block:
    """Return a block with its instructions in the order of a list schedule.

    Args:
        block: The block.
        latency: The latencies of operations in cycles, by name. All others have a latency of one cycle.
        issue: The number of instructions that begin in one cycle.
    """
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
    """Return the number of cycles from the start of each instruction to the end of the block."""
    height = list(time)
    for at in reversed(range(len(time))):
        height[at] = time[at] + max((height[user] for user in users.get(at, ())), default=0)
    return height
