"""The parser of the notation in ``syntax``: recursive descent over the tokens of one statement."""

from __future__ import annotations

import re

from momagen.errors import MomagenError

from .distance import Distance, parse_distance
from .syntax import Apply, Assigned, Assume, Digits, Equation, Expr, Literal, Statement, Variable

_TOKEN = re.compile(r"\s*(2\^|=\?|<<|>>|[A-Za-zα-ωμ_][A-Za-z0-9_α-ωμ']*|\d+|[\[\](){},:=<≤+\-·*/|∨∧¬⌊⌋])")
ONE = Distance(1)
"""The bits of a flag."""


def parse_statements(text: str, where: str) -> list[Statement]:
    """The statements of ``text``, one per line or parted by ``;``. A ``#`` starts a comment."""
    lines = [part.split("#")[0].strip() for line in text.splitlines() for part in line.split("#")[0].split(";")]
    return [RuleParser(line, where).statement() for line in lines if line]


class RuleParser:
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
        signed = bool(self.accept("|"))
        name = self.word("a name")
        if signed:
            self.need("|")
        factor = 0 if self.accept("≤") else self._factor()
        return Assume(name, factor, self._distance() if self.accept("2^") else self.word("a name"), signed)

    def _factor(self) -> int:
        """After ``<``: the number before ``·``, or one where a power of two follows."""
        self.need("<")
        if self.peek("2^"):
            return 1
        if not (self.at < len(self.tokens) and self.tokens[self.at].isdecimal()):
            raise self.fail("a number")
        factor = int(self.word("a number"))
        self.need("·")
        return factor

    def _assign(self) -> Equation:
        targets = self._targets()
        self.need("=")
        return Equation(targets, self.choice())

    def _targets(self) -> tuple[Assigned, ...]:
        if not self.accept("["):
            return (self._target(),)
        targets = [self._target()]
        while self.accept(","):
            targets.append(self._target())
        if any(t.bits for t in targets) and (len(targets) != 2 or targets[0].flag or targets[0].bits):
            raise self.fail("two parts, the low one with its bits")
        self.need("]")
        return tuple(targets)

    def _target(self) -> Assigned:
        name = self.word("a name, 0 or _")
        bits = self._distance() if self.accept(":") else None
        return Assigned(name, bits == ONE, None if bits == ONE else bits)

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
            return Literal(int(text))
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
            return Variable(text, self._flag_mark())
        self.need("(")
        return Apply(text, self._list(")"), distance)
