"""A parser for the notation of the rule files, independent of the one that the generator uses.

Both the rules and the meanings of operations are written in it. ``docs/reference/rule-notation.md`` explains it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from momagen.prove.checker import ProofError

TOKEN = re.compile(r"\s*(2\^|=\?|<<|>>|[A-Za-zα-ωδμν_][\w']*|\d+|[\[\](){},:;=≡≈<>≤≥+\-·*/|∨∧¬⌊⌋])")
LEVELS = (("∨",), ("∧", "and"), ("=?", "<", "≤", "=", ">", "≥"), ("<<", ">>"), ("+", "-"), ("·", "*", "/"), ("mod",))
"""The binary operators, those that bind least first."""
LEVEL = {head: at for at, heads in enumerate(LEVELS) for head in heads}
COMPARISONS = ("<", "≤", "=", ">", "≥")
KEYWORDS = ("if", "otherwise", "mod", "and")


@dataclass(frozen=True)
class Identifier:
    """A name. ``is_flag`` says that it has the mark ``:1``, and ``bits`` is the length of the low part of a split."""

    text: str
    is_flag: bool = False
    bits: Node | None = None


@dataclass(frozen=True)
class Numeral:
    """An integer."""

    value: int


@dataclass(frozen=True)
class LimbList:
    """A number in brackets, the high limb first."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Operator:
    """An operator or a named operation.

    Attributes:
        head: The operator or name.
        args: The arguments.
        attribute: A shift count, the exponent of a modulus, or what stands in braces.
    """

    head: str
    args: tuple[Node, ...]
    attribute: Node | None = None


Node = Identifier | Numeral | LimbList | Operator


@dataclass(frozen=True)
class RuleAssignment:
    """An assignment."""

    targets: tuple[Identifier, ...]
    value: Node
    text: str = ""


@dataclass(frozen=True)
class Assumed:
    """A bound that a rule states: ``name < factor · bound``, of the absolute value if ``is_absolute``."""

    name: str
    bound: Node
    is_strict: bool
    is_absolute: bool
    text: str = ""


@dataclass(frozen=True)
class Repetition:
    """Statements that are repeated ``count`` times."""

    count: Node
    body: tuple[RuleAssignment | Assumed, ...]


Line = RuleAssignment | Assumed | Repetition


@dataclass(frozen=True)
class Comparison:
    """Two sides with ``<``, ``≤`` or ``=`` between them, or ``≡`` with a modulus."""

    sign: str
    left: Node
    right: Node
    modulus: Node | None = None
    text: str = ""


def parse_rule_lines(text: str) -> list[Line]:
    """Return the lines of the right side of a rule."""
    found: list[Line] = []
    loop: tuple[Node, list[RuleAssignment | Assumed]] | None = None
    for line in (part.strip() for row in text.splitlines() for part in row.split("#")[0].split(";")):
        if not line:
            continue
        if repeat := re.fullmatch(r"repeat (.+) \{", line):
            loop = parse_node(repeat[1]), []
        elif line == "}" and loop:
            found.append(Repetition(loop[0], tuple(loop[1])))
            loop = None
        else:
            (loop[1] if loop else found).append(_LineReader(line).line())
    return found


def parse_node(text: str) -> Node:
    """Return the expression that a text contains."""
    reader = _LineReader(text)
    node = reader.value()
    reader.finish()
    return node


def parse_comparisons(text: str) -> list[Comparison]:
    """Return the comparisons of a precondition, of a condition, or of one side condition of a meaning."""
    found = []
    for part in re.split(r"\band\b|;|\n(?! )", text):
        if part.strip():
            found += _LineReader(part.strip()).chain()
    return found


