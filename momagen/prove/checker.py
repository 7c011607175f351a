"""The checker: the few rules by which a statement about integers may follow from others. It searches for nothing.

Everything that a proof says is about integer variables. Each has a range. *Equations* relate them; each comes from the
exact meaning of one operation of the program, from the claim, or from one of the rules below. A proof holds if these
rules hold, so this file, with ``polynomial.py``, is what a reader has to check; whoever calls it may call it with
anything.

- ``identity``, ``substitute``: a polynomial is equal to itself, and stays equal if a multiple of an equation is
  subtracted.
- ``scale``, ``shift``: the sides of an equation may be exchanged and multiplied by a number, and a polynomial may be
  added to both.
- ``derive``: a polynomial that is equal to 0 is an equation.
- ``odd_square``: the square of an odd q is 1 more than a multiple of 8.
- ``is_multiple_of_q``: an integral sum of terms with the factor q is a multiple of q.
- ``enclose``: a polynomial lies between the sums of its terms' least and greatest values, which are polynomials in q.
- ``meet``: of two enclosures of a polynomial, the better ends hold.
- ``cancel``: an integer p is at least 0 if ``p * f + f`` is positive for a positive f.
- ``whole``: an integer lies between the least and the greatest integer within its bounds.
- ``narrow``: a variable that is equal to an enclosed polynomial has its bounds.
- ``vanish``: an integer that lies strictly between -1 and 1 is 0.
- ``name``: a new variable may be introduced for an integral polynomial.
- ``idempotent``: a variable with values 0 and 1 is its own square.
- ``assume``, ``contradict``, ``by_cases``: a variable with values 0 and 1 may be taken as 0, then as 1. A polynomial
  whose lower bound exceeds its upper bound rules a case out. Bounds that hold in all other cases hold.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.polynomial import (
    InModulus,
    Polynomial,
    added,
    bernstein,
    constant,
    is_integral,
    is_nonnegative,
    is_power_of_two,
    multiplied,
    plus,
    scaled,
    times,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _rounded(end: InModulus, to_integer: Callable[[Any], int]) -> InModulus:
    if any(coefficient.denominator != 1 for coefficient in end[1:]):
        return end
    return (to_integer(end[0]), *end[1:])


def _at(end: InModulus, q: int) -> Any:
    return sum(coefficient * q**power for power, coefficient in enumerate(end))


class ProofError(Exception):
    """A step that does not follow, or a statement that was not proven."""


Assumptions = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Equal:
    """The statement that two polynomials have the same value, if the assumptions ``under`` hold."""

    left: Polynomial
    right: Polynomial
    under: Assumptions


@dataclass(frozen=True)
class Bounds:
    """The statement that a polynomial lies between two polynomials in q for every q, if ``under`` holds."""

    of: Polynomial
    low: InModulus
    high: InModulus
    under: Assumptions


@dataclass(frozen=True)
class Impossible:
    """The statement that the assumptions ``under`` cannot all hold."""

    under: Assumptions


NEAR = 32
"""Two maxima are nearly the same if their relative difference is below 2^-NEAR."""


class Variable:
    """An integer variable: its name for messages, and its bounds as polynomials in q."""

    __slots__ = ("high", "is_natural", "low", "name")

    def __init__(self, name: str, low: InModulus, high: InModulus, is_natural: bool) -> None:
        self.name, self.low, self.high, self.is_natural = name, low, high, is_natural


class Checker:
    """Integer variables, the equations between them, and the rules that derive new ones.

    Args:
        least: The least modulus of the claim.
        greatest: The greatest one.

    Attributes:
        variables: All variables; variable 0 is q.
        equations: Polynomials whose value is 0.
    """

    def __init__(self, least: int, greatest: int) -> None:
        if not 0 < least <= greatest:
            raise ProofError(f"no modulus lies in [{least}, {greatest}]")
        self.least, self.greatest = least, greatest
        self.variables: list[Variable] = []
        self.equations: list[Polynomial] = []
        self._assumed: list[tuple[int, int]] = []
        self.is_odd = False
        self.integer("q", (0, 1), (0, 1))

    # What the meaning of a program and the claim state: only these three methods add facts without a proof.

    def integer(self, name: str, low: InModulus, high: InModulus) -> int:
        """Introduce an integer variable between ``low`` and ``high`` and return its number."""
        if self._assumed:
            raise ProofError("a variable outlives an assumption, so it must not depend on one")
        self.variables.append(Variable(name, low, high, self.not_negative(low)))
        return len(self.variables) - 1

    def state(self, zero: Polynomial) -> int:
        """State that ``zero`` is 0, and return the number of the equation."""
        self.equations.append(dict(zero))
        return len(self.equations) - 1

    def state_odd(self) -> None:
        """State that q is odd."""
        self.is_odd = True

    # Rules about equations.

    @property
    def under(self) -> Assumptions:
        """The assumptions that are in force now."""
        return frozenset(self._assumed)

    def odd_square(self) -> int:
        """Introduce e with ``q^2 = 8 * e + 1`` for an odd q, and return the number of this equation.

        If q = 2 * h + 1, then q^2 - 1 is 4 * h * (h + 1), and h or h + 1 is even.
        """
        if not self.is_odd:
            raise ProofError("q may be even")
        eighth = self.integer("(q^2 - 1) / 8", (0,), (mpq(-1, 8), 0, mpq(1, 8)))
        return self.state({(0, 0): 1, (eighth,): -8, (): -1})

    def identity(self, polynomial: Polynomial) -> Equal:
        """Return that a polynomial is equal to itself."""
        return Equal(polynomial, polynomial, frozenset())

    def substitute(self, equal: Equal, equation: int, multiplier: Polynomial) -> Equal:
        """Subtract a multiple of an equation on the right side."""
        right = plus(equal.right, times(multiplier, self.equations[equation]), -1)
        return Equal(equal.left, right, equal.under | self.under)

    def scale(self, equal: Equal, factor: Any) -> Equal:
        """Exchange the sides of an equation and multiply both by ``factor``."""
        return Equal(scaled(equal.right, factor), scaled(equal.left, factor), equal.under)

    def shift(self, equal: Equal, term: Polynomial) -> Equal:
        """Add a polynomial on both sides."""
        return Equal(plus(equal.left, term), plus(equal.right, term), equal.under)

    def idempotent(self, number: int) -> int:
        """Add the equation that a variable with values 0 and 1 is its own square."""
        self._requires_flag(number)
        return self.state({(number, number): 1, (number,): -1})

    def derive(self, equal: Equal) -> int:
        """Add the equation that the left side is 0, because the right side is."""
        self._requires(equal.under)
        if equal.right:
            raise ProofError("the right side is not 0")
        return self.state(equal.left)

    def is_multiple_of_q(self, equal: Equal) -> bool:
        """Return True only if the left side is a multiple of q: the right side is integral, each term with factor q.

        If the claim is about a single q, a coefficient may be the multiple of it. If q is odd, coefficients of both
        sides may have powers of two as denominators: 2 is invertible modulo q.
        """
        self._requires(equal.under)
        single = self.least if self.least == self.greatest else None
        is_whole = self.is_odd or is_integral(equal.right)
        return is_whole and all(
            is_power_of_two(coefficient.denominator)
            and (0 in monomial or (single is not None and coefficient % single == 0))
            for monomial, coefficient in equal.right.items()
        )

    # Rules about bounds.

    def enclose(self, equal: Equal) -> Bounds:
        """Enclose the left side by the ranges of the terms of the right side."""
        low: InModulus = (0,)
        high: InModulus = (0,)
        for monomial, coefficient in equal.right.items():
            least, greatest = self._product(monomial)
            if coefficient < 0:
                least, greatest = greatest, least
            low, high = added(low, least, coefficient), added(high, greatest, coefficient)
        return Bounds(equal.left, low, high, equal.under)

    def _product(self, monomial: tuple[int, ...]) -> tuple[InModulus, InModulus]:
        low: InModulus = (1,)
        high: InModulus = (1,)
        signed = None
        for number in monomial:
            variable = self.variables[number]
            if variable.is_natural:
                low, high = multiplied(low, variable.low), multiplied(high, variable.high)
            elif signed is None:
                signed = variable
            else:
                raise ProofError("a product of two variables that may both be negative has no simple bounds")
        if signed is None:
            return low, high
        if not self.not_negative(added((0,), signed.low, -1)):
            raise ProofError("the lower bound of a variable changes its sign")
        if self.not_negative(signed.high):
            return multiplied(signed.low, high), multiplied(signed.high, high)
        if self.not_negative(added((0,), signed.high, -1)):
            return multiplied(signed.low, high), multiplied(signed.high, low)
        raise ProofError("the upper bound of a variable changes its sign")

    def meet(self, first: Bounds, second: Bounds, slack: Any = 0) -> Bounds:
        """Return the better ends of two enclosures of a polynomial; if neither is better for every q, one of them.

        Args:
            first: The first enclosure.
            second: The second one.
            slack: By which part of itself a maximum may be exceeded by an end that is better for the least q.
        """
        if first.of != second.of:
            raise ProofError("these enclose different polynomials")
        high = second.high if self._is_better(second.high, first.high, slack) else first.high
        is_higher = self._is_better(added((0,), second.low, -1), added((0,), first.low, -1), slack)
        low = second.low if is_higher else first.low
        return Bounds(first.of, low, high, first.under | second.under)

    def _is_better(self, new: InModulus, old: InModulus, slack: Any) -> bool:
        """Return whether an upper bound is at most another one for every q, or more useful for most proofs.

        Otherwise it must have a lesser maximum or, of two bounds with nearly the same maximum above 1, be less for the
        least q: if a number of a word is to be below q, its bound q - 2 is more useful than 2^64 - 2 - q. The maximum
        of an integer may be exceeded by less than 1, if it is a number and the other bound depends on q, unless the
        number is at most 1, because such a bound determines an integer.
        """
        if self.not_above(new, old):
            return True
        if self.not_above(old, new):
            return False
        greatest = self.maximum(new), self.maximum(old)
        if slack:
            is_less = _at(new, self.least) < _at(old, self.least)
            margins = slack * abs(greatest[0]), slack * abs(greatest[1])
            return bool(greatest[0] + (not is_less) * margins[0] < greatest[1] + is_less * margins[1])
        is_near = abs(greatest[0] - greatest[1]) * 2**NEAR < abs(greatest[1]) and min(map(abs, greatest)) > 1
        if len(new) == len(old) == 2 and is_near:
            return bool(_at(new, self.least) < _at(old, self.least))
        margin = int(len(old) == 1 < len(new) and abs(old[0]) > 1)
        return bool(greatest[0] < greatest[1] + margin)

    def cancel(self, product: Bounds, factor: Bounds, bounds: Bounds) -> Bounds:
        """Raise the lower bound of an integral polynomial p to 0, because ``p * f + f`` and f are positive."""
        if product.of != plus(times(bounds.of, factor.of), factor.of):
            raise ProofError("the product has other factors")
        if not is_integral(bounds.of):
            raise ProofError("the polynomial need not be an integer")
        if self.minimum(factor.low) <= 0 or self.minimum(product.low) <= 0:
            raise ProofError("the product or its factor may be 0 or negative")
        return Bounds(bounds.of, (0,), bounds.high, product.under | factor.under | bounds.under)

    def whole(self, bounds: Bounds) -> Bounds:
        """Enclose an integral polynomial by the least and the greatest integer that its bounds allow for any q."""
        if not is_integral(bounds.of):
            raise ProofError("the polynomial need not be an integer")
        ends = ceil(self.minimum(bounds.low)), floor(self.maximum(bounds.high))
        return Bounds(bounds.of, ends[:1], ends[1:], bounds.under)

    def narrow(self, number: int, bounds: Bounds) -> None:
        """Give a variable the bounds of the polynomial that it is, as far as they are better for every q."""
        if bounds.under:
            raise ProofError("bounds that depend on an assumption end with it")
        if bounds.of != {(number,): 1}:
            raise ProofError("these are bounds of something else")
        chosen = self.variables[number]
        if self.not_above(bounds.high, chosen.high):
            chosen.high = bounds.high
        if self.not_above(chosen.low, bounds.low):
            chosen.low = bounds.low
            chosen.is_natural = self.not_negative(chosen.low)

    def vanish(self, bounds: Bounds) -> int:
        """Add the equation that an integral polynomial between -1 and 1 is 0."""
        self._requires(bounds.under)
        if not is_integral(bounds.of):
            raise ProofError("the polynomial need not be an integer")
        if not (self.minimum(bounds.low) > -1 and self.maximum(bounds.high) < 1):
            raise ProofError("the polynomial may be another integer than 0")
        return self.state(bounds.of)

    def name(self, label: str, bounds: Bounds) -> tuple[int, int]:
        """Introduce a variable that is equal to an enclosed integral polynomial; return its number and its equation.

        If only the constant of an end is not an integer, the end is rounded, because q and the variable are integers.
        """
        self._requires(bounds.under)
        if not is_integral(bounds.of):
            raise ProofError("only an integer can get a name")
        number = self.integer(label, _rounded(bounds.low, ceil), _rounded(bounds.high, floor))
        return number, self.state(plus({(number,): 1}, bounds.of, -1))

    # Rules about cases.

    @contextmanager
    def assume(self, number: int, value: int) -> Iterator[int]:
        """Assume inside the ``with`` block that a variable is ``value``, and yield the number of this equation."""
        facts = len(self.equations)
        self._assumed.append((number, value))
        depth = len(self._assumed)
        equation = self.state(plus({(number,): 1}, constant(value), -1))
        try:
            yield equation
        finally:
            if len(self._assumed) != depth:
                raise ProofError("an assumption ends before one that was made inside it")
            del self.equations[facts:]
            self._assumed.pop()

    def contradict(self, bounds: Bounds) -> Impossible:
        """Return that the assumptions of an enclosure contradict each other, because its ends do, for every q."""
        if self.maximum(added(bounds.high, bounds.low, -1)) >= 0:
            raise ProofError("the enclosure is possible")
        return Impossible(bounds.under)

    def by_cases(self, number: int, zero: Bounds | Impossible, one: Bounds | Impossible) -> Bounds | Impossible:
        """Join what holds if a variable with values 0 and 1 is 0 and what holds if it is 1."""
        self._requires_flag(number)
        under = (zero.under - {(number, 0)}) | (one.under - {(number, 1)})
        possible = [case for case in (zero, one) if isinstance(case, Bounds)]
        if not possible:
            return Impossible(under)
        if any(case.of != possible[0].of for case in possible):
            raise ProofError("the cases enclose different polynomials")
        low = self.least_of([case.low for case in possible])
        return Bounds(possible[0].of, low, self.greatest_of([case.high for case in possible]), under)

    # Comparisons of polynomials in q for every q.

    def not_negative(self, a: InModulus) -> bool:
        """Return True only if ``a`` is at least 0 for every q."""
        return is_nonnegative(a, self.least, self.greatest)

    def not_above(self, a: InModulus, b: InModulus) -> bool:
        """Return True only if ``a`` is at most ``b`` for every q."""
        return self.not_negative(added(b, a, -1))

    def minimum(self, a: InModulus) -> Any:
        """Return a lower bound of ``a`` for every q."""
        return min(bernstein(a, self.least, self.greatest))

    def maximum(self, a: InModulus) -> Any:
        """Return an upper bound of ``a`` for every q."""
        return max(bernstein(a, self.least, self.greatest))

    def least_of(self, choices: list[InModulus]) -> InModulus:
        """Return a polynomial that is at most each of ``choices`` for every q, preferably one of them."""
        return next(
            (choice for choice in choices if all(self.not_above(choice, other) for other in choices)),
            (min(self.minimum(choice) for choice in choices),),
        )

    def greatest_of(self, choices: list[InModulus]) -> InModulus:
        """Return a polynomial that is at least each of ``choices`` for every q, preferably one of them."""
        return next(
            (choice for choice in choices if all(self.not_above(other, choice) for other in choices)),
            (max(self.maximum(choice) for choice in choices),),
        )

    def _requires_flag(self, number: int) -> None:
        flag = self.variables[number]
        if self.minimum(flag.low) <= -1 or self.maximum(flag.high) >= 2:
            raise ProofError("the variable may have a third value")

    def _requires(self, under: Assumptions) -> None:
        if not under <= self.under:
            raise ProofError("the statement was proven under an assumption that does not hold here")
