"""The printer of the functions of a device program in CUDA C++."""

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
"""The function specifiers, by the attribute ``copies`` of a function."""
KERNEL = "kernel "
"""The prefix of the attribute ``copies`` of kernels, which the number of threads of a block follows."""
WHERE = {THREAD.text: "threadIdx.x", BLOCK.text: "blockIdx.x", ROW.text: "blockIdx.y", ROWS.text: "gridDim.y"}
"""The CUDA expressions of the indices of a thread."""
ALIGNED = "__align__(16) "
"""The alignment of arrays, which allows loads of vectors."""
STRAIGHT = (st.Load, st.Run, st.Store)
"""The statements of straight-line code. Delayed loads and instructions need not be printed before them."""
SHARED_LINES = ("extern __shared__ uint4 shared_memory[];", "{word} *const shared = ({word} *)shared_memory;")
"""The declarations of shared memory."""


class CudaExpressions(ExpressionText):
    """The printer of expressions, in which counts have 32 bits."""

    count = "uint32_t"

    def text(self, expr: Expr, alone: bool = True) -> str:
        """Return ``expr`` in CUDA C++. See :meth:`ExpressionText.text` for the arguments."""
        if isinstance(expr, Same):
            return f"mg_same({self.text(expr.a)}, {self.text(expr.b)}, {self.text(expr.count)})"
        return super().text(expr, alone)


class CudaFunction(FunctionText):
    """The printer of one function.

    It assumes that pointers are aligned to the largest power of two that divides ``stride``.

    Args:
        function: The function.
        target: The target.
        stride: The distance of consecutive residues in words.
    """

    registers: CudaPrinter
    unroll = "#pragma unroll {count}"

    def __init__(self, function: Function, target: Target, stride: int) -> None:
        self.aligned = min(max(VECTORS[target.word]), stride & -stride)
        super().__init__(function, target, target, ChainSet())

    def expressions_of(self, host: Target) -> ExpressionText:
        """Return the printer of expressions."""
        return CudaExpressions(host)

    def printer_of(self, chains: ChainSet) -> CudaPrinter:
        """Return the printer of straight-line code."""
        printer = CudaPrinter(self.target, {}, chains)
        printer.aligned = self.aligned
        return printer

    def head(self) -> str:
        """Return the declaration of the function or kernel without a semicolon."""
        f = self.function
        params = ", ".join(map(self.expressions.declared, f.params))
        if f.copies.startswith(KERNEL):
            threads = f.copies.removeprefix(KERNEL)
            return f'MG_KERNEL void __launch_bounds__({threads}) {f.name}({params})'
        result = self.expressions.type(f.result) if f.result else "void "
        return f"static __device__ {COPIES[f.copies]}{result}{f.name}({params})"

    def _body(self, body: st.Body) -> list[Line]:
        """Return the lines of a body.

        The body of the function itself begins with the indices and the shared memory that it uses.
        """
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
        """Return the lines of a statement, after the delayed lines unless it is straight-line code."""
        return [*([] if isinstance(s, STRAIGHT) else self.registers.rest()), *self._own(s)]

    def _own(self, s: st.Statement) -> Iterable[Line]:
        """Return the lines of a statement itself."""
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
        """Yield vector loads or stores between memory and an array of registers."""
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
