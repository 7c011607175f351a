"""Functions of a program in C."""

from __future__ import annotations

from collections.abc import Iterator

from momagen.program import Expr, Function, Static
from momagen.program import statements as st
from momagen.program.expressions import COMPARISONS, Binary, Name, Number
from momagen.targets import Target

from .expressions import ExpressionText
from .text import BodyText, ChainSet, Place, comment

COPIES = {"": "", "apart": "MG_NOINLINE ", "once": "MG_ONCE ", "inline": "MG_INLINE "}
ROUND = "_mm_setcsr(0x1f80); /* round to nearest, no traps */"
Line = tuple[str, int]
"""A line, and the id of the value that it declares where nothing else may name it; 0 where it stays in any case."""


class FunctionText:
    """The text of one function; ``target``: of its registers. ``host``: of words."""

    def __init__(self, function: Function, target: Target, host: Target, chains: ChainSet) -> None:
        self.function, self.target, self.chains = function, target, chains
        self.expressions = ExpressionText(host)
        self.registers = BodyText(target, chains)
        self.used: set[str] = set()

    def lines(self) -> list[str]:
        """The function."""
        f = self.function
        body = [line for statement in f.body for line in self._statement(statement)]
        read = {name for name in map(lambda p: p.text, f.params) if name not in self.used}
        unused = [f"(void){name};" for name in sorted(read, key=[p.text for p in f.params].index)]
        simd = "MG_SIMD " if f.vector and self.target.attribute else ""
        result = self.expressions.type(f.result) if f.result else "void "
        params = ", ".join(map(self.expressions.declared, f.params))
        head = f"static {COPIES[f.copies]}{simd}{result}{f.name}({params})"
        kept = self.registers.needed_of(body)
        return [*comment(f.doc), head, "{", *(f"    {line}" for line in [*unused, *kept]), "}"]

    def _text(self, expr: Expr, alone: bool = True) -> str:
        self._use(expr)
        return self.expressions.text(expr, alone)

    def _use(self, expr: Expr) -> None:
        """Note the names that ``expr`` reads."""
        if isinstance(expr, Name):
            self.used.add(expr.text)
        for part in vars(expr).values():
            for each in part if isinstance(part, tuple) else (part,):
                if isinstance(each, Expr):
                    self._use(each)

    def _within(self, body: st.Body) -> Iterator[Line]:
        for statement in body:
            for line, declares in self._statement(statement):
                yield f"    {line}", declares

    def _block(self, head: str, body: st.Body) -> Iterator[Line]:
        lines = list(self._within(body))
        short = len(body) == 1 and len(lines) == 1 and not isinstance(body[0], st.Let)
        yield head + " {" * (not short), 0
        yield from lines
        if not short:
            yield "}", 0

    def _statement(self, s: st.Statement) -> Iterator[Line]:
        match s:
            case st.Each():
                yield from self._each(s)
            case st.While():
                yield from self._block(f"while ({self._text(s.test)})", s.body)
            case st.If():
                yield from self._if(s)
            case st.Scope():
                yield "{", 0
                yield from self._within(s.body)
                yield "}", 0
            case st.Rounded():
                yield from (("const unsigned mode = _mm_getcsr();", 0), (ROUND, 0))
                yield from (line for one in s.body for line in self._statement(one))
                yield "_mm_setcsr(mode);", 0
            case st.Load():
                yield from self._load(s)
            case st.LoadHalves():
                places = (self._text(at) for at in (s.low, s.high))
                yield from ((line, 0) for line in self.registers.load_halves(s.name, s.value, *places))
            case st.Run():
                yield from ((line, 0) for line in self.registers.instructions(s.block))
            case st.Store():
                place = Place(self._text(s.pointer, False), s.offset, s.step)
                yield from ((line, 0) for line in self.registers.store(s.values, place))
            case st.StoreHalves():
                places = (self._text(at) for at in (s.low, s.high))
                yield from ((line, 0) for line in self.registers.store_halves(s.value, *places))
            case st.Woven():
                parts = [[line for one in part for line in self._statement(one)] for part in s.parts]
                yield from (line for turn in zip(*parts, strict=True) for line in turn)
            case _:
                yield self._simple(s), 0

    def _load(self, s: st.Load) -> Iterator[Line]:
        if all(value.is_const for value in s.values):
            return
        place = Place(self._text(s.pointer, False), s.offset, s.step, s.broadcast)
        if s.stays:
            self.registers.leave(s.values, place)
            return
        for line in self.registers.load(s.name, s.values, place):
            yield line, self.registers.spare.get(line, 0)

    def _each(self, s: st.Each) -> Iterator[Line]:
        name, first, limit, step = s.name.text, *map(self._text, (s.first, s.limit, s.step))
        self.used.add(name)
        if s.unroll:
            yield f'_Pragma("GCC unroll {s.unroll}")', 0
        if s.down:
            test = f"{name}-- > {first}"
            yield from self._block(f"for (size_t {name} = {limit}; {test};)", s.body)
            return
        grow = f"{name}++" if step == "1" else f"{name} += {step}"
        yield from self._block(f"for (size_t {name} = {first}; {name} < {limit}; {grow})", s.body)

    def _if(self, s: st.If) -> Iterator[Line]:
        yield from self._block(f"if ({self._text(s.test)})", s.then)
        if s.otherwise:
            yield from self._block("else", s.otherwise)

    def _simple(self, s: st.Statement) -> str:
        match s:
            case st.Let():
                return f"{self.expressions.declared(s.name, s.fixed)} = {self._text(s.value)};"
            case st.Assign():
                return self._assign(s)
            case st.Array():
                return self._array(s)
            case st.Table():
                return f"static const size_t {s.name.text}[] = {{{', '.join(map(str, s.counts))}}};"
            case st.Do():
                return f"{self._text(s.call)};"
            case st.Return():
                return f"return {self._text(s.value)};"
            case st.Copy():
                return f"memcpy({self._text(s.to)}, {self._text(s.source)}, {self._bytes(s.count)});"
            case st.Clear():
                return f"memset({self._text(s.to)}, 0, {self._bytes(s.count)});"
            case st.Again():
                return f"MG_AGAIN({self._text(s.pointer)});"
            case st.Prefetch():
                return f"MG_PREFETCH({self._text(s.pointer)}, {s.ahead});"
        raise TypeError(s)

    def _bytes(self, count: Expr) -> str:
        self._use(count)
        return self.expressions.bytes(count)

    def _assign(self, s: st.Assign) -> str:
        target, value = self._text(s.target), s.value
        self._use(value)
        if isinstance(value, Binary) and value.left is s.target and value.op not in COMPARISONS:
            if value.op == "+" and isinstance(value.right, Number) and value.right.value == 1:
                return f"{target}++;"
            return f"{target} {value.op}= {self._text(value.right)};"
        return f"{target} = {self._text(value)};"

    def _array(self, s: st.Array) -> str:
        word = self.expressions.word
        if s.line:
            name, words = s.name.text, s.line * 8 // self.expressions.host.word
            return (
                f"{word} room_of_{name}[{s.count + words}], *const {name} = "
                f"({word} *)(((uintptr_t)room_of_{name} + {s.line - 1}) & ~(uintptr_t){s.line - 1});"
            )
        first = "" if s.first is None else f" = {{{', '.join(map(str, s.first or [0]))}}}"
        return f"{word} {s.name.text}[{s.count}]{first};"


def static(found: Static, host: Target) -> str:
    """Words that all functions may read."""
    printer = ExpressionText(host)
    words = ", ".join(map(printer.literal, found.words))
    return f"static const {printer.word} {found.name.text}[{len(found.words)}] = {{{words}}};"

