"""Terms, which are parsed formulas, and index arithmetic on exact fractions and names.

Index arithmetic occurs in the arguments of leaves, such as the sizes in T(r^(k-i), r^(k-i-1)), and in turns,
such as (t + rev(m, i))/m.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor

from momagen.errors import MomagenError

from .transforms import check_power_of_two, digit_reversal

Exact = int | Fraction
"""An exact number. Integers are of type int, with which arithmetic is several times faster than with
Fraction."""
Env = Mapping[str, Exact]
"""The values of names."""


@dataclass(frozen=True)
class Range:
    """The range of an index, written ``name = low..high``; it includes both ends."""

    name: str
    low: Term
    high: Term


@dataclass(frozen=True)
class Term:
    """A node of a parsed formula: an operator, leaf or function with its arguments, or a name or a number.

    Attributes:
        head: The operator, name or number.
        parts: The arguments.
        range: The range of a diagonal matrix D[…], or of a product ∏[…] or a direct sum ⊕[…], which join one
            instance of their only part for each index.
    """

    head: str
    parts: tuple[Term, ...] = ()
    range: Range | None = None

    @property
    def names(self) -> set[str]:
        """The names that the term uses and does not bind itself."""
        if not self.parts:
            return set() if self.head.isdecimal() else {self.head}
        read = set().union(*(part.names for part in self.parts))
        return read - {self.range.name} | self.range.low.names | self.range.high.names if self.range else read

    def value(self, env: Env) -> Fraction:
        """Return the value of an expression of index arithmetic.

        Args:
            env: The values of its names.

        Raises:
            MomagenError: A name has no value, or the arguments of an operation are invalid.
        """
        return Fraction(self._evaluate(env))

    @cached_property
    def _evaluate(self) -> Callable[[Env], Exact]:
        """The function that computes the value, which does not read the text of the term again."""
        if not self.parts:
            number = int(self.head) if self.head.isdecimal() else 0
            return (lambda env: number) if self.head.isdecimal() else self._bound
        operation, parts = OPERATIONS[self.head], [part._evaluate for part in self.parts]

        def evaluate(env: Env) -> Exact:
            values = [part(env) for part in parts]
            try:
                return operation(*values)
            except ZeroDivisionError:
                asked = f"{self.head} of {', '.join(map(str, values))}"
                raise MomagenError("a divisor other than 0", asked, "index") from None

        return evaluate

    def _bound(self, env: Env) -> Exact:
        if self.head not in env:
            raise MomagenError(f"one of the names {', '.join(sorted(env)) or '(none)'}", self.head, "index")
        return env[self.head]


def integer(value: Exact, where: str) -> int:
    """Return ``value`` as an int.

    Raises:
        MomagenError: The value is not an integer.
    """
    if value.denominator != 1:
        raise MomagenError("an integer", value, where)
    return value.numerator


LARGEST = 4096
"""The largest number of bits of a power."""


def whole(value: Exact) -> Exact:
    """Return ``value`` as an int if it is an integer, and unchanged otherwise."""
    return value.numerator if value.denominator == 1 else value


def _quotient(a: Exact, b: Exact) -> Exact:
    """Return a/b, as an int if it is an integer."""
    return whole(Fraction(a, b))


def _power(a: Exact, b: Exact) -> Exact:
    """Return a^b.

    Raises:
        MomagenError: The exponent is not an integer, or the power has more than ``LARGEST`` bits.
    """
    exponent = integer(b, "exponent")
    if abs(exponent) * max(a.numerator.bit_length(), a.denominator.bit_length()) > LARGEST:
        raise MomagenError(f"a power of at most {LARGEST} bits", f"{a}^{exponent}", "index")
    return a**exponent if exponent >= 0 else Fraction(1) / a**-exponent


def _reversal(n: Exact, i: Exact) -> int:
    """Return the bit reversal of i < n, where n is a power of two.

    Raises:
        MomagenError: The size is not a power of two, or the index is out of range.
    """
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
    "rev": _reversal,
}
"""The functions that compute the operations of index arithmetic, by the head of the term."""
FUNCTIONS = {"floor": 1, "rev": 2}
"""The operations that are written as calls, such as ``rev(n, i)``, with their numbers of arguments."""
