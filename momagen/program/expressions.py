"""Expressions of a program: counts, words, and pointers into arrays of words.

Expressions are written with Python's operators: ``y + i * stride`` is a pointer and ``p[i]`` a word. Counts
and words are unsigned. Sums, differences, products and shifts of words are taken modulo 2^w for the w-bit
words of the target, those of counts modulo 2^64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Type(Enum):
    """The type of a name.

    ``WORDS`` is an array of words that may be written, ``INPUT`` a read-only one, and ``COUNTS`` an array of
    counts. ``ROWS`` and ``INPUT_ROWS`` are arrays of pointers to such arrays of words. ``LONG`` has 64 bits
    on every target. ``SHORT_WORDS`` and ``SHORT_INPUT`` are arrays of 32-bit numbers, each of which becomes a
    word when it is loaded.
    """

    COUNT = "count"
    WORD = "word"
    LONG = "long"
    WORDS = "words"
    INPUT = "input"
    COUNTS = "counts"
    ROWS = "rows"
    INPUT_ROWS = "input rows"
    SHORT_WORDS = "short words"
    SHORT_INPUT = "short input"

    @property
    def pointer(self) -> bool:
        """Whether a name of this type is an address."""
        return self not in (Type.COUNT, Type.WORD, Type.LONG)


class Expr:
    """An expression. Its fields must not change.

    Attributes:
        type: The type of the expression.
    """

    type: Type

    def __add__(self, other: Operand) -> Expr:
        return binary("+", self, other)

    def __radd__(self, other: Operand) -> Expr:
        return binary("+", number(other), self)

    def __sub__(self, other: Operand) -> Expr:
        return binary("-", self, other)

    def __rsub__(self, other: Operand) -> Expr:
        return binary("-", number(other), self)

    def __mul__(self, other: Operand) -> Expr:
        return binary("*", self, other)

    def __rmul__(self, other: Operand) -> Expr:
        return binary("*", number(other), self)

    def __floordiv__(self, other: Operand) -> Expr:
        return binary("/", self, other)

    def __mod__(self, other: Operand) -> Expr:
        return binary("%", self, other)

    def __lshift__(self, other: Operand) -> Expr:
        return binary("<<", self, other)

    def __rlshift__(self, other: Operand) -> Expr:
        return binary("<<", number(other), self)

    def __rshift__(self, other: Operand) -> Expr:
        return binary(">>", self, other)

    def __and__(self, other: Operand) -> Expr:
        return binary("&", self, other)

    def __or__(self, other: Operand) -> Expr:
        return binary("|", self, other)

    def __xor__(self, other: Operand) -> Expr:
        return binary("^", self, other)

    def __lt__(self, other: Operand) -> Expr:
        return binary("<", self, other)

    def __le__(self, other: Operand) -> Expr:
        return binary("<=", self, other)

    def __gt__(self, other: Operand) -> Expr:
        return binary(">", self, other)

    def is_(self, other: Operand) -> Expr:
        """Return the expression that is 1 if both operands are equal, and 0 otherwise."""
        return binary("==", self, other)

    def is_not(self, other: Operand) -> Expr:
        """Return the expression that is 1 if the operands differ, and 0 otherwise."""
        return binary("!=", self, other)

    def both(self, other: Operand) -> Expr:
        """Return the conjunction of two tests. The second one is evaluated only if the first one holds."""
        return binary("&&", self, other)

    def __getitem__(self, at: Operand) -> Element:
        return Element(self, number(at))


Operand = Expr | int
"""An operand of an expression; integers are counts."""


@dataclass(eq=False, repr=False)
class Number(Expr):
    """A number, by default a count."""

    value: int
    type: Type = Type.COUNT


@dataclass(eq=False, repr=False)
class Name(Expr):
    """A variable, an array or a named number."""

    text: str
    type: Type = Type.COUNT


@dataclass(eq=False, repr=False)
class Binary(Expr):
    """The operation ``left op right``, with the operators of C."""

    op: str
    left: Expr
    right: Expr

    @property
    def type(self) -> Type:  # type: ignore[override]
        """The type: a count for comparisons, else that of a left pointer, else a word if one side is one."""
        if self.op in COMPARISONS:
            return Type.COUNT
        left = self.left.type  # evaluated only once, since the left sides of a long sum are nested deeply
        if left.pointer or self.op in ("<<", ">>"):
            return left
        return Type.WORD if Type.WORD in (left, self.right.type) else left


@dataclass(eq=False, repr=False)
class Choice(Expr):
    """The expression that is ``yes`` if ``test`` holds, and ``no`` otherwise."""

    test: Expr
    yes: Expr
    no: Expr

    @property
    def type(self) -> Type:  # type: ignore[override]
        """The type of ``yes``."""
        return self.yes.type


@dataclass(eq=False, repr=False)
class Element(Expr):
    """The element ``pointer[at]``: a word, a count, or a pointer to words."""

    pointer: Expr
    at: Expr

    @property
    def type(self) -> Type:  # type: ignore[override]
        """The type of the elements of the array."""
        return ELEMENTS.get(self.pointer.type, Type.WORD)


@dataclass(eq=False, repr=False)
class Call(Expr):
    """The result of a call of the function ``name``."""

    name: str
    args: tuple[Expr, ...]
    type: Type = Type.COUNT


@dataclass(eq=False, repr=False)
class Real(Expr):
    """The bits of the double value · 2^twos.

    Both numbers are signed and stored modulo 2^64. At most 53 bits of ``value`` may be significant.
    """

    value: Expr
    twos: Expr
    type: Type = Type.WORD


@dataclass(eq=False, repr=False)
class Same(Expr):
    """The comparison of ``count`` words at two addresses, which is 1 if they are equal."""

    a: Expr
    b: Expr
    count: Expr
    type: Type = Type.COUNT


ELEMENTS = {Type.COUNTS: Type.COUNT, Type.ROWS: Type.WORDS, Type.INPUT_ROWS: Type.INPUT}
"""The types of the elements of arrays, if they are not words."""
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b, "&&": lambda a, b: bool(a and b),
}  # fmt: skip
"""The comparisons on integers by operator."""
ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a // b,
    "%": lambda a, b: a % b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b, "&": lambda a, b: a & b,
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
}  # fmt: skip
"""The operators on integers, before their results are taken modulo a power of two."""


def number(operand: Operand) -> Expr:
    """Return ``operand`` as an expression."""
    return operand if isinstance(operand, Expr) else Number(operand)


def binary(op: str, left: Operand, right: Operand) -> Expr:
    """Return ``left op right``.

    It is simplified if both sides are known, or if a side is 0 or 1.
    """
    a, b = number(left), number(right)
    if isinstance(a, Number) and isinstance(b, Number) and Type.WORD not in (a.type, b.type):
        return Number(int({**ARITHMETIC, **COMPARISONS}[op](a.value, b.value)))
    zero, one = (isinstance(b, Number) and b.value == value for value in (0, 1))
    if (zero and op in "+-<<>>|^") or (one and op in "*/"):
        return a
    if isinstance(a, Number) and ((a.value == 0 and op == "+") or (a.value == 1 and op == "*")):
        return b
    if op == "*" and (zero or (isinstance(a, Number) and a.value == 0)):
        return Number(0)
    return Binary(op, a, b)


def choice(test: Expr, yes: Operand, no: Operand) -> Expr:
    """Return the expression that is ``yes`` if ``test`` holds, and ``no`` otherwise.

    A known test decides immediately.
    """
    if isinstance(test, Number):
        return number(yes if test.value else no)
    return Choice(test, number(yes), number(no))


def least(a: Operand, b: Operand) -> Expr:
    """Return the smaller one of two numbers."""
    return choice(number(a) < b, a, b)
