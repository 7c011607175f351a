"""Which instructions of a block wait for which."""

from __future__ import annotations

from collections import Counter, defaultdict

from momagen.ir.block import Block, Instr, leaves
from momagen.ir.value import Value


def waits(block: Block) -> tuple[list[set[int]], dict[int, list[int]]]:
    """By places in the block: for every instruction those that make its arguments, and those that wait for it."""
    makers = {id(r): at for at, i in enumerate(block.instrs) for r in i.results}
    needs = [{makers[id(a)] for a in i.args if id(a) in makers} for i in block.instrs]
    users: dict[int, list[int]] = defaultdict(list)
    for at, sources in enumerate(needs):
        for source in sources:
            users[source].append(at)
    return needs, users


class Readers:
    """Who makes and who reads each value of a block."""

    def __init__(self, block: Block) -> None:
        self.outputs = Counter(id(word) for value in block.outputs.values() for word in leaves(value))
        self.makers = {id(result): instr for instr in block.instrs for result in instr.results}
        self._readers: dict[int, list[Instr]] = defaultdict(list)
        for instr in block.instrs:
            for arg in instr.args:
                self._readers[id(arg)].append(instr)

    def of(self, value: Value) -> list[Instr]:
        """The instructions that read ``value``, once for each time."""
        return self._readers[id(value)]

    def alone(self, value: Value) -> Instr | None:
        """The only reader of ``value``, where it has no other and is no output."""
        readers = self.of(value)
        return readers[0] if len(readers) == 1 and not self.outputs[id(value)] else None
