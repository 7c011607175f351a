"""The printer of straight-line code on words in CUDA C++, with carry chains in inline assembly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from momagen.emit.c.words import ChainSet, Printer, Spare
from momagen.ir import Block, Instr, Value, leaves
from momagen.program import Load, Store, Type
from momagen.targets import Target

from .chains import Chain, assembly, gathered

VECTORS = {32: {4: "uint4", 2: "uint2"}, 64: {2: "ulonglong2"}}
"""The vector types by the width of a word in bits and by the number of words that one access moves."""
LETTERS = "xyzw"
"""The names of the components of a vector."""


class CudaPrinter(Printer):
    """The printer of straight-line code, with carry chains in inline assembly and vector loads of read-only memory.

    Loads of read-only memory, and instructions outside of chains, are delayed until another line reads their
    results. This keeps fewer registers in use; the assembler moves loads forward again as far as it has
    registers.

    Attributes:
        aligned: The number of words to a multiple of which the addresses of residues are aligned.
        waiting: The delayed lines by the ids of the values that they compute: a list of one declaration,
            which is empty after the declaration was printed, or an instruction.
        due: The lines that must precede the next line.
    """

    aligned = 1

    def __init__(self, target: Target, names: Mapping[int, str], chains: ChainSet) -> None:
        super().__init__(target, names, chains)
        self.waiting, self.due = dict[int, list[str] | Instr](), list[str]()

    def load(self, s: Load, pointer: str) -> Iterator[str | Spare]:
        """Yield the declarations of loaded registers. Loads of read-only memory are delayed."""
        if s.pointer.type is not Type.INPUT or s.step != 1:
            yield from super().load(s, pointer)
            return
        for first, count in pieces(len(s.values), s.offset, self.aligned):
            some = s.values[first : first + count]
            if all(value.is_const for value in some):
                continue
            name = f"{s.name}_at{first}" if count > 1 else f"{s.name}_{first}"
            line = [f"const {self.type(count)} {name} = {self.words_at(pointer, s.offset + first, count)};"]
            for letter, value in zip(LETTERS, some, strict=False):
                self.names[id(value)] = f"{name}.{letter}" if count > 1 else name
                self.waiting[id(value)] = line

    def store(self, s: Store, pointer: str) -> Iterator[str]:
        """Yield the stores of registers, after all delayed lines."""
        yield from self.rest()
        yield from super().store(s, pointer)

    def name(self, value: Value) -> str:
        """Return the C expression of a value. If its computation is delayed, its lines become due."""
        if id(value) in self.waiting:
            self._bring(id(value))
        return super().name(value)

    def rest(self) -> list[str]:
        """Return all delayed lines."""
        while self.waiting:
            self._bring(next(iter(self.waiting)))
        return list(self._with_due(()))

    def _bring(self, value: int) -> None:
        """Make the lines that compute a value due."""
        made = self.waiting.pop(value)
        if isinstance(made, Instr):
            for result in made.results:
                self.waiting.pop(id(result), None)
            lines = list(self._instr(made))
            self.due += lines
        elif made:
            self.due.append(made.pop())

    def type(self, count: int) -> str:
        """Return the type of a vector of ``count`` words."""
        return VECTORS[self.target.word].get(count, self.target.types["word"])

    def words_at(self, pointer: str, at: int, count: int) -> str:
        """Return the C expression of ``count`` words in memory, ``at`` words after ``pointer``."""
        if count == 1:
            return f"{pointer}[{at}]"
        place = f"{pointer} + {at}" if at else pointer
        return f"*(const {self.type(count)} *)({place})"

    def lines(self, block: Block) -> Iterator[str]:
        """Yield the lines of the carry chains of a block, and delay its other instructions."""
        self.used |= {id(a) for instr in block.instrs for a in instr.args}
        self.used |= {id(value) for output in block.outputs.values() for value in leaves(output)}
        for node in gathered(block, self.target) if self.target.links else block.instrs:
            if isinstance(node, Chain):
                yield from self._with_due(self._chain(node))
            else:
                self.waiting.update(dict.fromkeys(map(id, node.results), node))

    def _chain(self, chain: Chain) -> Iterator[str]:
        """Yield the lines of a carry chain."""
        lines, made = assembly(chain, self.target, self.name, self.fresh)
        self.names.update(made)
        yield from lines

    def _with_due(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines that are due, then ``lines``."""
        found = list(lines)
        yield from self.due
        yield from found
        self.due.clear()


def pieces(count: int, offset: int, aligned: int) -> Iterator[tuple[int, int]]:
    """Yield the first word and the number of words of each vector access.

    Args:
        count: The number of words to access.
        offset: The distance of the first word from an aligned address, in words.
        aligned: The alignment of that address in words.
    """
    at = 0
    while at < count:
        size = next(size for size in (4, 2, 1) if size <= aligned and (offset + at) % size == 0 and at + size <= count)
        yield at, size
        at += size
