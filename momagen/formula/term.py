"""Terms of the notation, and index arithmetic: exact fractions over names, as in T(r^(k-i), r^(k-i-1)) or
(t + rev(m, i))/m."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from momagen.errors import MomagenError

from .transforms import check_power_of_two, digit_reversal

Exact = int | Fraction
"""Whole numbers as int, which is several times faster."""
Env = Mapping[str, Exact]


@dataclass(frozen=True)
class Range:
    """name = low..high, both ends included."""

    name: str
    low: Term
    high: Term


@dataclass(frozen=True)
class Term:
    """What the notation says: an operator, a leaf or a function with its arguments; a name or a number has none.

    ``range``: of D[…], and of ∏[…] and ⊕[…], which join their only part once per index.
    """

    head: str
    parts: tuple[Term, ...] = ()
    range: Range | None = None

    @property
    def names(self) -> set[str]:
        """The names that it needs from its surroundings."""
        if not self.parts:
            return set() if self.head.isdecimal() else {self.head}
        read = set().union(*(part.names for part in self.parts))
        return read - {self.range.name} | self.range.low.names | self.range.high.names if self.range else read

    def value(self, env: Env) -> Fraction:
        """The value of index arithmetic, given those of its names."""
        return Fraction(self._value(env))

    def _value(self, env: Env) -> Exact:
        if not self.parts:
            return int(self.head) if self.head.isdecimal() else self._bound(env)
        values = [part._value(env) for part in self.parts]
        try:
            return OPERATIONS[self.head](*values)
        except ZeroDivisionError:
            asked = f"{self.head} of {', '.join(map(str, values))}"
            raise MomagenError("a divisor other than 0", asked, "index") from None

    def _bound(self, env: Env) -> Exact:
        if self.head not in env:
            raise MomagenError(f"one of the names {', '.join(sorted(env)) or '(none)'}", self.head, "index")
        return env[self.head]


def integer(value: Exact, where: str) -> int:
    """``value`` as an int; MomagenError where it is not one."""
    if value.denominator != 1:
        raise MomagenError("an integer", value, where)
    return value.numerator


LARGEST = 4096
"""Bits of a power at most."""


def whole(value: Exact) -> Exact:
    """``value`` as an int where it is one."""
    return value.numerator if value.denominator == 1 else value


def _quotient(a: Exact, b: Exact) -> Exact:
    return whole(Fraction(a, b))


def _power(a: Exact, b: Exact) -> Exact:
    exponent = integer(b, "exponent")
    if abs(exponent) * max(a.numerator.bit_length(), a.denominator.bit_length()) > LARGEST:
        raise MomagenError(f"a power of at most {LARGEST} bits", f"{a}^{exponent}", "index")
    return a**exponent if exponent >= 0 else Fraction(1) / a**-exponent


def _reversal(n: Exact, i: Exact) -> int:
    size, index = integer(n, "rev(n, i)"), integer(i, "rev(n, i)")
    check_power_of_two(size, "rev(n, i)")
    if not 0 <= index < size:
        raise MomagenError(f"an index in 0…{size - 1}", index, "rev(n, i)")
    return digit_reversal(index, size)


OPERATIONS: dict[str, Callable[..., Exact]] = {
    "+": operator.add,
    "−": operator.sub,
    "·": operator.mul,
    "/": _quotient,
    "mod": operator.mod,
    "^": _power,
    "floor": floor,
    "rev": _reversal,  # rev(n, i): bit reversal of i < n, n a power of two
}
FUNCTIONS = {"floor": 1, "rev": 2}
"""Operations written name(…), with their number of arguments."""
