"""The printer of the functions of a program in C."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from momagen.ir import OPS, Procedure
from momagen.program import Function, Static
from momagen.program import statements as st
from momagen.program.declared import declared
from momagen.program.expressions import COMPARISONS, Binary, Expr, Number
from momagen.targets import Target
from momagen.templates import comment

from .expressions import ExpressionText
from .words import ChainSet, Printer, Spare

COPIES = {"": "", "apart": "MG_NOINLINE ", "once": "MG_ONCE ", "inline": "MG_INLINE "}
"""The function specifiers, by the attribute ``copies`` of a function."""
ROUND = "_mm_setcsr(0x1f80); /* round to nearest, no traps */"
UNROLL = '_Pragma("GCC unroll {count}")'
SIMPLE: dict[type, str] = {
    st.Do: "{call};", st.Return: "return {value};", st.Copy: "memcpy({to}, {source}, sizeof({word}) * {count});",
    st.Clear: "memset({to}, 0, sizeof({word}) * {count});", st.Again: "MG_AGAIN({pointer});",
    st.Prefetch: "MG_PREFETCH({pointer}, {ahead});",
}  # fmt: skip
"""The text of statements of one line, with their fields as placeholders."""
Line = str | Spare | list["Line"]
"""A line of text, or a list of lines that are indented once more."""


class FunctionText:
    """The printer of one function.

    Args:
        function: The function.
        target: The target of its registers.
        host: The target of words.
        chains: A set to which the carry chains that the function calls are added.

    Attributes:
        unroll: The line before a loop that asks the compiler for ``count`` copies of the body.
    """

    unroll = UNROLL

    def __init__(self, function: Function, target: Target, host: Target, chains: ChainSet) -> None:
        self.function, self.target = function, target
        self.expressions = self.expressions_of(host)
        self.registers, self.text = self.printer_of(chains), self.expressions.text
        self.registers.reserve([param.text for param in function.params])
        self.registers.reserve(declared(function.body))

    def expressions_of(self, host: Target) -> ExpressionText:
        """Return the printer of expressions."""
        return ExpressionText(host)

    def printer_of(self, chains: ChainSet) -> Printer:
        """Return the printer of straight-line code."""
        return Printer(self.target, {}, chains)

    def lines(self) -> list[str]:
        """Return the lines of the function."""
        f = self.function
        body = self._body(f.body)
        unused = [f"(void){param.text};" for param in f.params if param.text not in self.expressions.used]
        return [*comment(f.doc), self.head(), "{", *self._indented([*unused, *body]), "}"]

    def head(self) -> str:
        """Return the declaration of the function without a semicolon."""
        f = self.function
        simd = "MG_SIMD " if f.vector and self.target.attribute else ""
        result = self.expressions.type(f.result) if f.result else "void "
        params = ", ".join(map(self.expressions.declared, f.params))
        return f"static {COPIES[f.copies]}{simd}{result}{f.name}({params})"

    def _indented(self, lines: list[Line]) -> Iterator[str]:
        """Yield the lines with their indentation.

        The declaration of a register is left out if only calls read the register, since they read it in
        memory.
        """
        for line in lines:
            if isinstance(line, list):
                yield from (f"    {inner}" for inner in self._indented(line))
            elif isinstance(line, str) or line.value in self.registers.read:
                yield f"    {line if isinstance(line, str) else line.line}"

    def _body(self, body: st.Body) -> list[Line]:
        return [line for statement in body for line in self._statement(statement)]

    def _block(self, head: str, body: st.Body) -> list[Line]:
        """Return a statement that consists of ``head`` and ``body``, in braces unless the body is one line."""
        lines = self._body(body)
        short = len(body) == len(lines) == 1 and not isinstance(body[0], st.Let)
        return [head, lines] if short else [f"{head} {{", lines, "}"]

    def _statement(self, s: st.Statement) -> Iterable[Line]:
        registers = self.registers
        match s:
            case st.Each():
                return self._each(s)
            case st.While():
                return self._block(f"while ({self.text(s.test)})", s.body)
            case st.If():
                then = self._block(f"if ({self.text(s.test)})", s.then)
                return then + self._block("else", s.otherwise) if s.otherwise else then
            case st.Switch():
                cases = [line for number, body in s.cases for line in self._case(number, body)]
                return [f"switch ({self.text(s.value)}) {{", *cases, "}"]
            case st.Scope():
                return ["{", self._body(s.body), "}"]
            case st.RoundToNearest():
                return ["const unsigned mode = _mm_getcsr();", ROUND, *self._body(s.body), "_mm_setcsr(mode);"]
            case st.Load():
                known = all(value.is_const for value in s.values)
                return [] if known else registers.load(s, self.text(s.pointer, False))
            case st.LoadHalves():
                return registers.load_halves(s, self.text(s.low), self.text(s.high))
            case st.Run():
                return registers.lines(s.block)
            case st.Begin():
                return registers.begin(s)
            case st.Become():
                return registers.become(s)
            case st.Store():
                return registers.store(s, self.text(s.pointer, False))
            case st.StoreHalves():
                return registers.store_halves(s, self.text(s.low), self.text(s.high))
            case st.Woven():
                return [line for turn in zip(*map(self._body, s.parts), strict=True) for line in turn]
        return [self._simple(s)]

    def _case(self, number: int, body: st.Body) -> list[Line]:
        """Return the lines of one case of a switch."""
        match body, self._body(body):
            case [st.Return()], [str(line)]:
                return [f"case {number}: {line}"]
            case _, lines:
                return [f"case {number}: {{", [*lines, "break;"], "}"]

    def _each(self, s: st.Each) -> list[Line]:
        """Return the lines of a loop over a range."""
        name, first, limit, step = s.name.text, *map(self.text, (s.first, s.limit, s.step))
        self.expressions.used.add(name)
        grow = f"{name}++" if step == "1" else f"{name} += {step}"
        turns = f"{limit}; {name}-- > {first};" if s.down else f"{first}; {name} < {limit}; {grow}"
        pragma: list[Line] = [self.unroll.format(count=s.unroll)] * (s.unroll > 0)
        return pragma + self._block(f"for ({self.expressions.count} {name} = {turns})", s.body)

    def _simple(self, s: st.Statement) -> str:
        """Return the line of a statement that has no statements inside."""
        match s:
            case st.Let():
                return f"{self.expressions.declared(s.name, s.fixed)} = {self.text(s.value)};"
            case st.Assign():
                return self._assign(s)
            case st.Array():
                return self._array(s)
            case st.Table():
                return f"static const {self.expressions.count} {s.name.text}[] = {{{', '.join(map(str, s.counts))}}};"
        texts = {key: self.text(each, key != "count") for key, each in vars(s).items() if isinstance(each, Expr)}
        return SIMPLE[type(s)].format(**{**vars(s), **texts}, word=self.expressions.word)

    def _assign(self, s: st.Assign) -> str:
        """Return an assignment, with an operator such as ``+=`` if possible."""
        target, value = self.text(s.target), s.value
        if isinstance(value, Binary) and value.left is s.target and value.op not in COMPARISONS:
            if value.op == "+" and isinstance(value.right, Number) and value.right.value == 1:
                return f"{target}++;"
            return f"{target} {value.op}= {self.text(value.right)};"
        return f"{target} = {self.text(value)};"

    def _array(self, s: st.Array) -> str:
        """Return the declaration of an array of words."""
        word = self.expressions.word
        if s.line:
            name, words = s.name.text, s.line * 8 // self.expressions.host.word
            return (
                f"{word} room_of_{name}[{s.count + words}], *const {name} = "
                f"({word} *)(((uintptr_t)room_of_{name} + {s.line - 1}) & ~(uintptr_t){s.line - 1});"
            )
        first = "" if s.first is None else f" = {{{', '.join(map(str, s.first or [0]))}}}"
        return f"{word} {s.name.text}[{s.count}]{first};"


def procedure_lines(procedure: Procedure, target: Target, chains: ChainSet) -> list[str]:
    """Return the lines of the C function for a procedure, ``void NAME(word *c, const word *a, const word *b)``.

    Each array contains the words of a number that the code uses, least significant word first.

    Args:
        procedure: The procedure.
        target: The target.
        chains: A set to which the carry chains that the function calls are added.
    """
    block, word, simd = procedure.block, target.types["word"], "MG_SIMD " if target.attribute else ""
    constant = [each for each in "ab" if not any(name[0] == each for name in block.inputs)]
    lines = [f"(void){each}; /* unused: this operand is constant */" for each in constant]
    places = {name: f"{name[0]}[{name[1:]}]" for name in (*block.inputs, *block.outputs)}
    made = {id(value) for instr in block.instrs for value in instr.results}
    names = {id(value): places[name] if target.columns else name for name, value in block.inputs.items()}
    printer = Printer(target, names, chains)
    if target.columns:  # if words are stored early, compilers load factors again instead of spilling them
        printer.goals = {id(value): places[name] for name, value in block.outputs.items() if id(value) in made}
    else:
        lines += [f"const {word} {name} = {places[name]};" for name in block.inputs]
    lines += printer.lines(block)
    late = {name: value for name, value in block.outputs.items() if printer.goals.get(id(value)) != places[name]}
    lines += [f"{places[name]} = {printer.name(value)};" for name, value in late.items()]
    doc = f"Computes {OPS[procedure.op].notation} on {procedure.w} bits. An array contains the words of a number that"
    doc += " the code uses, least significant word first."
    head = f"static MG_NOINLINE {simd}void {procedure.name}({word} *c, const {word} *a, const {word} *b)"
    return [*comment(doc), head, "{", *[f"    {line}" for line in lines], "}"]


def static(found: Static, host: Target) -> str:
    """Return the definition of an array of constant words that all functions may read."""
    printer = ExpressionText(host)
    words = ", ".join(map(printer.literal, found.words))
    return f"static const {printer.word} {found.name.text}[{len(found.words)}] = {{{words}}};"
