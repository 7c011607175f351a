"""Functions of a device's program in CUDA C++."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from momagen.emit.c.expressions import ExpressionText
from momagen.emit.c.functions import FunctionText, Line
from momagen.emit.c.words import ChainSet
from momagen.program import Expr, Function, Number, Same
from momagen.program import statements as st
from momagen.program.device import BLOCK, ROW, ROWS, SHARED, THREAD
from momagen.targets import Target

from .words import LETTERS, VECTORS, CudaPrinter, pieces

COPIES = {"inline": "__forceinline__ ", "apart": "__noinline__ ", "once": "__noinline__ ", "": "__noinline__ "}
KERNEL = "kernel "
"""What a kernel's copies begin with; the threads of a block follow."""
WHERE = {THREAD.text: "threadIdx.x", BLOCK.text: "blockIdx.x", ROW.text: "blockIdx.y", ROWS.text: "gridDim.y"}
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


class CudaFunction(FunctionText):
    """The text of one function, whose pointers are aligned as numbers ``stride`` words apart are."""

    registers: CudaPrinter
    unroll = "#pragma unroll {count}"

    def __init__(self, function: Function, target: Target, stride: int) -> None:
        self.aligned = min(max(VECTORS[target.word]), stride & -stride)
        super().__init__(function, target, target, ChainSet())

    def expressions_of(self, host: Target) -> ExpressionText:
        return CudaExpressions(host)

    def printer_of(self, chains: ChainSet) -> CudaPrinter:
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
