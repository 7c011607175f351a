"""The operator-precedence parser for the notation that :mod:`momagen.rewrite.notation.syntax` defines."""

from __future__ import annotations

import re

from momagen.errors import MomagenError

from .arithmetic import COMPARE, Guard
from .syntax import Apply, Assume, Digits, Equation, Expr, Literal, Repeat, Statement, Variable

_TOKEN = re.compile(r"(2\^|=\?|<<|>>|[A-Za-zα-ωμ_][A-Za-z0-9_α-ωμ']*|\d+|[\[\](){},:=<>≤≥+\-·*/|∨∧¬⌊⌋])|\s+|((?s:.+))")
"""A regular expression for a token or, in the second group, for text that is no token."""
_WORD = re.compile(r"\w").match
_REPEAT = re.compile(r"repeat (.+) \{")
LEVELS = (("∨",), ("∧", "and"), (), ("=?", *COMPARE), ("<<", ">>"), ("+", "-"), ("·", "*", "/"), ("mod",))
"""The operators of each precedence level, the level that binds least first. Operators of one level are
left-associative."""
LEVEL = {head: level for level, heads in enumerate(LEVELS) for head in heads}
"""The precedence level of each operator."""
NOT, SUM, PRODUCT = 2, 5, 6
"""The precedence levels of negations, sums and products."""
WORDS = ("if", "otherwise", "mod", "and")
"""The keywords of the notation, which cannot be names."""
MOST_DIGITS = 4000
"""The largest number of decimal digits of a number. Python refuses to convert numbers of more than 4,300
digits."""


def parse_statements(text: str, where: str) -> list[Statement]:
    """Return the statements of a text.

    Args:
        text: The statements, separated by line breaks or ``;``. A ``#`` starts a comment.
        where: The place of the text, for errors.

    Raises:
        MomagenError: The text is outside the notation.
    """
    found = list[Statement]()
    repeat: tuple[Expr, list[Equation | Assume]] | None = None
    parts = [part.strip() for line in text.splitlines() for part in line.split("#")[0].split(";")]
    for line in filter(None, parts):
        if repeat and line == "}":
            found.append(Repeat(repeat[0], tuple(repeat[1])))
            repeat = None
        elif not repeat and (count := _REPEAT.fullmatch(line)):
            repeat = RuleParser(count[1], where).value(), []
        else:
            (repeat[1] if repeat else found).append(RuleParser(line, where).statement())
    if repeat:
        raise MomagenError("“}” after “repeat”", text, where)
    return found


def parse_guard(text: str, where: str) -> Guard:
    """Return the guard that a text describes.

    Args:
        text: Comparisons that are joined by "and".
        where: The place of the text, for errors.

    Raises:
        MomagenError: The text is outside the notation, or not a conjunction of comparisons.
    """
    try:
        found = [RuleParser(part, where).value() for part in text.split(" and ") if text]
    except MomagenError:
        found = [Literal(0)]
    terms = tuple(each for each in found if isinstance(each, Apply) and each.head in COMPARE)
    if len(terms) < len(found):
        raise MomagenError("a guard such as “k < w and w ≥ 2 word”", text, where)
    return Guard(text, terms)


