"""Straight-line code on words in CUDA C++, its carry chains in assembly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from momagen.emit.c.words import ChainSet, Printer, Spare
from momagen.ir import Block, Instr, Value, leaves
from momagen.program import Load, Store, Type
from momagen.targets import Target

from .chains import Chain, assembly, gathered

VECTORS = {32: {4: "uint4", 2: "uint2"}, 64: {2: "ulonglong2"}}
"""By the bits of a word, the words that one access moves, and the type of it."""
LETTERS = "xyzw"


class CudaPrinter(Printer):
    """Straight-line code, its carry chains in assembly; what is read from memory that is only read comes in vectors.

    Reads of such memory, and instructions outside of chains, wait until something reads what they make: that keeps
    fewer registers in use, and the assembler moves reads forward again as far as it has registers.

    Attributes:
        aligned: words to a multiple of which addresses of residues are aligned. waiting: the declaration (none if it
            is printed), or the instruction, that makes a value, by its id. due: lines that must come before the next.
    """

    aligned = 1

    def __init__(self, target: Target, names: Mapping[int, str], chains: ChainSet) -> None:
        super().__init__(target, names, chains)
        self.waiting, self.due = dict[int, list[str] | Instr](), list[str]()

    def load(self, s: Load, pointer: str) -> Iterator[str | Spare]:
        """Declarations of registers."""
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
        """Stores of registers, behind all reads."""
        yield from self.rest()
        yield from super().store(s, pointer)

    def name(self, value: Value) -> str:
        """How ``value`` is written; what makes it is due then."""
        if id(value) in self.waiting:
            self._bring(id(value))
        return super().name(value)

    def rest(self) -> list[str]:
        """The lines of all that waits."""
        while self.waiting:
            self._bring(next(iter(self.waiting)))
        return list(self._with_due(()))

    def _bring(self, value: int) -> None:
        made = self.waiting.pop(value)
        if isinstance(made, Instr):
            for result in made.results:
                self.waiting.pop(id(result), None)
            lines = list(self._instr(made))
            self.due += lines
        elif made:
            self.due.append(made.pop())

    def type(self, count: int) -> str:
        """Of so many words."""
        return VECTORS[self.target.word].get(count, self.target.types["word"])

    def words_at(self, pointer: str, at: int, count: int) -> str:
        """Words from memory."""
        if count == 1:
            return f"{pointer}[{at}]"
        place = f"{pointer} + {at}" if at else pointer
        return f"*(const {self.type(count)} *)({place})"

    def lines(self, block: Block) -> Iterator[str]:
        self.used |= {id(a) for instr in block.instrs for a in instr.args}
        self.used |= {id(value) for output in block.outputs.values() for value in leaves(output)}
        for node in gathered(block, self.target) if self.target.links else block.instrs:
            if isinstance(node, Chain):
                yield from self._with_due(self._chain(node))
            else:
                self.waiting.update(dict.fromkeys(map(id, node.results), node))

    def _chain(self, chain: Chain) -> Iterator[str]:
        lines, made = assembly(chain, self.target, self.name, self.fresh)
        self.names.update(made)
        yield from lines

    def _with_due(self, lines: Iterable[str]) -> Iterator[str]:
        """``lines`` behind those that are due before them."""
        found = list(lines)
        yield from self.due
        yield from found
        self.due.clear()


def pieces(count: int, offset: int, aligned: int) -> Iterator[tuple[int, int]]:
    """Accesses of as many words as are aligned: where each begins, and how many."""
    at = 0
    while at < count:
        size = next(size for size in (4, 2, 1) if size <= aligned and (offset + at) % size == 0 and at + size <= count)
        yield at, size
        at += size
