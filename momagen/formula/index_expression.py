"""Index arithmetic in formulas: exact fractions over names, as in T(r^(k-i), r^(k-i-1)) or (t + rev(m, i))/m."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

from momagen.errors import MomagenError

from .transforms import check_power_of_two, digit_reversal

Env = Mapping[str, Fraction]


@dataclass(frozen=True)
class Index:
    """An exact expression over names.

    Attributes:
        text: in prefix notation. names: those that it reads. value: its value, given those of the names.
    """

    text: str
    names: frozenset[str]
    value: Callable[[Env], Fraction] = field(compare=False, repr=False)


def integer(value: Fraction, where: str) -> int:
    """``value`` as an int; MomagenError where it is not one."""
    if value.denominator != 1:
        raise MomagenError("an integer", value, where)
    return value.numerator


LARGEST = 4096
"""Bits of a power at most."""


def _power(a: Fraction, b: Fraction) -> Fraction:
    exponent = integer(b, "exponent")
    if abs(exponent) * max(a.numerator.bit_length(), a.denominator.bit_length()) > LARGEST:
        raise MomagenError(f"a power of at most {LARGEST} bits", f"{a}^{exponent}", "index")
    return Fraction(a**exponent)


def _reversal(n: Fraction, i: Fraction) -> Fraction:
    size, index = integer(n, "rev(n, i)"), integer(i, "rev(n, i)")
    check_power_of_two(size, "rev(n, i)")
    if not 0 <= index < size:
        raise MomagenError(f"an index in 0…{size - 1}", index, "rev(n, i)")
    return Fraction(digit_reversal(index, size))


OPERATIONS: dict[str, Callable[..., Fraction]] = {
    "+": operator.add,
    "−": operator.sub,
    "·": operator.mul,
    "/": operator.truediv,
    "mod": operator.mod,
    "^": _power,
    "floor": lambda a: Fraction(floor(a)),
    "rev": _reversal,  # rev(n, i): bit reversal of i < n, n a power of two
}
FUNCTIONS = {"floor": 1, "rev": 2}
"""Operations written name(…), with their number of arguments."""


def number(value: int) -> Index:
    """A constant."""
    exact = Fraction(value)
    return Index(str(value), frozenset(), lambda env: exact)


def variable(name: str) -> Index:
    """A name bound by a rule or a range."""

    def value(env: Env) -> Fraction:
        if name not in env:
            raise MomagenError(f"one of the names {', '.join(sorted(env)) or '(none)'}", name, "index")
        return env[name]

    return Index(name, frozenset({name}), value)


def operation(symbol: str, *arguments: Index) -> Index:
    """One of OPERATIONS on ``arguments``."""

    def value(env: Env) -> Fraction:
        values = [argument.value(env) for argument in arguments]
        try:
            return OPERATIONS[symbol](*values)
        except ZeroDivisionError:
            asked = f"{symbol} of {', '.join(map(str, values))}"
            raise MomagenError("a divisor other than 0", asked, "index") from None

    text = f"{symbol}({', '.join(argument.text for argument in arguments)})"
    return Index(text, frozenset().union(*(argument.names for argument in arguments)), value)
