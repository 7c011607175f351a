"""Data dependences between the instructions of a block."""

from __future__ import annotations

from collections import Counter, defaultdict

from momagen.ir.block import Block, Instr, leaves
from momagen.ir.value import Value


def waits(block: Block) -> tuple[list[set[int]], dict[int, list[int]]]:
    """Return the dependences of the instructions, which are identified by their indices in the block.

    Returns:
        For each instruction, the set of the instructions that compute its arguments; and a dictionary from each
        instruction to the list of the instructions that read its results.
    """
    makers = {id(r): at for at, i in enumerate(block.instrs) for r in i.results}
    needs = [{makers[id(a)] for a in i.args if id(a) in makers} for i in block.instrs]
    users: dict[int, list[int]] = defaultdict(list)
    for at, sources in enumerate(needs):
        for source in sources:
            users[source].append(at)
    return needs, users


class Readers:
    """The definitions and uses of the values of a block.

    Attributes:
        outputs: The number of times that each value is an output, by its id.
        makers: The instruction that defines each value, by its id.
    """

    def __init__(self, block: Block) -> None:
        self.outputs = Counter(id(word) for value in block.outputs.values() for word in leaves(value))
        self.makers = {id(result): instr for instr in block.instrs for result in instr.results}
        self._readers: dict[int, list[Instr]] = defaultdict(list)
        for instr in block.instrs:
            for arg in instr.args:
                self._readers[id(arg)].append(instr)

    def of(self, value: Value) -> list[Instr]:
        """Return the instructions that read ``value``.

        An instruction occurs as often as the value is its argument.
        """
        return self._readers[id(value)]

    def alone(self, value: Value) -> Instr | None:
        """Return the only reader of ``value``, or None if it has several readers or is an output."""
        readers = self.of(value)
        return readers[0] if len(readers) == 1 and not self.outputs[id(value)] else None
