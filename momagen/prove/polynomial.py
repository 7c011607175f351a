"""Polynomials with rational coefficients over numbered integer variables, and polynomials in the modulus q alone.

A polynomial maps monomials to coefficients. A monomial is the sorted tuple of its variables' numbers, so that
``(3, 3, 7)`` stands for the square of variable 3 times variable 7, and ``()`` for the constant. A polynomial in q is a
tuple of coefficients, lowest power first.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

if TYPE_CHECKING:
    from collections.abc import Iterable

Monomial = tuple[int, ...]
Polynomial = dict[Monomial, Any]  # coefficients are int or mpq, never zero
InModulus = tuple[Any, ...]
HALVINGS = 8
"""How often an interval of q is halved before a comparison of two polynomials is given up."""


def constant(value: Any) -> Polynomial:
    """Return the constant polynomial ``value``."""
    return {(): value} if value else {}


def variable(number: int) -> Polynomial:
    """Return the polynomial that is the variable ``number``."""
    return {(number,): 1}


def plus(a: Polynomial, b: Polynomial, factor: Any = 1) -> Polynomial:
    """Return ``a + factor * b``."""
    total = dict(a)
    for monomial, coefficient in b.items():
        new = total.get(monomial, 0) + coefficient * factor
        if new:
            total[monomial] = new
        else:
            total.pop(monomial, None)
    return total


def combine(terms: Iterable[tuple[Any, Polynomial]]) -> Polynomial:
    """Return the sum of ``factor * polynomial`` over ``terms``."""
    total: Polynomial = {}
    for factor, polynomial in terms:
        total = plus(total, polynomial, factor)
    return total


def scaled(a: Polynomial, factor: Any) -> Polynomial:
    """Return ``factor * a``."""
    return {monomial: coefficient * factor for monomial, coefficient in a.items()} if factor else {}


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """Return ``a * b``."""
    total: Polynomial = {}
    for left, x in a.items():
        for right, y in b.items():
            monomial = tuple(sorted(left + right)) if left and right else left or right
            new = total.get(monomial, 0) + x * y
            if new:
                total[monomial] = new
            else:
                total.pop(monomial, None)
    return total


def variables(a: Polynomial) -> set[int]:
    """Return the numbers of the variables of ``a``."""
    return {number for monomial in a for number in monomial}


def quotient_by(a: Polynomial, number: int) -> Polynomial:
    """Return the polynomial c such that ``a - c * variable(number)`` contains no monomial with that variable."""
    found: Polynomial = {}
    for monomial, coefficient in a.items():
        if number in monomial:
            at = monomial.index(number)
            found[monomial[:at] + monomial[at + 1 :]] = coefficient
    return found


def quotient_by_product(a: Polynomial, first: int, second: int) -> Polynomial:
    """Return the factors of the product of two variables in the monomials of ``a`` that contain both."""
    return quotient_by(quotient_by(a, first), second)


def is_integral(a: Polynomial) -> bool:
    """Return whether all coefficients are integers, so that the polynomial is an integer wherever its variables are."""
    return all(coefficient.denominator == 1 for coefficient in a.values())


def is_power_of_two(number: int) -> bool:
    """Return whether a positive integer is a power of two."""
    return number & number - 1 == 0


def has_power_of_two(least: int, greatest: int) -> bool:
    """Return whether a power of two lies between two positive integers."""
    return 1 << (greatest.bit_length() - 1) >= least


def added(a: InModulus, b: InModulus, factor: Any = 1) -> InModulus:
    """Return ``a + factor * b`` of two polynomials in q."""
    length = max(len(a), len(b))
    return tuple(
        (a[i] if i < len(a) else 0) + factor * (b[i] if i < len(b) else 0) for i in range(length)
    )


def multiplied(a: InModulus, b: InModulus) -> InModulus:
    """Return ``a * b`` of two polynomials in q."""
    total: list[Any] = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            total[i + j] += x * y
    return tuple(total)


@lru_cache(maxsize=1 << 16)
def bernstein(a: InModulus, low: int, high: int) -> tuple[Any, ...]:
    """Return the Bernstein coefficients of ``a`` on [low, high].

    The least and the greatest of them enclose every value of the polynomial on this interval, and the first and the
    last are its values at the ends.
    """
    degree = len(a) - 1
    shifted = [mpq(0)] * (degree + 1)
    for i, coefficient in enumerate(a):
        for j in range(i + 1):
            shifted[j] += mpq(coefficient) * comb(i, j) * mpq(low) ** (i - j) * mpq(high - low) ** j
    return tuple(
        sum((shifted[j] * mpq(comb(i, j), comb(degree, j)) for j in range(i + 1)), mpq(0))
        for i in range(degree + 1)
    )


def is_nonnegative(a: InModulus, low: int, high: int, halvings: int = HALVINGS) -> bool:
    """Return True only if ``a`` is at least 0 for every integer q in [low, high]. False may also mean "not decided"."""
    coefficients = bernstein(a, low, high)
    if min(coefficients) >= 0:
        return True
    if coefficients[0] < 0 or coefficients[-1] < 0 or halvings == 0 or high - low < 2:
        return False
    middle = (low + high) // 2
    return is_nonnegative(a, low, middle, halvings - 1) and is_nonnegative(a, middle, high, halvings - 1)
