"""Divisions of public numbers by multiples of q, such as those that compute Barrett constants."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from gmpy2 import mpq

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import constant, is_integral, is_power_of_two, plus, quotient_by, scaled
from momagen.prove.search import PowerQuotient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from momagen.prove.checker import Bounds, Checker, Equal
    from momagen.prove.polynomial import InModulus, Polynomial
    from momagen.prove.search import Search
    from momagen.prove.words import Value, Words


class Powers(Enum):
    """Whether the moduli of a proof are powers of two."""

    SOME = "q may be a power of two"
    NONE = "q is no power of two"
    ALL = "q is a power of two"


class UndecidedPowerError(ProofError):
    """A remainder that is 0 for some of the powers of two and not for the others.

    Attributes:
        end: The power from which on the remainder is another one.
    """

    def __init__(self, end: int) -> None:
        super().__init__("a power of two is a multiple of some of the moduli only")
        self.end = end


class Divisions:
    """The division of public numbers by multiples of q, which all facts support.

    Attributes:
        checker: The checker of the proof.
        words: The operations of the program.
        search: The search, which learns each statement.
        powers: Whether q is a power of two.
    """

    checker: Checker
    words: Words
    search: Search
    powers: Powers

    def bounds(self, polynomial: Polynomial) -> Bounds:
        """Return the bounds of a polynomial that the search proves."""
        raise NotImplementedError

    def residue(self, polynomial: Polynomial) -> Equal:
        """Return the equality of a polynomial and another one that the search proves."""
        raise NotImplementedError

    def multiple_of_q(self, polynomial: Polynomial) -> int:
        """Return the positive number by which q is multiplied to give a polynomial."""
        raise NotImplementedError

    def is_public(self, polynomial: Polynomial) -> bool:
        """Return whether a polynomial depends on no secret value."""
        raise NotImplementedError

    def divide_by_multiple(self, dividend: Value, divisor: Value) -> Value:
        """Return the quotient of a number by a multiple of q, and state its equation and the bounds of the remainder.

        Raises:
            ProofError: The divisor is not proven to be q times a constant.
        """
        checker, words = self.checker, self.words
        if dividend.low < 0:
            raise ProofError("a division of a negative number is not supported")
        factor = self.multiple_of_q(divisor.polynomial)
        power = self._power_of_two(dividend) if is_power_of_two(factor) else None
        least = dividend.low // (factor * checker.greatest)
        greatest = min(self._greatest(dividend, factor))
        if least == greatest:
            return words.constant(least)
        result = words.derived("quotient", least, greatest, dividend, divisor)
        rest = checker.integer("remainder", *self._ends_of_remainder(power, factor))
        product = {(0, words.number_of(result)): factor, (rest,): 1}
        equation = checker.state(plus(product, dividend.polynomial, -1))
        self.search.relations[0, words.number_of(result)] = equation
        if power is not None and factor == 1:
            fact = checker.derive(checker.shift(power, scaled(power.right, -1)))
            whole = checker.identity(plus(product, power.right, -1))
            for known in (equation, fact):
                whole = checker.substitute(whole, known, constant(1))
            bits = int(power.right[()]).bit_length() - 1
            self.search.powers.append(PowerQuotient(bits, rest, checker.derive(whole)))
        return result

    def _ends_of_remainder(self, power: Equal | None, factor: int) -> tuple[InModulus, InModulus]:
        """Return the bounds of the remainder by ``factor * q`` of a number that may be congruent to a power of two."""
        if power is None or self.powers is Powers.SOME:
            return (0,), (-1, factor)
        if self.powers is Powers.NONE:
            return (1,), (-1, factor)
        number = int(power.right[()])
        if power.right.keys() == {()} or factor == 1:
            rest = self.remainder_of_power(number, factor)
            return (rest,), (rest,)
        return (0,), (-1, factor)

    def remainder_of_power(self, number: int, factor: int) -> int:
        """Return the remainder of a power of two by ``factor * q``, if q and ``factor`` are powers of two.

        Of two powers of two, the greater one is a multiple of the other one.

        Raises:
            UndecidedPowerError: It depends on q.
        """
        least, greatest = powers_between(self.checker.least, self.checker.greatest)
        if number >= factor * greatest:
            return 0
        if number < factor * least:
            return number
        raise UndecidedPowerError(2 * number // factor)

    def named(self, name: str, value: Value) -> tuple[Value, int]:
        """Return a value as a single variable, and the equation that says so.

        A value that is a known number becomes one, too, so that it can be a limb of a number.
        """
        if value.low < 0:
            raise ProofError("a negative number gets no name")
        word = self.words.variable(name, 0, value.high)
        return word, self.checker.state(plus(word.polynomial, value.polynomial, -1))

    def _power_of_two(self, dividend: Value) -> Equal | None:
        """Return that a number is 2^k - c * q for some k and c, if that is proven, or None.

        The remainder of such a number by q is that of 2^k. It is not 0 unless q is a power of two, as every divisor of
        a power of two is.
        """
        if not self.is_public(dividend.polynomial):
            return None
        equal = self.checker.identity(dividend.polynomial)
        if not dividend.is_constant:
            equal = self.residue(dividend.polynomial)
            for power in reversed(self.search.powers):
                if factor := quotient_by(equal.right, power.remainder):
                    equal = self.checker.substitute(equal, power.equation, factor)
        number = mpq(equal.right.get((), 0))
        if number < 1 or number.denominator != 1 or not is_power_of_two(int(number)):
            return None
        is_congruent = is_integral(equal.right) and all(m.count(0) == 1 for m in equal.right if m)
        return equal if is_congruent else None

    def _greatest(self, dividend: Value, factor: int) -> Iterator[int]:
        """Yield upper bounds of the quotient of a number by ``factor * q``."""
        checker, polynomial = self.checker, dividend.polynomial
        yield dividend.high // (factor * checker.least)
        bounds = [self.bounds(polynomial)]
        if not dividend.is_constant:
            bounds.append(checker.enclose(self._in_remainders(self.residue(polynomial))))
        for bound in bounds:
            for number in self._candidates(bound.high, factor):
                is_proven = bound.of == polynomial and not bound.under
                if is_proven and checker.not_above(bound.high, (-1, factor * (number + 1))):
                    yield number

    def _in_remainders(self, equal: Equal) -> Equal:
        """Replace products of q and quotients of powers of two by the remainders."""
        for power in self.search.powers:
            for monomial, unit in self.checker.equations[power.equation].items():
                if 0 in monomial and monomial in equal.right:
                    factor = constant(mpq(equal.right[monomial], unit))
                    equal = self.checker.substitute(equal, power.equation, factor)
        return equal

    def _candidates(self, bound: InModulus, factor: int) -> Iterator[int]:
        """Yield guesses of the greatest quotient of a number that is at most ``bound``, for both ends of the range."""
        checker = self.checker
        yield int(checker.maximum(bound) // (factor * checker.greatest))
        yield int(sum(c * checker.least**power for power, c in enumerate(bound)) // (factor * checker.least))
        yield from (int(c // factor) - 1 for c in bound[1:2])


def powers_between(least: int, greatest: int) -> tuple[int, int]:
    """Return the least and the greatest power of two between two positive integers.

    Raises:
        ProofError: There is none.
    """
    ends = 1 << (least - 1).bit_length(), 1 << greatest.bit_length() - 1
    if ends[0] > ends[1]:
        raise ProofError("none of the moduli is a power of two")
    return ends
