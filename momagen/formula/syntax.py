"""The paper notation of formulas: text → term → formula.

    term    = product { "⊕" product }           "(+)" is ⊕
    product = tensor { "·" tensor }             "*" is ·
    tensor  = primary { "⊗" primary }           "(x)" is ⊗
    primary = "(" term ")" | ("∏" | "⊕") range primary | name [range] "(" index { "," index } ")"      "prod" is ∏
    range   = "[" name "=" index ".." index "]"
    index   = exact fractions with + − · / mod ^ ⌊ ⌋ rev(n, i) and names

A leaf's name is one of ``SYMBOLS`` (NTT, iNTT, …); only D takes a range: D[j=0..n-1](t) = diag(e(t) for all j).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from momagen.errors import MomagenError

from .atoms import I, L, R, Scale, T
from .term import FUNCTIONS, Range, Term
from .transforms import NTT, Ring


class LeafSymbol(NamedTuple):
    """A leaf's class, the fields that its arguments give, how many of them must be there, and fields of one value."""

    leaf: type[Any]
    fields: tuple[str, ...]
    required: int
    fixed: Mapping[str, object] = MappingProxyType({})


INVERSE = {"inverse": True}
SYMBOLS = {
    "I": LeafSymbol(I, ("n",), 1),
    "L": LeafSymbol(L, ("n", "k"), 2),
    "R": LeafSymbol(R, ("n", "radix"), 1),
    "Scale": LeafSymbol(Scale, ("n",), 1),
    "T": LeafSymbol(T, ("n", "k"), 2),
    "iT": LeafSymbol(T, ("n", "k"), 2, INVERSE),
    "NTT": LeafSymbol(NTT, ("n", "turn"), 1),
    "iNTT": LeafSymbol(NTT, ("n", "turn"), 1, INVERSE),
    "Ring": LeafSymbol(Ring, ("n", "turn"), 2),
    "iRing": LeafSymbol(Ring, ("n", "turn"), 2, INVERSE),
    "Rings": LeafSymbol(Ring, ("blocks", "n", "turn"), 3),
    "iRings": LeafSymbol(Ring, ("blocks", "n", "turn"), 3, INVERSE),
}


TOKEN = re.compile(r"\s*(?:(?P<token>\(x\)|\(\+\)|\.\.|\d+|[^\W\d]\w*|[⊗⊕∏·*+\-−/^⌊⌋()\[\],=])|(?P<bad>\S))")
ASCII = {"(x)": "⊗", "(+)": "⊕", "*": "·", "prod": "∏", "-": "−"}


def parse(text: str, where: str = "formula") -> Term:
    """The term written in ``text``; MomagenError names ``where``, the position and the text."""
    parser = _FormulaParser(text, where)
    term = parser.infix()
    return term if parser.token == "" else parser.fail("the end, or one of · ⊗ ⊕")


class _FormulaParser:
    """Recursive descent over the tokens; "" stands for the end."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where, self.at = " ".join(text.split()), where, 0
        matches = list(TOKEN.finditer(self.text))
        self.columns = [m.start(m.lastgroup or 0) + 1 for m in matches] + [len(self.text) + 1]
        self.tokens = [ASCII.get(m[0].strip(), m[0].strip()) for m in matches] + [""]

    @property
    def token(self) -> str:
        return self.tokens[self.at]

    def fail(self, expected: str) -> NoReturn:
        got = f"'{self.token}'" if self.token else "the end"
        raise MomagenError(expected, f"{got} at column {self.columns[self.at]}", self.where, f"in: {self.text}")

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, *tokens: str) -> str:
        return self.next() if self.token in tokens else ""

    def expect(self, token: str) -> None:
        if not self.accept(token):
            self.fail(f"'{token}'")

    def name(self) -> str:
        return self.next() if self.token[:1].isalpha() and self.token != "mod" else self.fail("a name")

    def infix(self) -> Term:
        """A formula."""
        return self.operators((("⊕",), ("·",), ("⊗",)), self.primary)

    def operators(self, levels: Sequence[tuple[str, ...]], operand: Callable[[], Term]) -> Term:
        """Left-associative operators from the loosest to the tightest."""
        if not levels:
            return operand()
        result = self.operators(levels[1:], operand)
        while symbol := self.accept(*levels[0]):
            result = Term(symbol, (result, self.operators(levels[1:], operand)))
        return result

    def primary(self) -> Term:
        if self.accept("("):
            term = self.infix()
            self.expect(")")
            return term
        if symbol := self.accept("∏", "⊕"):
            bounds = self.range()
            return Term("·" if symbol == "∏" else symbol, (self.primary(),), bounds)
        if not self.token[:1].isalpha():
            self.fail("a formula")
        name, given = self.next(), self.range() if self.token == "[" else None
        arguments = self.arguments()
        _check_leaf(name, len(arguments), given is not None, self.where)
        return Term(name, arguments, given)

    def range(self) -> Range:
        self.expect("[")
        name = self.name()
        self.expect("=")
        low = self.index()
        self.expect("..")
        high = self.index()
        self.expect("]")
        return Range(name, low, high)

    def arguments(self, count: int = 0) -> tuple[Term, ...]:
        """At least one; exactly ``count`` where it is given."""
        self.expect("(")
        arguments = [self.index()]
        while len(arguments) != count and self.accept(","):
            arguments.append(self.index())
        self.expect(")" if len(arguments) >= count else ",")
        return tuple(arguments)

    def index(self) -> Term:
        return self.operators((("+", "−"), ("·", "/", "mod")), self.unary)

    def unary(self) -> Term:
        if self.accept("−"):
            return Term("−", (Term("0"), self.unary()))
        base = self.atom()
        return Term("^", (base, self.unary())) if self.accept("^") else base

    def atom(self) -> Term:
        if self.token.isdecimal():
            return Term(self.next())
        if opening := self.accept("(", "⌊"):
            inner = self.index()
            self.expect(")" if opening == "(" else "⌋")
            return inner if opening == "(" else Term("floor", (inner,))
        name = self.name()
        return Term(name, self.arguments(FUNCTIONS[name]) if name in FUNCTIONS else ())


def _check_leaf(name: str, arguments: int, ranged: bool, where: str) -> None:
    """Raise MomagenError unless there is a leaf of this name with so many arguments; only D takes a range."""
    symbol = SYMBOLS.get(name)
    if ranged:
        if name != "D" or arguments != 1:
            raise MomagenError("D[j=0..n−1](turn)", f"{name}[…] with {arguments} argument(s)", where)
    elif symbol is None:
        raise MomagenError(f"one of {', '.join(SYMBOLS)}, D[…]", name, where)
    elif not symbol.required <= arguments <= len(symbol.fields):
        raise MomagenError(f"{name}({', '.join(symbol.fields)})", f"{arguments} argument(s)", where)
