"""Which instructions of a block wait for which, by their places in it."""

from __future__ import annotations

from collections import defaultdict

from momagen.ir.block import Block


def waits(block: Block) -> tuple[list[set[int]], dict[int, list[int]]]:
    """For every instruction those that make its arguments; for those that make arguments, who waits for them."""
    makers = {id(r): at for at, i in enumerate(block.instrs) for r in i.results}
    needs = [{makers[id(a)] for a in i.args if id(a) in makers} for i in block.instrs]
    users: dict[int, list[int]] = defaultdict(list)
    for at, sources in enumerate(needs):
        for source in sources:
            users[source].append(at)
    return needs, users
