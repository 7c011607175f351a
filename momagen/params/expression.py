"""Integers as people write them: ``2^255-19``, ``0xffff_ffff_0000_0001``, ``2^64-59``, ``1e9+7``, ``goldilocks``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import NamedTuple

from momagen.errors import MomagenError, nearest, quoted, shorten
from momagen.params import decimals
from momagen.params.fields import known_fields

MAX_BITS = 4096  # of the result; a value on the way may be twice as long
MAX_TEXT = 4096  # characters
MAX_DEPTH = 64  # nested parentheses, signs and powers


def parse_integer(text: str) -> int:
    """Return the integer that ``text`` denotes, whose absolute value is below 2^4096.

    An expression consists of decimal, 0x hexadecimal and 0b binary numbers with single underscores between digits,
    integers in scientific notation, the names of ``known_fields()`` in upper or lower case, parentheses, unary and
    binary + and -, ``*``, ``<<``, and the power, written ``^`` or ``**``. The precedence is that of Python: ``-2^2`` is
    -4, ``2^2^3`` is 2^8, ``1 << 64 - 1`` is 2^63.

    Raises:
        MomagenError: The text is not such an expression, or is too large; the message states the text and the character
            (from 1).
    """
    if len(text) > MAX_TEXT:
        raise MomagenError(f"at most {MAX_TEXT} characters", f"{len(text)} characters", quoted(text))
    parser = _ExpressionParser(text)
    value = parser.operation(0, 0)
    if parser.token.text:
        raise parser.error("an operator or the end")
    if value.bit_length() > MAX_BITS:
        raise MomagenError(f"an integer of at most {MAX_BITS} bits", f"{value.bit_length()} bits", quoted(text))
    return value


def _power(base: int, exponent: int) -> int:
    """Return base^exponent.

    Raises:
        ArithmeticError: The exponent is negative, or the power has too many bits.
    """
    # |base| ≥ 2^(b−1) with b its bits, so |base^exponent| ≥ 2^((b−1)·exponent): refused before it is computed
    if exponent < 0:
        raise ArithmeticError("an exponent of 0 or more")
    if exponent * (base.bit_length() - 1) > MAX_BITS:
        raise ArithmeticError(f"a power of at most {MAX_BITS} bits")
    return int(base**exponent)


def _shift(value: int, count: int) -> int:
    """Return value·2^count.

    Raises:
        ArithmeticError: The count is out of range.
    """
    if not 0 <= count <= MAX_BITS:
        raise ArithmeticError(f"a shift by 0 to {MAX_BITS} bits")
    return value << count


class _Operator(NamedTuple):
    """A binary operator.

    Attributes:
        level: The precedence; operators of a higher level bind more strongly.
        right: The lowest level in the right operand, which is the same level for a right-associative operator.
        apply: The function that computes it.
    """

    level: int  # the higher, the stronger it binds
    right: int  # the weakest level its right operand may hold: the same level for a right-associative operator
    apply: Callable[[int, int], int]


_BINARY = {
    "<<": _Operator(0, 1, _shift),
    "+": _Operator(1, 2, operator.add),
    "-": _Operator(1, 2, operator.sub),
    "*": _Operator(2, 3, operator.mul),
    "^": _Operator(3, 3, _power),
    "**": _Operator(3, 3, _power),
}
_UNARY: dict[str, Callable[[int], int]] = {"+": operator.pos, "-": operator.neg}
_UNARY_LEVEL = 3

_NUMBER = re.compile(r"(?:0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB]_?[01]+(?:_[01]+)*|[0-9]+(?:_[0-9]+)*)(?!\w)")
_SYMBOL = re.compile(r"<<|\*\*|[-+*^()]")
_OTHER = re.compile(r"\w+|\S|")  # nothing valid: text for the message, empty at the end
_WORD = re.compile(r"[\w-]+")  # what may have been meant as a name
_BASES = {"0x": 16, "0b": 2}


def _name_pattern() -> re.Pattern[str]:
    """Return the pattern of names.

    Names contain hyphens (bls12-381-r), so the longest known name takes precedence over a subtraction.
    """
    names = sorted(known_fields(), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


class _Token(NamedTuple):
    """A token of an expression.

    Attributes:
        text: The text, which is empty at the end.
        at: The offset of its first character.
    """

    text: str  # empty at the end
    at: int  # offset of its first character


class _ExpressionParser:
    """A parser by precedence climbing with one token of look-ahead."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.patterns = (decimals.PATTERN, _NUMBER, _name_pattern(), _SYMBOL, _OTHER)
        self.token = self._scan(0)

    def operation(self, level: int, depth: int) -> int:
        """Return the value of an operand and of the operators of ``level`` or higher that follow it."""
        value = self._operand(depth)
        while (op := _BINARY.get(self.token.text)) and op.level >= level:
            token = self._take()
            value = self._apply(op, token, value, self.operation(op.right, depth + 1))
        return value

    def _operand(self, depth: int) -> int:
        """Return the value of an operand."""
        if depth > MAX_DEPTH:
            raise self.error(f"at most {MAX_DEPTH} levels of nesting")
        if sign := _UNARY.get(self.token.text):
            self._take()
            return sign(self.operation(_UNARY_LEVEL, depth + 1))
        if self.token.text == "(":
            return self._parenthesis(depth + 1)
        return self._literal()

    def _parenthesis(self, depth: int) -> int:
        """Return the value of an expression in parentheses."""
        self._take()
        value = self.operation(0, depth)
        if self.token.text != ")":
            raise self.error("an operator or ')'")
        self._take()
        return value

    def _literal(self) -> int:
        """Return the value of a number or a name."""
        text = self.token.text
        if field := known_fields().get(text.lower()):
            value = field.modulus
        elif decimals.PATTERN.fullmatch(text):
            value = self._decimal()
        elif _NUMBER.fullmatch(text):
            value = int(text.replace("_", ""), _BASES.get(text[:2].lower(), 10))
        else:
            raise self._unknown()
        return self._bounded(self._take(), value)

    def _decimal(self) -> int:
        try:
            return decimals.exact(self.token.text)
        except ArithmeticError as reason:
            raise self.error(str(reason)) from None

    def _unknown(self) -> MomagenError:
        """Return the error for a token that is not an operand, with the names most similar to the whole word."""
        expected, names = "a number, a known prime or '('", known_fields()
        if not self.token.text[:1].isalpha():
            return self.error(expected)
        word = _WORD.match(self.text, self.token.at)
        near = nearest(word.group() if word else "", names) or nearest(self.token.text, names)
        return self.error(expected, hint=f"known primes: {', '.join(names)}", near=near)

    def _apply(self, op: _Operator, token: _Token, left: int, right: int) -> int:
        try:
            return self._bounded(token, op.apply(left, right))
        except ArithmeticError as reason:
            raise self.error(str(reason), token) from None

    def _bounded(self, token: _Token, value: int) -> int:
        if value.bit_length() > 2 * MAX_BITS:
            raise self.error(f"at most {2 * MAX_BITS} bits on the way", token)
        return value

    def _take(self) -> _Token:
        """Return the current token, and scan the next one."""
        token, self.token = self.token, self._scan(self.token.at + len(self.token.text))
        return token

    def _scan(self, start: int) -> _Token:
        at = len(self.text) - len(self.text[start:].lstrip())
        found = next(match for pattern in self.patterns if (match := pattern.match(self.text, at)))
        return _Token(found.group(), at)

    def error(self, expected: str, token: _Token | None = None, hint: str = "", near: str = "") -> MomagenError:
        """Return the error for a token."""
        text, at = token or self.token
        where = f"{shorten(repr(self.text))}, character {at + 1}"
        return MomagenError(expected, quoted(text) if text else "the end", where, hint, near)