class RuleParser:
    """A recursive-descent parser for one statement, in which the token "" marks the end.

    Raises:
        MomagenError: The text contains something that is no token.
    """

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where, self.at = text, where, 0
        found: list[tuple[str, str]] = _TOKEN.findall(text)
        if found and (bad := found[-1][1].strip()):
            raise MomagenError("the notation of rules", bad, f"{where}: {text!r}")
        self.tokens = [*(token for token, _ in found if token), ""]

    def fail(self, expected: str) -> MomagenError:
        """Return the error that says what was expected instead of the next token."""
        return MomagenError(expected, self.next or "the end", f"{self.where}: {self.text!r}")

    @property
    def next(self) -> str:
        """The next token."""
        return self.tokens[self.at]

    def accept(self, *wanted: str) -> str:
        """Consume and return the next token if it is one of ``wanted``; otherwise return ""."""
        token = self.tokens[self.at]
        if token not in wanted:
            return ""
        self.at += 1
        return token

    def need(self, wanted: str) -> None:
        """Consume the next token, which must be ``wanted``."""
        if not self.accept(wanted):
            raise self.fail(f"“{wanted}”")

    def word(self, what: str) -> str:
        """Consume and return a name or number; ``what`` describes it in the error if there is none."""
        if not _WORD(self.next):
            raise self.fail(what)
        return self.accept(self.next)

    def end(self) -> None:
        """Check that no tokens are left."""
        if self.next:
            raise self.fail("the end of the statement")

    # The parsers of statements.

    def _equation(self) -> Equation:
        """Parse an assignment."""
        targets = self._targets()
        self.need("=")
        return Equation(targets, self._value())

    def statement(self) -> Equation | Assume:
        """Parse a statement up to the end of the text."""
        found = self._assume() if self.accept("assume") else self._equation()
        self.end()
        return found

    def value(self) -> Expr:
        """Parse an expression up to the end of the text."""
        found = self._value()
        self.end()
        return found

    def _assume(self) -> Assume:
        """Parse a theorem."""
        signed = bool(self.accept("|"))
        name = self.word("a name")
        if signed:
            self.need("|")
        strict = self.next == "<"
        self.need("<" if strict else "≤")
        match self._operators(PRODUCT):
            case Variable() | Apply("2^") as most:
                return Assume(name, 1, most, strict, signed)
            case Apply("·", (Literal(factor), Variable() | Apply("2^") as most)):
                return Assume(name, factor, most, strict, signed)
        raise self.fail("a bound such as q, 2·q or 2^w")

    def _targets(self) -> tuple[Variable, ...]:
        """Parse the targets of an assignment."""
        several = self.accept("[")
        targets = [self._target()]
        while several and self.accept(","):
            targets.append(self._target())
        if any(t.bits for t in targets) and (len(targets) != 2 or targets[0].flag or targets[0].bits):
            raise self.fail("two parts, the low one with its bits")
        if several:
            self.need("]")
        return tuple(targets)

    def _target(self) -> Variable:
        """Parse one target."""
        name = self.word("a name, 0 or _")
        bits = self._operators(SUM) if self.accept(":") else None
        flag = bits == Literal(1)
        return Variable(name, flag, None if flag else bits)

    # The parsers of expressions.

    def _value(self) -> Expr:
        """Parse an expression, which may be conditional."""
        value = self._operators(0)
        if not self.accept("if"):
            return value
        flag = self._operators(0)
        self.need("otherwise")
        return Apply("if", (flag, value, self._value()))

    def _operators(self, loosest: int) -> Expr:
        """Parse an expression with operators of the level ``loosest`` and of levels that bind tighter."""
        negated = loosest <= NOT and self.accept("¬")
        value = Apply("¬", (self._operators(NOT),)) if negated else self._atom()
        while (level := LEVEL.get(self.next, -1)) >= loosest:
            head = self.accept(self.next).replace("and", "∧")
            right = self._operators(level + 1)
            if head == "mod" and isinstance(right, Apply) and right.head == "2^":
                head, right = "mod 2^", right.args[0]
            far = head in ("<<", ">>", "mod 2^")
            value = Apply(head, (value,), right) if far else Apply(head, (value, right))
        return value

    def _list(self, closing: str) -> tuple[Expr, ...]:
        """Parse expressions that are separated by commas, up to a closing bracket."""
        items = [self._value()]
        while self.accept(","):
            items.append(self._value())
        self.need(closing)
        return tuple(items)

    def _atom(self) -> Expr:
        """Parse a name, a number, a call, a bracket, a power of two, a floor or a negation."""
        if _WORD(self.next) and self.next != "2^":
            text = self.accept(self.next)
            return self._literal(self._number(text)) if text.isdigit() else self._name_or_call(text)
        if self.accept("["):
            return Digits(self._list("]"))
        if self.accept("("):
            value = self._value()
            self.need(")")
            return value
        if self.accept("2^"):
            return Apply("2^", (self._atom(),))
        if self.accept("⌊"):
            return self._floor()
        if self.accept("-"):
            return Apply("-", (Literal(0), self._atom()))
        raise self.fail("a name, a number or a bracket")

    def _number(self, text: str) -> int:
        """Return the number that a text represents."""
        if len(text) > MOST_DIGITS:
            raise MomagenError(f"numbers of at most {MOST_DIGITS} digits", text, self.where)
        return int(text)

    def _literal(self, number: int) -> Expr:
        """Return a number, or its product with the name that follows it directly."""
        stuck = re.match("[A-Za-z]", self.next) and self.next not in WORDS
        return Apply("*", (Literal(number), Variable(self.accept(self.next)))) if stuck else Literal(number)

    def _floor(self) -> Expr:
        """Parse the rest of ⌊a · b / 2^k⌋ or ⌊a / 2^k⌋."""
        found = self._operators(SUM)
        match found:
            case Apply("/", (value, Apply("2^", (distance,)))):
                self.need("⌋")
                return Apply("⌊/2^⌋", (value,), distance)
        raise self.fail("a power of two under “/”")

    def _name_or_call(self, text: str) -> Expr:
        """Parse the rest of a name or a call."""
        distance = None
        if self.accept("{"):
            distance = self._operators(SUM)
            self.need("}")
        if distance is None and self.next != "(":
            flag = bool(self.accept(":"))
            if flag:
                self.need("1")
            return Variable(text, flag)
        self.need("(")
        return Apply(text, self._list(")"), distance)
