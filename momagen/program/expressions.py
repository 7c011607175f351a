"""Expressions of a program: numbers that count, words, and pointers into arrays of words.

Written with Python's operators, so that ``y + i * stride`` is a pointer and ``p[i]`` a word. Counts and words are
unsigned: a sum, a difference, a product or a shift of words is taken modulo 2^word, as many bits as the target's words
have, of counts modulo 2^64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Type(Enum):
    """The type of a name.

    ``WORDS`` is an array that may be written to, ``INPUT`` one that is only read, ``COUNTS`` an array of counts.
    ``ROWS`` and ``INPUT_ROWS`` are arrays of pointers to such arrays of words. ``LONG`` has 64 bits on every target.
    ``SHORT_WORDS`` and ``SHORT_INPUT`` are arrays of 32-bit numbers, each of which is a word once it is loaded.
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
        """Whether it is an address."""
        return self not in (Type.COUNT, Type.WORD, Type.LONG)


class Expr:
    """An expression of type ``type``. Nothing assigns to its fields."""

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
        """Whether both are equal."""
        return binary("==", self, other)

    def is_not(self, other: Operand) -> Expr:
        """Whether they differ."""
        return binary("!=", self, other)

    def both(self, other: Operand) -> Expr:
        """Whether both hold; the second one is looked at only where the first does."""
        return binary("&&", self, other)

    def __getitem__(self, at: Operand) -> Element:
        return Element(self, number(at))


Operand = Expr | int


@dataclass(eq=False, repr=False)
class Number(Expr):
    """A number; a word where it is said to be."""

    value: int
    type: Type = Type.COUNT


@dataclass(eq=False, repr=False)
class Name(Expr):
    """A variable, an array, or a number that has a name."""

    text: str
    type: Type = Type.COUNT


@dataclass(eq=False, repr=False)
class Binary(Expr):
    """``left op right``; C's operators."""

    op: str
    left: Expr
    right: Expr

    @property
    def type(self) -> Type:  # type: ignore[override]
        """A pointer where the left side is one, a word where either side is, except for what comparisons say."""
        if self.op in COMPARISONS:
            return Type.COUNT
        left = self.left.type  # once: sides are as deep as sums are long
        if left.pointer or self.op in ("<<", ">>"):
            return left
        return Type.WORD if Type.WORD in (left, self.right.type) else left


@dataclass(eq=False, repr=False)
class Choice(Expr):
    """``yes`` where ``test`` holds, else ``no``."""

    test: Expr
    yes: Expr
    no: Expr

    @property
    def type(self) -> Type:  # type: ignore[override]
        return self.yes.type


@dataclass(eq=False, repr=False)
class Element(Expr):
    """The element at ``pointer[at]``: a word, a count, or a pointer to words."""

    pointer: Expr
    at: Expr

    @property
    def type(self) -> Type:  # type: ignore[override]
        return ELEMENTS.get(self.pointer.type, Type.WORD)


@dataclass(eq=False, repr=False)
class Call(Expr):
    """What the function ``name`` returns."""

    name: str
    args: tuple[Expr, ...]
    type: Type = Type.COUNT


@dataclass(eq=False, repr=False)
class Real(Expr):
    """The bits of the double value · 2^twos, both signed numbers modulo 2^64; of ``value`` 53 bits count."""

    value: Expr
    twos: Expr
    type: Type = Type.WORD


@dataclass(eq=False, repr=False)
class Same(Expr):
    """Whether ``count`` words are the same at two places."""

    a: Expr
    b: Expr
    count: Expr
    type: Type = Type.COUNT


ELEMENTS = {Type.COUNTS: Type.COUNT, Type.ROWS: Type.WORDS, Type.INPUT_ROWS: Type.INPUT}
"""The types of elements that are not words."""
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b, "&&": lambda a, b: bool(a and b),
}  # fmt: skip
ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a // b,
    "%": lambda a, b: a % b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b, "&": lambda a, b: a & b,
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
}  # fmt: skip
"""What the operators mean on integers, before they are taken modulo a power of two."""


def number(operand: Operand) -> Expr:
    """``operand`` as an expression."""
    return operand if isinstance(operand, Expr) else Number(operand)


def binary(op: str, left: Operand, right: Operand) -> Expr:
    """``left op right``, simplified where a number is 0 or 1, or both are known."""
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
    """``yes`` where ``test`` holds, else ``no``."""
    if isinstance(test, Number):
        return number(yes if test.value else no)
    return Choice(test, number(yes), number(no))


def least(a: Operand, b: Operand) -> Expr:
    """The smaller of two numbers."""
    return choice(number(a) < b, a, b)
