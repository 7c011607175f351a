"""The papers' notation, parsed: ``[c0:1, c1] = δ + a0 + b0``, ``δ = (a0 < b0) ∨ ((a0 =? b0) ∧ (a1 < b1))``.

Grammar, loosest first (``·`` may be written ``*``)::

    statement := "assume" name ("<" number "·" name | "≤" name) | targets "=" choice
    targets   := item | "[" item {"," item} "]"          item := name [":1"] | "0" | "_"
    choice    := or ["if" or "otherwise" choice]
    or        := and {"∨" and}        and := not {"∧" not}        not := "¬" not | compare
    compare   := shift [("<" | "≤" | "=?") shift]
    shift     := sum [("<<" | ">>") distance]
    sum       := product {("+" | "-") product}
    product   := modulus {"·" modulus}
    modulus   := atom ["mod" ("2^" distance | atom)]
    atom      := name [":1"] | number | "[" choice {"," choice} "]" | "(" choice ")" | "⌊" choice "/" "2^" distance "⌋"
               | name ["{" distance "}"] "(" choice {"," choice} ")"
    distance  := integer arithmetic in w (bits of a digit) and k (the operation's attribute)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from momagen.errors import MomagenError

from .distance import Distance, parse_distance

_TOKEN = re.compile(r"\s*(2\^|=\?|<<|>>|[A-Za-zα-ωμ_][A-Za-z0-9_α-ωμ']*|\d+|[\[\](){},:=<≤+\-·*/∨∧¬⌊⌋])")


@dataclass(frozen=True)
class Name:
    text: str
    flag: bool = False

    def __str__(self) -> str:
        return f"{self.text}:1" if self.flag else self.text


@dataclass(frozen=True)
class Number:
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Digits:
    items: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True)
class Apply:
    """An operator or a named operation; ``distance`` is a shift's, a modulus 2^k's or a composite's attribute."""

    head: str
    args: tuple[Expr, ...]
    distance: Distance | None = None

    def __str__(self) -> str:
        infix = len(self.args) == 2 and not self.head.isidentifier()
        return f" {self.head} ".join(map(str, self.args)) if infix else f"{self.head}({', '.join(map(str, self.args))})"


Expr = Name | Number | Digits | Apply


@dataclass(frozen=True)
class Target:
    name: str
    flag: bool = False


@dataclass(frozen=True)
class Assign:
    targets: tuple[Target, ...]
    value: Expr


@dataclass(frozen=True)
class Assume:
    """``name < factor·other``, or ``name ≤ other`` where the factor is 0: a theorem that intervals cannot see."""

    name: str
    factor: int
    other: str


Statement = Assign | Assume


def parse_statements(text: str, where: str) -> list[Statement]:
    """The statements of ``text``, one per line or parted by ``;``. A ``#`` starts a comment."""
    lines = [part.split("#")[0].strip() for line in text.splitlines() for part in line.split("#")[0].split(";")]
    return [Parser(line, where).statement() for line in lines if line]


