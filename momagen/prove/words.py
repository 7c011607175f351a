"""The exact integer meaning of word operations, stated as equations.

An operation on machine words introduces variables for its results and one equation. The product of two words, for
instance, is ``2^w * high + low = a * b``; a sum is ``2^w * carry + low = a + b + c``. A *value* is a polynomial in such
variables that is an integer in a stated interval. Nothing here depends on how momagen generates code: the meanings are
those of the C standard for unsigned integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import Polynomial, combine, constant, plus, scaled, times, variables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from momagen.prove.checker import Checker


@dataclass(frozen=True, eq=False)
class Value:
    """An integer that a program computes.

    Attributes:
        polynomial: The value; its coefficients are integers.
        low: A lower bound.
        high: An upper bound.
    """

    polynomial: Polynomial
    low: int
    high: int

    @property
    def is_constant(self) -> bool:
        """Whether the value is a known number."""
        return self.low == self.high


@dataclass(frozen=True)
class Operation:
    """An operation: ``weight * high + low`` is equal to the polynomial of its operands.

    Attributes:
        equation: The number of that equation, whose left side minus right side is 0.
        weight: 2^w, or -2^w of a difference, whose ``high`` is the borrow.
        high: The variable of the high word, carry, borrow or quotient.
        low: The variable of the low word or remainder.
    """

    equation: int
    weight: int
    high: int
    low: int


@dataclass(frozen=True)
class Selection:
    """A choice: ``result`` is ``other + flag * (chosen - other)``."""

    equation: int
    result: int
    flag: int
    chosen: Value
    other: Value


class Words:
    """The operations on values, and a record of all operations that a proof may use as hints."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.operations: list[Operation] = []
        self.operation_of: dict[int, int] = {}
        """The index of the operation that a variable is a result of."""
        self.selections: dict[int, Selection] = {}
        self.origins: dict[int, set[int]] = {}
        """The variables that a variable without an equation depends on."""
        self._dividends: dict[int, tuple[Value, int]] = {}
        self._residues: dict[int, tuple[Value, int]] = {}
        self._borrows: dict[object, Value] = {}
        """The flags that a difference is negative; they do not depend on the width of its word."""
        self.zeros: set[int] = set()
        """The variables that are 0 on the path that is being proven."""
        self.decide: Callable[[int], bool] | None = None
        """What decides whether a flag is 1, if a proof distinguishes all cases of the flags that select values."""
        self._ranges: dict[int, tuple[int, int]] = {}
        self._known: dict[tuple[object, ...], tuple[Value, Value]] = {}

    # Values.

    def constant(self, value: int) -> Value:
        """Return a known number."""
        return Value(constant(value), value, value)

    def variable(self, name: str, low: int, high: int) -> Value:
        """Return a new value in [low, high] of which nothing else is known."""
        number = self.checker.integer(name, (low,), (high,))
        self._ranges[number] = low, high
        return Value({(number,): 1}, low, high)

    def derived(self, name: str, low: int, high: int, *operands: Value) -> Value:
        """Return a new value that depends on the operands in a way that no equation states."""
        value = self.variable(name, low, high)
        self.origins[self.number_of(value)] = {v for operand in operands for v in variables(operand.polynomial)}
        return value

    def adopt(self, number: int) -> Value:
        """Return a variable of the checker as a value, with the least and the greatest integer within its bounds."""
        variable = self.checker.variables[number]
        low, high = ceil(self.checker.minimum(variable.low)), floor(self.checker.maximum(variable.high))
        self._ranges[number] = low, high
        return Value({(number,): 1}, low, high)

    def number_of(self, value: Value) -> int:
        """Return the variable that a value is.

        Raises:
            ProofError: It is a polynomial of another form.
        """
        number = variable_of(value)
        if number < 0:
            raise ProofError("the value is not a single variable")
        return number

    def range_of(self, number: int) -> tuple[int, int]:
        """Return the interval of a variable; a number that is no value of the program has no useful one."""
        return self._ranges.get(number, (0, 2))

    def value_of(self, polynomial: Polynomial) -> Value:
        """Return the value of a polynomial in variables of values, with the sum of the intervals of its terms.

        Terms of variables that are known to be 0 are left out.
        """
        low = high = 0
        polynomial = self.without_zeros(polynomial)
        for monomial, coefficient in polynomial.items():
            least = greatest = int(coefficient)
            for number in monomial:
                ends = [end * bound for end in (least, greatest) for bound in self._ranges[number]]
                least, greatest = min(ends), max(ends)
            low, high = low + least, high + greatest
        return Value(polynomial, low, high)

    def without_zeros(self, polynomial: Polynomial) -> Polynomial:
        """Return a polynomial without the terms of variables that are 0."""
        if not self.zeros:
            return polynomial
        return {m: c for m, c in polynomial.items() if self.zeros.isdisjoint(m)}

    # Operations.

    def divide(self, dividend: Value, weight: int, name: str) -> tuple[Value, Value]:
        """Return the quotient and the remainder of a value by a power of two, rounded towards minus infinity.

        If the dividend is ``2^j * upper + lower`` with 0 <= lower < 2^j, only one of the two parts has to be divided.
        """
        if weight == 1:
            return dividend, self.constant(0)
        upper, lower, unit = self._split(dividend, weight)
        if lower.polynomial:
            if unit >= weight:
                quotient, rest = self.divide(lower, weight, name)
                return self._plus(scaled(upper.polynomial, unit // weight), quotient.polynomial), rest
            quotient, rest = self.divide(upper, weight // unit, name)
            return quotient, self._plus(scaled(rest.polynomial, unit), lower.polynomial)
        if unit > 1:
            quotient, rest = self.divide(upper, weight // unit, name)
            return quotient, Value(scaled(rest.polynomial, unit), rest.low * unit, rest.high * unit)
        if -weight <= dividend.low < 0 <= dividend.high < weight:
            borrow, word = self.difference(dividend, self.constant(0), self.constant(0), weight.bit_length() - 1, name)
            return Value(scaled(borrow.polynomial, -1), -borrow.high, -borrow.low), word
        low, high = dividend.low // weight, dividend.high // weight
        if low == high:
            left = plus(dividend.polynomial, constant(low * weight), -1)
            return self.constant(low), Value(left, dividend.low - low * weight, dividend.high - low * weight)
        if (flag := self._flag_in(dividend)) is not None:
            return self._by_flag(dividend, flag, weight)
        if (shifted := self._shifted(dividend)) is not None:
            # floor(floor(x / 2^a) / 2^b) = floor(x / 2^(a + b)), with floor((x mod 2^(a + b)) / 2^a) as the remainder.
            whole, by = shifted
            quotient, rest = self.divide(whole, by * weight, name)
            return quotient, self.divide(rest, by, name)[0]
        key = (frozenset(dividend.polynomial.items()), weight)
        if key not in self._known:
            parts = self.variable(f"{name}.high", low, high), self._remainder(dividend, weight, name)
            self._record(dividend.polynomial, weight, *parts)
            self._known[key] = parts
            self._dividends[self.number_of(parts[0])] = dividend, weight
            self._residues.setdefault(self.number_of(parts[1]), (dividend, weight))
        return self._known[key]

    def divide_by_number(self, dividend: Value, divisor: int, name: str) -> tuple[Value, Value]:
        """Return the quotient and the remainder of a value by a positive number that need not be a power of two."""
        if divisor < 1:
            raise ProofError("a divisor may be 0 or negative")
        key = (frozenset(dividend.polynomial.items()), "divided by", divisor)
        if key not in self._known:
            ends = dividend.low // divisor, dividend.high // divisor
            parts = self.variable(f"{name}.high", *ends), self.variable(f"{name}.low", 0, divisor - 1)
            self._record(dividend.polynomial, divisor, *parts)
            self._known[key] = parts
        return self._known[key]

    def wrap(self, total: Value, width: int, name: str) -> tuple[Value, Value]:
        """Return the quotient and the remainder by 2^width of a sum, whose coefficients are first made small."""
        multiples, near = self._near(total.polynomial, 1 << width)
        if not multiples:
            return self.divide(total, 1 << width, name)
        part, word = self.divide(near, 1 << width, name)
        carry = self._plus(multiples, part.polynomial)
        return Value(carry.polynomial, max(total.low >> width, carry.low), min(total.high >> width, carry.high)), word

    def _flag_in(self, value: Value) -> int | None:
        """Return the only variable of a linear polynomial, if its values are 0 and 1."""
        found = [monomial for monomial in value.polynomial if monomial]
        if len(found) == 1 and len(found[0]) == 1 and self._ranges[found[0][0]] == (0, 1):
            return found[0][0]
        return None

    def _by_flag(self, dividend: Value, flag: int, weight: int) -> tuple[Value, Value]:
        """Return the quotient and the remainder of a number that has two values."""
        least = int(dividend.polynomial.get((), 0))
        (quotient, rest), one = divmod(least, weight), divmod(least + int(dividend.polynomial[flag,]), weight)
        return (
            self.value_of(plus(constant(quotient), {(flag,): 1}, one[0] - quotient)),
            self.value_of(plus(constant(rest), {(flag,): 1}, one[1] - rest)),
        )

    def _near(self, polynomial: Polynomial, weight: int) -> tuple[Polynomial, Value]:
        """Return a and b of ``weight * a + b``, where the coefficients of b are at most weight / 2."""
        long = {m: c for m, c in polynomial.items() if abs(c) * 2 > weight}
        whole = {m: c // weight + (c % weight * 2 > weight) for m, c in long.items()}
        return whole, self.value_of(plus(polynomial, scaled(whole, weight), -1))

    def state_remainder(self, dividend: Value, weight: int, rest: int) -> Value:
        """State the remainder of a value by a power of two, which the claim says, and return the quotient."""
        quotient = self.variable("quotient", (dividend.low - rest) // weight, (dividend.high - rest) // weight)
        total = plus(scaled(quotient.polynomial, weight), constant(rest))
        self.checker.state(plus(total, dividend.polynomial, -1))
        self._known[frozenset(dividend.polynomial.items()), weight] = quotient, self.constant(rest)
        return quotient

    def _remainder(self, dividend: Value, weight: int, name: str) -> Value:
        """Return a variable for the remainder; that of x mod 2^a by 2^b is that of x, if b < a."""
        truncated = self._residues.get(variable_of(dividend))
        if truncated is not None and truncated[1] > weight:
            rest = self.divide(truncated[0], weight, name)[1]
            if variable_of(rest) >= 0:
                return rest
        return self.variable(f"{name}.low", 0, weight - 1)

    def _shifted(self, value: Value) -> tuple[Value, int] | None:
        """Return the number and the power of two that a value is the quotient of, if it is one."""
        return self._dividends.get(variable_of(value))

    def _plus(self, *polynomials: Polynomial) -> Value:
        return self.value_of(combine((1, polynomial) for polynomial in polynomials))

    def _split(self, dividend: Value, weight: int) -> tuple[Value, Value, int]:
        """Return an upper and a lower part and the unit of the upper part, with a lower part below the unit."""
        units = {_unit(c) for c in dividend.polynomial.values()}
        for unit in sorted(units | {weight}, reverse=True):
            if unit == 1:
                break
            above = {m: c // unit for m, c in dividend.polynomial.items() if c % unit == 0}
            below = {m: c for m, c in dividend.polynomial.items() if c % unit}
            lower = self.value_of(below)
            if above and lower.low >= 0 and lower.high < unit and (below or unit <= weight):
                return self.value_of(above), lower, unit
        return dividend, self.constant(0), 1

    def difference(
        self, minuend: Value, subtrahend: Value, borrow: Value, width: int, name: str
    ) -> tuple[Value, Value]:
        """Return the borrow and the word of a difference."""
        total = combine([(1, minuend.polynomial), (-1, subtrahend.polynomial), (-1, borrow.polynomial)])
        least = minuend.low - subtrahend.high - borrow.high
        greatest = minuend.high - subtrahend.low - borrow.low
        if least >= 0 and greatest < 1 << width:
            return self.constant(0), Value(total, least, greatest)
        if self._near(total, 1 << width)[0]:
            carry, word = self.wrap(Value(total, least, greatest), width, name)
            return Value(scaled(carry.polynomial, -1), -carry.high, -carry.low), word
        if self._are_flags(minuend, subtrahend) and not borrow.polynomial:
            flag = self.select(subtrahend, Value(plus(constant(1), minuend.polynomial, -1), 0, 1), borrow, name)
            return flag, Value(plus(total, flag.polynomial, 1 << width), 0, (1 << width) - 1)
        key = (frozenset(total.items()), -(1 << width))
        is_flag = -(1 << width) <= least < 0 <= greatest < 1 << width
        if key not in self._known and is_flag and key[0] in self._borrows:
            out = self._borrows[key[0]]
            return out, Value(plus(total, out.polynomial, 1 << width), 0, (1 << width) - 1)
        if key not in self._known:
            out = self.variable(f"{name}.borrow", -(greatest >> width), -(least >> width))
            word = self.variable(f"{name}.word", 0, (1 << width) - 1)
            self._record(total, -(1 << width), out, word)
            self._known[key] = out, word
            if out.low == 0 and out.high == 1:
                self._borrows[key[0]] = out
        return self._known[key]

    def is_borrow(self, flag: Value) -> bool:
        """Return whether a flag says that the dividend of its operation is negative."""
        operation = self.operations[self.operation_of[self.number_of(flag)]]
        borrow = self._borrows.get(frozenset(self.dividend(operation).items()))
        return borrow is not None and borrow.polynomial == flag.polynomial

    def compared_with_zero(self, flag: Value) -> Value | None:
        """Return the number that is negative if and only if a flag is 1, or None if the flag says something else."""
        copied = self.selections.get(variable_of(flag))
        if copied is not None and (copied.chosen.polynomial, copied.other.polynomial) == ({(): 1}, {}):
            flag = self.value_of({(copied.flag,): 1})
        index = self.operation_of.get(variable_of(flag))
        if index is None or self.operations[index].high != variable_of(flag) or not self.is_borrow(flag):
            return None
        return self.value_of(self.dividend(self.operations[index]))

    def copied(self, flag: Value) -> Value:
        """Return a flag as a choice between 1 and 0, so that a search does not take it for a carry of a number."""
        return self.select(flag, self.constant(1), self.constant(0), "flag")

    def sign(self, word: Value, width: int, name: str) -> Value:
        """Return the top bit of a word: if it is a short sum modulo 2^width, the flag that the sum is negative."""
        half, total = 1 << width - 1, word.polynomial
        while (index := self._latest_sum(total, 2 * half)) is not None:
            operation = self.operations[index]
            total = plus(total, plus(self.dividend(operation), {(operation.low,): 1}, -1), total[operation.low,])
            total = self._near(total, 2 * half)[1].polynomial
            value = self.value_of(total)
            if -half <= value.low < 0 <= value.high < half:
                return self._negative(value, word, width, name)
        return self.divide(word, half, name)[0]

    def _latest_sum(self, total: Polynomial, weight: int) -> int | None:
        """Return the latest sum or difference modulo ``weight`` whose word a polynomial contains."""
        found = [self.operation_of[m[0]] for m in total if len(m) == 1 and m[0] in self.operation_of]
        for index in sorted(found, reverse=True):
            operation = self.operations[index]
            is_word = abs(operation.weight) == weight and (operation.low,) in total
            if is_word and all(len(m) < 2 for m in self.dividend(operation)):
                return index
        return None

    def _negative(self, total: Value, word: Value, width: int, name: str) -> Value:
        """Return the flag that a number is negative, whose residue modulo 2^width is a word."""
        if variable_of(word) < 0:
            return self.difference(total, self.constant(0), self.constant(0), width, name)[0]
        key = (frozenset(total.polynomial.items()), -(1 << width), variable_of(word))
        if key not in self._known:
            flag = self._borrows.get(key[0]) or self.variable(f"{name}.borrow", 0, 1)
            self._borrows[key[0]] = flag
            self._record(total.polynomial, -(1 << width), flag, word)
            self._known[key] = flag, word
        return self._known[key][0]

    def nearest(self, polynomial: Polynomial, width: int) -> Polynomial:
        """Return a polynomial that is congruent to another one modulo 2^width, with small coefficients."""
        return self.rejoined(self._near(polynomial, 1 << width)[1].polynomial)

    def rejoined(self, polynomial: Polynomial) -> Polynomial:
        """Replace both results of an operation by what they are equal to, where they stand together."""
        for number in sorted(variables(polynomial), reverse=True):
            index = self.operation_of.get(number)
            if index is not None and self.operations[index].low == number and (number,) in polynomial:
                operation = self.operations[index]
                if polynomial.get((operation.high,)) == polynomial[number,] * operation.weight:
                    equation = self.checker.equations[operation.equation]
                    return self.rejoined(plus(polynomial, equation, -polynomial[number,]))
        return polynomial

    def _are_flags(self, *values: Value) -> bool:
        return all(self._ranges.get(variable_of(value)) == (0, 1) for value in values)

    def _record(self, total: Polynomial, weight: int, high: Value, low: Value) -> None:
        numbers = self.number_of(high), self.number_of(low)
        equation = self.checker.state(plus({numbers[:1]: weight, numbers[1:]: 1}, total, -1))
        for number in numbers:
            self.operation_of.setdefault(number, len(self.operations))
        self.operations.append(Operation(equation, weight, *numbers))

    def dividend(self, operation: Operation) -> Polynomial:
        """Return what ``weight * high + low`` of an operation is equal to."""
        results: Polynomial = {(operation.high,): operation.weight, (operation.low,): 1}
        return plus(results, self.checker.equations[operation.equation], -1)

    def sum(self, terms: Iterable[Value], width: int, name: str) -> tuple[Value, Value]:
        """Return the carry and the word of a sum."""
        terms = list(terms)
        total = combine((1, term.polynomial) for term in terms)
        return self.wrap(Value(total, sum(t.low for t in terms), sum(t.high for t in terms)), width, name)

    def product(self, a: Value, b: Value, width: int, name: str) -> tuple[Value, Value]:
        """Return the high and the low word of a product of two values that are not negative."""
        return self.divide(self.multiply(a, b), 1 << width, name)

    def multiply(self, a: Value, b: Value) -> Value:
        """Return the whole product of two values that are not negative."""
        if a.low < 0 or b.low < 0:
            raise ProofError("a factor may be negative")
        return Value(self.without_zeros(times(a.polynomial, b.polynomial)), a.low * b.low, a.high * b.high)

    def shift_left(self, a: Value, by: int, width: int, name: str) -> Value:
        """Return ``a * 2^by`` modulo 2^width."""
        if not 0 <= by < width:
            raise ProofError("a shift by the width of its type or more is undefined")
        _, kept = self.divide(a, 1 << width - by, name)
        return Value(scaled(kept.polynomial, 1 << by), kept.low << by, kept.high << by)

    def shift_right(self, a: Value, by: int, width: int, name: str) -> Value:
        """Return ``a / 2^by``, rounded down."""
        if not 0 <= by < width:
            raise ProofError("a shift by the width of its type or more is undefined")
        return self.divide(a, 1 << by, name)[0]

    def low_bits(self, a: Value, bits: int, name: str) -> Value:
        """Return ``a`` modulo 2^bits."""
        repeats = any(c % (1 << bits) > 1 << bits - 1 for c in a.polynomial.values())
        return self.wrap(a, bits, name)[1] if repeats else self.divide(a, 1 << bits, name)[1]

    def join(self, a: Value, b: Value) -> Value:
        """Return ``a | b`` of values without a common bit: one is shorter than the other's trailing zeros."""
        for upper, lower in ((a, b), (b, a)):
            if not upper.polynomial:
                return lower
            zeros = min(_unit(c) for c in upper.polynomial.values())
            if lower.low >= 0 and lower.high < zeros:
                total = plus(upper.polynomial, lower.polynomial)
                return Value(total, upper.low + lower.low, upper.high + lower.high)
        raise ProofError("the operands of | may have a bit in common")

    def select(self, flag: Value, chosen: Value, other: Value, name: str) -> Value:
        """Return ``chosen`` if ``flag`` is 1 and ``other`` if it is 0."""
        if flag.low < 0 or flag.high > 1:
            raise ProofError("a flag may have a third value")
        if flag.is_constant:
            return chosen if flag.low else other
        if chosen.is_constant and chosen.polynomial == other.polynomial:
            return chosen
        number = self.number_of(flag)
        if self.decide is not None:
            return chosen if self.decide(number) else other
        key = (frozenset(chosen.polynomial.items()), frozenset(other.polynomial.items()), number)
        if key not in self._known:
            value = self.variable(f"{name}.choice", min(chosen.low, other.low), max(chosen.high, other.high))
            chooses = plus(
                other.polynomial, times(flag.polynomial, plus(chosen.polynomial, other.polynomial, -1))
            )
            result = self.number_of(value)
            equation = self.checker.state(plus(value.polynomial, chooses, -1))
            self.selections[result] = Selection(equation, result, number, chosen, other)
            self._known[key] = value, value
        return self._known[key][0]


def variable_of(value: Value) -> int:
    """Return the variable that a value is, or -1 if it is a polynomial of another form."""
    if len(value.polynomial) == 1:
        monomial, coefficient = next(iter(value.polynomial.items()))
        if coefficient == 1 and len(monomial) == 1:
            return monomial[0]
    return -1


def _unit(coefficient: int) -> int:
    """Return the greatest power of two that divides a coefficient."""
    return int(coefficient) & -int(coefficient)
