"""A parser for the notation of formulas, as papers and rule files write them: it turns a text into a term.

The grammar, with the ASCII spellings on the right:

    term    = product { "⊕" product }           "(+)" is ⊕
    product = tensor { "·" tensor }             "*" is ·
    tensor  = primary { "⊗" primary }           "(x)" is ⊗
    primary = "(" term ")"                      "prod" is ∏
            | ("∏" | "⊕") range primary
            | name [range] "(" index { "," index } ")"
    range   = "[" name "=" index ".." index "]"
    index   = exact fractions with + − · / mod ^ ⌊ ⌋ rev(n, i) and names

The name of a leaf is one of ``SYMBOLS`` (NTT, iNTT, …) or D. Only D takes a range: D[j=0..n-1](t) is the
diagonal matrix with the entries e(t) for all j.
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
    """The meaning of a leaf's name in the notation.

    Attributes:
        leaf: The class of the leaf.
        fields: The fields of the class that the arguments set, in order.
        required: The number of arguments that must be present.
        fixed: The fields whose values the name itself determines.
    """

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
"""The leaves of the notation by name, except D."""


TOKEN = re.compile(r"\s*(?:(?P<token>\(x\)|\(\+\)|\.\.|\d+|[^\W\d]\w*|[⊗⊕∏·*+\-−/^⌊⌋()\[\],=])|(?P<bad>\S))")
ASCII = {"(x)": "⊗", "(+)": "⊕", "*": "·", "prod": "∏", "-": "−"}
"""The symbols that have a spelling in ASCII, by that spelling. The minus sign is the character U+2212."""


def parse(text: str, where: str = "formula") -> Term:
    """Return the term that a text describes.

    Args:
        text: A formula in the notation of this module.
        where: The place of the text, for errors.

    Raises:
        MomagenError: The text is no formula; the message contains ``where``, the column and the text.
    """
    parser = _FormulaParser(text, where)
    term = parser.infix()
    return term if parser.token == "" else parser.fail("the end, or one of · ⊗ ⊕")


class _FormulaParser:
    """A recursive-descent parser on a list of tokens, in which the token "" marks the end of the text."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where, self.at = " ".join(text.split()), where, 0
        matches = list(TOKEN.finditer(self.text))
        self.columns = [m.start(m.lastgroup or 0) + 1 for m in matches] + [len(self.text) + 1]
        self.tokens = [ASCII.get(m[0].strip(), m[0].strip()) for m in matches] + [""]

    @property
    def token(self) -> str:
        """The next token."""
        return self.tokens[self.at]

    def fail(self, expected: str) -> NoReturn:
        """Raise MomagenError, which says what was expected instead of the next token."""
        got = f"'{self.token}'" if self.token else "the end"
        raise MomagenError(expected, f"{got} at column {self.columns[self.at]}", self.where, f"in: {self.text}")

    def next(self) -> str:
        """Consume and return the next token."""
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, *tokens: str) -> str:
        """Consume and return the next token if it is one of ``tokens``; otherwise return ""."""
        return self.next() if self.token in tokens else ""

    def expect(self, token: str) -> None:
        """Consume the next token.

        Raises:
            MomagenError: The next token is not ``token``.
        """
        if not self.accept(token):
            self.fail(f"'{token}'")

    def name(self) -> str:
        """Parse a name."""
        return self.next() if self.token[:1].isalpha() and self.token != "mod" else self.fail("a name")

    def infix(self) -> Term:
        """Parse a formula."""
        return self.operators((("⊕",), ("·",), ("⊗",)), self.primary)

    def operators(self, levels: Sequence[tuple[str, ...]], operand: Callable[[], Term]) -> Term:
        """Parse operands that are joined by left-associative binary operators.

        Args:
            levels: The operators of each precedence level, the level that binds least first.
            operand: The function that parses an operand.
        """
        if not levels:
            return operand()
        result = self.operators(levels[1:], operand)
        while symbol := self.accept(*levels[0]):
            result = Term(symbol, (result, self.operators(levels[1:], operand)))
        return result

    def primary(self) -> Term:
        """Parse a leaf, a formula in parentheses, or a product or direct sum over a range."""
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
        """Parse a range such as ``[i=0..k-1]``."""
        self.expect("[")
        name = self.name()
        self.expect("=")
        low = self.index()
        self.expect("..")
        high = self.index()
        self.expect("]")
        return Range(name, low, high)

    def arguments(self, count: int = 0) -> tuple[Term, ...]:
        """Parse arguments in parentheses: exactly ``count`` of them, or at least one if ``count`` is 0."""
        self.expect("(")
        arguments = [self.index()]
        while len(arguments) != count and self.accept(","):
            arguments.append(self.index())
        self.expect(")" if len(arguments) >= count else ",")
        return tuple(arguments)

    def index(self) -> Term:
        """Parse an expression of index arithmetic."""
        return self.operators((("+", "−"), ("·", "/", "mod")), self.unary)

    def unary(self) -> Term:
        """Parse a negation, a power or an atom of index arithmetic."""
        if self.accept("−"):
            return Term("−", (Term("0"), self.unary()))
        base = self.atom()
        return Term("^", (base, self.unary())) if self.accept("^") else base

    def atom(self) -> Term:
        """Parse a number, a name, a function call, a floor, or an expression in parentheses."""
        if self.token.isdecimal():
            return Term(self.next())
        if opening := self.accept("(", "⌊"):
            inner = self.index()
            self.expect(")" if opening == "(" else "⌋")
            return inner if opening == "(" else Term("floor", (inner,))
        name = self.name()
        return Term(name, self.arguments(FUNCTIONS[name]) if name in FUNCTIONS else ())


def _check_leaf(name: str, arguments: int, ranged: bool, where: str) -> None:
    """Check that a leaf exists and has an allowed number of arguments.

    Args:
        name: The name of the leaf.
        arguments: The number of its arguments.
        ranged: Whether it has a range, which only D may have.
        where: The place of the formula, for errors.

    Raises:
        MomagenError: There is no such leaf, or its number of arguments is wrong.
    """
    symbol = SYMBOLS.get(name)
    if ranged:
        if name != "D" or arguments != 1:
            raise MomagenError("D[j=0..n−1](turn)", f"{name}[…] with {arguments} argument(s)", where)
    elif symbol is None:
        raise MomagenError(f"one of {', '.join(SYMBOLS)}, D[…]", name, where)
    elif not symbol.required <= arguments <= len(symbol.fields):
        raise MomagenError(f"{name}({', '.join(symbol.fields)})", f"{arguments} argument(s)", where)
