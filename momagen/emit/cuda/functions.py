"""Functions of a device's program in CUDA C++."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from momagen.emit.c.expressions import ExpressionText
from momagen.emit.c.functions import FunctionText, Line
from momagen.emit.c.words import ChainSet, Printer, Spare
from momagen.ir import Block, Instr, Value, leaves
from momagen.program import Expr, Function, Load, Number, Same, Store, Type
from momagen.program import statements as st
from momagen.program.device import BLOCK, ROW, ROWS, SHARED, THREAD
from momagen.targets import Target

from .chains import Chain, assembly, gathered

COPIES = {"inline": "__forceinline__ ", "apart": "__noinline__ ", "once": "__noinline__ ", "": "__noinline__ "}
KERNEL = "kernel "
"""What a kernel's copies begin with; the threads of a block follow."""
WHERE = {THREAD.text: "threadIdx.x", BLOCK.text: "blockIdx.x", ROW.text: "blockIdx.y", ROWS.text: "gridDim.y"}
VECTORS = {32: {4: "uint4", 2: "uint2"}, 64: {2: "ulonglong2"}}
"""By the bits of a word, the words that one access moves, and the type of it."""
LETTERS = "xyzw"
ALIGNED = "__align__(16) "
"""Of arrays, so that they may be read in vectors."""
STRAIGHT = (st.Load, st.Run, st.Store)
"""Statements of straight-line code, between which what makes a value may wait."""
SHARED_LINES = ("extern __shared__ uint4 shared_memory[];", "{word} *const shared = ({word} *)shared_memory;")


class CudaExpressions(ExpressionText):
    """Expressions; counts have 32 bits."""

    count = "uint32_t"

    def text(self, expr: Expr, alone: bool = True) -> str:
        """``expr`` in CUDA C++; in parentheses where it is made of parts and does not stand ``alone``."""
        if isinstance(expr, Same):
            return f"mg_same({self.text(expr.a)}, {self.text(expr.b)}, {self.text(expr.count)})"
        return super().text(expr, alone)


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
        self._bring(id(value))
        return super().name(value)

    def rest(self) -> list[str]:
        """The lines of all that waits."""
        for value in list(self.waiting):
            self._bring(value)
        return list(self._with_due(()))

    def _bring(self, value: int) -> None:
        made = self.waiting.pop(value, None)
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


class CudaFunction(FunctionText):
    """The text of one function; ``stride``: words from one residue to the next."""

    registers: CudaPrinter

    def __init__(self, function: Function, target: Target, stride: int) -> None:
        self.aligned = min(max(VECTORS[target.word]), stride & -stride)
        super().__init__(function, target, target, ChainSet())

    def expressions_of(self, host: Target) -> ExpressionText:
        return CudaExpressions(host)

    def printer_of(self, chains: ChainSet) -> Printer:
        printer = CudaPrinter(self.target, {}, chains)
        printer.aligned = self.aligned
        return printer

    def head(self) -> str:
        f = self.function
        params = ", ".join(map(self.expressions.declared, f.params))
        if f.copies.startswith(KERNEL):
            threads = f.copies.removeprefix(KERNEL)
            return f'MG_KERNEL void __launch_bounds__({threads}) {f.name}({params})'
        result = self.expressions.type(f.result) if f.result else "void "
        return f"static __device__ {COPIES[f.copies]}{result}{f.name}({params})"

    def _body(self, body: st.Body) -> list[Line]:
        lines = super()._body(body)
        self.registers.waiting.clear()
        if body is not self.function.body:
            return lines
        used = self.expressions.used
        where: list[Line] = [f"const uint32_t {name} = {text};" for name, text in WHERE.items() if name in used]
        shared: list[Line] = [line.format(word=self.expressions.word) for line in SHARED_LINES]
        return where + shared * (SHARED.text in used) + lines

    def _array(self, s: st.Array) -> str:
        return ALIGNED + super()._array(s)

    def _statement(self, s: st.Statement) -> Iterable[Line]:
        return [*([] if isinstance(s, STRAIGHT) else self.registers.rest()), *self._own(s)]

    def _own(self, s: st.Statement) -> Iterable[Line]:
        match s:
            case st.Barrier():
                return ["__syncthreads();"]
            case st.Transfer():
                return self._move(s)
            case st.Copy(count=Number(value=count)):
                to, source = self.text(s.to, False), self.text(s.source, False)
                return [f"{to}[{at}] = {source}[{at}];" for at in range(count)]
            case st.Clear(count=Number(value=count)):
                to = self.text(s.to, False)
                return [f"{to}[{at}] = 0;" for at in range(count)]
        return super()._statement(s)

    def _move(self, s: st.Transfer) -> Iterator[Line]:
        """Words between memory and an array of registers, in vectors."""
        memory, array = self.text(s.memory), self.text(s.array)
        for at, size in pieces(s.count, 0, s.aligned):
            kind = self.registers.type(size)
            words = [f"{array}[{s.first + at + i}]" for i in range(size)]
            place = f"{memory} + {at}" if at else memory
            if size == 1:
                one = f"({memory})[{at}]"
                yield f"{one} = {words[0]};" if s.out else f"{words[0]} = {one};"
            elif s.out:
                yield f"*({kind} *)({place}) = make_{kind}({', '.join(words)});"
            else:
                parts = " ".join(f"{word} = v.{letter};" for word, letter in zip(words, LETTERS, strict=False))
                yield f"{{ const {kind} v = *(const {kind} *)({place}); {parts} }}"