class Parser:
    """Recursive descent over the tokens of one statement."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where, self.at = text, where, 0
        self.tokens = self._tokens()

    def _tokens(self) -> list[str]:
        tokens, end = [], 0
        while self.text[end:].strip():
            match = _TOKEN.match(self.text, end)
            if match is None:
                raise MomagenError("the rule notation", self.text[end:].strip(), f"{self.where}: {self.text!r}")
            tokens.append(match.group(1))
            end = match.end()
        return tokens

    def fail(self, expected: str) -> MomagenError:
        got = self.tokens[self.at] if self.at < len(self.tokens) else "the end"
        return MomagenError(expected, got, f"{self.where}: {self.text!r}")

    def peek(self, *wanted: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at] in wanted

    def accept(self, *wanted: str) -> str:
        if not self.peek(*wanted):
            return ""
        self.at += 1
        return self.tokens[self.at - 1]

    def need(self, wanted: str) -> None:
        if not self.accept(wanted):
            raise self.fail(f"“{wanted}”")

    def word(self, what: str) -> str:
        if self.at < len(self.tokens) and re.match(r"\w", self.tokens[self.at]):
            self.at += 1
            return self.tokens[self.at - 1]
        raise self.fail(what)

    def statement(self) -> Statement:
        result = self._assume() if self.accept("assume") else self._assign()
        if self.at < len(self.tokens):
            raise self.fail("the end of the statement")
        return result

    def _assume(self) -> Assume:
        name = self.word("a name")
        if self.accept("≤"):
            return Assume(name, 0, self.word("a name"))
        self.need("<")
        if not (self.at < len(self.tokens) and self.tokens[self.at].isdecimal()):
            raise self.fail("a number")
        factor = int(self.word("a number"))
        self.need("·")
        return Assume(name, factor, self.word("a name"))

    def _assign(self) -> Assign:
        targets = self._targets()
        self.need("=")
        return Assign(targets, self.choice())

    def _targets(self) -> tuple[Target, ...]:
        if not self.accept("["):
            return (self._target(),)
        targets = [self._target()]
        while self.accept(","):
            targets.append(self._target())
        self.need("]")
        return tuple(targets)

    def _target(self) -> Target:
        return Target(self.word("a name, 0 or _"), self._flag_mark())

    def _flag_mark(self) -> bool:
        marked = bool(self.accept(":"))
        if marked:
            self.need("1")
        return marked

    def choice(self) -> Expr:
        value = self._chain(("∨",), lambda: self._chain(("∧",), self._negation))
        if not self.accept("if"):
            return value
        flag = self._chain(("∨",), lambda: self._chain(("∧",), self._negation))
        self.need("otherwise")
        return Apply("if", (flag, value, self.choice()))

    def _chain(self, heads: tuple[str, ...], inner: object) -> Expr:
        assert callable(inner)
        value: Expr = inner()
        while head := self.accept(*heads):
            value = Apply(head, (value, inner()))
        return value

    def _negation(self) -> Expr:
        return Apply("¬", (self._negation(),)) if self.accept("¬") else self._compare()

    def _compare(self) -> Expr:
        left = self._shift()
        head = self.accept("<", "≤", "=?")
        return Apply(head, (left, self._shift())) if head else left

    def _shift(self) -> Expr:
        value = self._chain(("+", "-"), lambda: self._chain(("·", "*"), self._modulus))
        head = self.accept("<<", ">>")
        return Apply(head, (value,), self._distance()) if head else value

    def _modulus(self) -> Expr:
        value = self._atom()
        if not self.accept("mod"):
            return value
        if self.accept("2^"):
            return Apply("mod 2^", (value,), self._distance())
        return Apply("mod", (value, self._atom()))

    def _distance(self) -> Distance:
        distance, self.at = parse_distance(self.tokens, self.at, lambda: self.fail("a shift distance"))
        return distance

    def _list(self, closing: str) -> tuple[Expr, ...]:
        items = [self.choice()]
        while self.accept(","):
            items.append(self.choice())
        self.need(closing)
        return tuple(items)

    def _atom(self) -> Expr:
        if self.accept("["):
            return Digits(self._list("]"))
        if self.accept("("):
            value = self.choice()
            self.need(")")
            return value
        if self.accept("⌊"):
            return self._floor()
        text = self.word("a name, a number or a bracket")
        if text.isdigit():
            return Number(int(text))
        return self._name_or_call(text)

    def _floor(self) -> Expr:
        value = self.choice()
        self.need("/")
        self.need("2^")
        distance = self._distance()
        self.need("⌋")
        return Apply("⌊/2^⌋", (value,), distance)

    def _name_or_call(self, text: str) -> Expr:
        distance = None
        if self.accept("{"):
            distance = self._distance()
            self.need("}")
        if distance is None and not self.peek("("):
            return Name(text, self._flag_mark())
        self.need("(")
        return Apply(text, self._list(")"), distance)