class _LineReader:
    """A recursive-descent parser of one line."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.tokens: list[str] = []
        where = 0
        while text[where:].strip():
            match = TOKEN.match(text, where)
            if not match:
                raise ProofError(f"this is outside the notation of rules: {text[where:]!r}")
            self.tokens.append(match[1])
            where = match.end()
        self.tokens.append("")

    @property
    def next(self) -> str:
        return self.tokens[self.at]

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, *wanted: str) -> str:
        return self.take() if self.next in wanted and self.next else ""

    def need(self, wanted: str) -> None:
        if not self.accept(wanted):
            raise ProofError(f"expected {wanted!r} before {self.next!r} in {self.text!r}")

    def finish(self) -> None:
        if self.next:
            raise ProofError(f"{self.next!r} follows an expression in {self.text!r}")

    def line(self) -> RuleAssignment | Assumed:
        if self.accept("assume"):
            absolute = bool(self.accept("|"))
            name = self.take()
            if absolute:
                self.need("|")
            sign = self.take()
            bound = self.operators(LEVEL["·"])
            self.finish()
            return Assumed(name, bound, sign == "<", absolute, self.text)
        targets = self.targets()
        self.need("=")
        value = self.value()
        self.finish()
        return RuleAssignment(targets, value, self.text)

    def targets(self) -> tuple[Identifier, ...]:
        several = self.accept("[")
        found = [self.target()]
        while several and self.accept(","):
            found.append(self.target())
        if several:
            self.need("]")
        return tuple(found)

    def target(self) -> Identifier:
        name = self.take()
        bits = self.operators(LEVEL["+"]) if self.accept(":") else None
        return Identifier(name, True) if bits == Numeral(1) else Identifier(name, False, bits)

    def chain(self) -> list[Comparison]:
        """Parse a comparison or a chain such as ``0 ≤ c < q``, or a congruence with its modulus."""
        sides, signs = [self.operators(LEVEL["<<"], conditional=True)], []
        modulus = None
        while self.next in (*COMPARISONS, "≡", "≈"):
            signs.append(self.take())
            sides.append(self.operators(LEVEL["<<"], conditional=True))
            if signs[-1] == "≡":
                self.need("(")
                self.need("mod")
                modulus = self.value()
                self.need(")")
        self.finish()
        found = []
        for left, sign, right in zip(sides, signs, sides[1:], strict=False):
            if sign in (">", "≥"):
                left, sign, right = right, {">": "<", "≥": "≤"}[sign], left
            found.append(Comparison(sign, left, right, modulus, self.text))
        return found

    def value(self) -> Node:
        return self.operators(0, conditional=True)

    def operators(self, loosest: int, conditional: bool = False) -> Node:
        if loosest <= LEVEL["∧"] + 1 and self.accept("¬"):
            left: Node = Operator("¬", (self.operators(LEVEL["∧"] + 1),))
        else:
            left = self.atom()
        while LEVEL.get(self.next, -1) >= loosest:
            head = self.take()
            right = self.operators(LEVEL[head] + 1)
            head = "∧" if head == "and" else "·" if head == "*" else head
            if head == "mod" and isinstance(right, Operator) and right.head == "2^":
                left = Operator("mod 2^", (left,), right.args[0])
            elif head in ("<<", ">>"):
                left = Operator(head, (left,), right)
            else:
                left = Operator(head, (left, right))
        if conditional and self.accept("if"):
            condition = self.operators(0)
            self.need("otherwise")
            left = Operator("if", (condition, left, self.operators(loosest, conditional=True)))
        return left

    def list(self, closing: str) -> tuple[Node, ...]:
        items = [self.value()]
        while self.accept(","):
            items.append(self.value())
        self.need(closing)
        return tuple(items)

    def atom(self) -> Node:
        if self.accept("["):
            return LimbList(self.list("]"))
        if self.accept("("):
            value = self.value()
            self.need(")")
            return value
        if self.accept("2^"):
            return Operator("2^", (self.atom(),))
        if self.accept("⌊"):
            value = self.operators(LEVEL["+"])
            self.need("⌋")
            if not (isinstance(value, Operator) and value.head == "/"):
                raise ProofError(f"expected a quotient between ⌊ and ⌋ in {self.text!r}")
            power = value.args[1]
            assert isinstance(power, Operator)
            return Operator("⌊⌋", (value.args[0],), power.args[0])
        if self.accept("-"):
            return Operator("-", (Numeral(0), self.atom()))
        token = self.take()
        if token.isdigit():
            follows = self.next
            if re.match(r"[A-Za-z]", follows) and follows not in KEYWORDS:
                return Operator("·", (Numeral(int(token)), Identifier(self.take())))
            return Numeral(int(token))
        if not re.match(r"\w", token):
            raise ProofError(f"expected a value before {token!r} in {self.text!r}")
        attribute = None
        if self.accept("{"):
            attribute = self.operators(LEVEL["+"])
            self.need("}")
        if self.next == "(" and self.tokens[self.at + 1] != "mod":
            self.at += 1
            return Operator(token, self.list(")"), attribute)
        if self.next == ":" and self.tokens[self.at + 1] == "1":
            self.at += 2
            return Identifier(token, True)
        return Identifier(token)
