"""Functions of the length of a number in bits, such as the number of its limbs, which bounds of results depend on.

A function of one length is a variable with a table of its values for all possible lengths. Its relation to 2^length,
which is above the number, follows from the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.polynomial import Polynomial, constant, plus, scaled, times
from momagen.prove.rules.facts.integers import RuleIntegers

if TYPE_CHECKING:
    from momagen.prove.words import Value


@dataclass(frozen=True)
class LengthTable:
    """The values of a function of the length of a number: entry L is for a number of L bits."""

    number: Polynomial
    entries: tuple[int, ...]


class RuleLengths(RuleIntegers):
    """Functions of lengths in one proof."""

    def __init__(self, least: int, greatest: int) -> None:
        super().__init__(least, greatest)
        self._tables: dict[int, LengthTable] = {}
        self._lengths: dict[object, Value] = {}

    def length(self, number: Value) -> Value:
        """Return the length of a number in bits."""
        longest = max(abs(number.low), abs(number.high)).bit_length()
        return self.tabled(LengthTable(number.polynomial, tuple(range(longest + 1))))

    def table_of(self, value: Value) -> LengthTable | None:
        """Return the table of a value that is ``a · f + b`` for numbers a and b and a function f of a length."""
        terms = [monomial for monomial in value.polynomial if monomial]
        table = self._tables.get(terms[0][0]) if len(terms) == 1 and len(terms[0]) == 1 else None
        if table is None:
            return None
        a, b = value.polynomial[terms[0]], value.polynomial.get((), 0)
        return LengthTable(table.number, tuple(int(a * entry + b) for entry in table.entries))

    def tabled(self, table: LengthTable) -> Value:
        """Return a function of a length as a variable, with what is known of it."""
        key = frozenset(table.number.items()), table.entries
        if key not in self._lengths:
            entries = table.entries
            value = self.declare("length", (min(entries),), (max(entries),), lambda at: entries[_length(at, table)])
            self._lengths[key] = value
            self._tables[max(m[0] for m in value.polynomial if m)] = table
            if min(entries) > 0:
                self._compare(table, value)
        return self._lengths[key]

    def powers(self, exponent: Value) -> Value | None:
        """Return 2 to a sum of functions of lengths, or None if the exponent has another form."""
        product = self.value(constant(1 << int(exponent.polynomial.get((), 0))))
        for monomial, coefficient in exponent.polynomial.items():
            if monomial:
                table = self.table_of(self.value({monomial: coefficient}))
                if table is None or min(table.entries) < 0:
                    return None
                power = self.tabled(LengthTable(table.number, tuple(1 << entry for entry in table.entries)))
                product = self.value(times(product.polynomial, power.polynomial))
        return product

    def _compare(self, table: LengthTable, value: Value) -> None:
        """State how a function is related to 2^length, which is above the number."""
        full = LengthTable(table.number, tuple(1 << bits for bits in range(len(table.entries))))
        if table == full:
            for sign in (1, -1):
                self.not_negative(plus(plus(value.polynomial, constant(1), -1), table.number, sign))
            return
        power = self.tabled(full)
        most = max(mpq(a) / b for a, b in zip(full.entries, table.entries, strict=True))
        least = max(mpq(b) / a for a, b in zip(full.entries, table.entries, strict=True))
        self.not_negative(plus(scaled(value.polynomial, ceil(most)), power.polynomial, -1))
        self.not_negative(plus(scaled(power.polynomial, ceil(least)), value.polynomial, -1))


def _length(at: Any, table: LengthTable) -> int:
    return int(abs(at(table.number))).bit_length()
