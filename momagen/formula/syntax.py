"""The paper notation of formulas: text → term → formula.

    term    = product { "⊕" product }           "(+)" is ⊕
    product = tensor { "·" tensor }             "*" is ·
    tensor  = primary { "⊗" primary }           "(x)" is ⊗
    primary = "(" term ")" | ("∏" | "⊕") range primary | name [range] "(" index { "," index } ")"      "prod" is ∏
    range   = "[" name "=" index ".." index "]"
    index   = exact fractions with + − · / mod ^ ⌊ ⌋ rev(n, i) and names

A leaf's name is one of `symbols.SYMBOLS` (NTT, iNTT, …); only D takes a range: D[j=0..n-1](t) = diag(e(t) for all j).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from momagen.errors import MomagenError

from .index_expression import FUNCTIONS, Index, number, operation, variable
from .symbols import check_leaf

TOKEN = re.compile(r"\s*(?:(?P<token>\(x\)|\(\+\)|\.\.|\d+|[^\W\d]\w*|[⊗⊕∏·*+\-−/^⌊⌋()\[\],=])|(?P<bad>\S))")
ASCII = {"(x)": "⊗", "(+)": "⊕", "*": "·", "prod": "∏", "-": "−"}


@dataclass(frozen=True)
class Range:
    """name = low..high, both ends included."""

    name: str
    low: Index
    high: Index


@dataclass(frozen=True)
class LeafCall:
    """A leaf: NTT(r·s), T(n, k), D[j=0..n-1](j/n)."""

    name: str
    arguments: tuple[Index, ...]
    range: Range | None = None


@dataclass(frozen=True)
class Infix:
    """part symbol part symbol …, symbol one of · ⊗ ⊕."""

    symbol: str
    parts: tuple[Term, ...]


@dataclass(frozen=True)
class Big:
    """∏[range] body (symbol ·) or ⊕[range] body: the body once per index, joined."""

    symbol: str
    range: Range
    body: Term


Term = LeafCall | Infix | Big


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

    def infix(self, symbols: str = "⊕·⊗") -> Term:
        """Operators from the loosest to the tightest."""
        if not symbols:
            return self.primary()
        parts = [self.infix(symbols[1:])]
        while self.accept(symbols[0]):
            parts.append(self.infix(symbols[1:]))
        return parts[0] if len(parts) == 1 else Infix(symbols[0], tuple(parts))

    def primary(self) -> Term:
        if self.accept("("):
            term = self.infix()
            self.expect(")")
            return term
        if symbol := self.accept("∏", "⊕"):
            return Big("·" if symbol == "∏" else symbol, self.range(), self.primary())
        if not self.token[:1].isalpha():
            self.fail("a formula")
        name, bounds = self.next(), self.range() if self.token == "[" else None
        arguments = self.arguments()
        check_leaf(name, len(arguments), bounds is not None, self.where)
        return LeafCall(name, arguments, bounds)

    def range(self) -> Range:
        self.expect("[")
        name = self.name()
        self.expect("=")
        low = self.index()
        self.expect("..")
        high = self.index()
        self.expect("]")
        return Range(name, low, high)

    def arguments(self, count: int = 0) -> tuple[Index, ...]:
        """At least one; exactly ``count`` where it is given."""
        self.expect("(")
        arguments = [self.index()]
        while len(arguments) != count and self.accept(","):
            arguments.append(self.index())
        self.expect(")" if len(arguments) >= count else ",")
        return tuple(arguments)

    def index(self, levels: tuple[tuple[str, ...], ...] = (("+", "−"), ("·", "/", "mod"))) -> Index:
        """Left-associative operators from the loosest to the tightest."""
        if not levels:
            return self.unary()
        result = self.index(levels[1:])
        while symbol := self.accept(*levels[0]):
            result = operation(symbol, result, self.index(levels[1:]))
        return result

    def unary(self) -> Index:
        if self.accept("−"):
            return operation("−", number(0), self.unary())
        base = self.atom()
        return operation("^", base, self.unary()) if self.accept("^") else base

    def atom(self) -> Index:
        if self.token.isdecimal():
            return number(int(self.next()))
        if opening := self.accept("(", "⌊"):
            inner = self.index()
            self.expect(")" if opening == "(" else "⌋")
            return inner if opening == "(" else operation("floor", inner)
        name = self.name()
        return operation(name, *self.arguments(FUNCTIONS[name])) if name in FUNCTIONS else variable(name)
