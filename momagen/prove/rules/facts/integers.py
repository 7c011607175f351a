"""The variables, equations and bounds of one proof, and proofs that an integer is not negative.

Every variable also has a rule to compute it from the variables before it, so that a proof can be run on concrete
integers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.checker import Checker, ProofError
from momagen.prove.polynomial import (
    InModulus,
    Polynomial,
    added,
    constant,
    is_integral,
    plus,
    scaled,
    times,
)
from momagen.prove.rules.linear import ALMOST, Linear
from momagen.prove.words import Value, Words

if TYPE_CHECKING:
    pass

Names = dict[str, Value]


@dataclass(frozen=True)
class Inverse:
    """The equation ``variable * number = 1 + modulus * quotient``."""

    number: Polynomial
    modulus: Polynomial
    equation: int


class RuleIntegers:
    """The variables, equations and bounds of one proof.

    Args:
        least: The least modulus.
        greatest: The greatest one.

    Attributes:
        checker: The checker.
        words: The operations.
        linear: The search for proofs.
        rng: The source of the results that a concrete run chooses.
        witnesses: How to compute a variable from earlier ones, unless an operation defines it.
        inverses: The inverses by their variables.
        remainders: The divisors of which variables are remainders.
        congruences: The equations of the congruences that were assumed.
        lemmas: The equations of the lemmas that were proven.
        pending: Words of which it is not known which integers they are, with their lengths.
        levels: How much a search may try.
        is_odd: Whether q is known to be odd.
        radix: The power of two by which, and by whose inverse modulo an odd q, an integer may be multiplied.
        proven: The statements that were proven, for reports.
    """

    def __init__(self, least: int, greatest: int) -> None:
        self.checker = Checker(least, greatest)
        self.words = Words(self.checker)
        self.linear = Linear(self.checker, self.words)
        self.modulus = self.words.adopt(0) if least < greatest else self.words.constant(least)
        self.rng = random.Random(0)
        self.witnesses: dict[int, Any] = {}
        self.inverses: dict[int, Inverse] = {}
        self._divisions: dict[object, list[tuple[Polynomial, Value, Value]]] = {}
        self._made: dict[object, tuple[Value, Value]] = {}
        self._slacks: dict[object, tuple[Polynomial, int]] = {}
        self.is_odd, self.radix = False, 0
        self.levels = 0
        self.pending: list[tuple[Value, int]] = []
        self.congruences: list[int] = []
        self.lemmas: list[int] = []
        self.remainders: dict[int, Polynomial] = {}
        if least < greatest:
            for polynomial in ({(): greatest, (0,): -1}, {(): -least, (0,): 1}):
                self.bound_products(polynomial)

    def declare(self, name: str, low: InModulus, high: InModulus, witness: Any = None) -> Value:
        """Introduce an integer between two polynomials in q.

        Its distance from the lower bound is the variable, unless this bound depends on q and is not negative.
        """
        natural = self.checker.not_negative(low) and len(low) > 1
        shift: InModulus = (0,) if natural else low
        number = self.checker.integer(name, added(low, shift, -1), added(high, shift, -1))
        value = self.words.adopt(number)
        offset = {(0,) * i: c for i, c in enumerate(shift) if c}
        if witness is not None:
            self.witnesses[number] = lambda at: witness(at) - at(offset)
        return self.value(plus(value.polynomial, offset))

    def value(self, polynomial: Polynomial) -> Value:
        """Return a polynomial as a value."""
        return self.words.value_of(polynomial)

    def equate(self, zero: Polynomial) -> int:
        """State that a polynomial is 0."""
        return self.checker.state(zero)

    def not_negative(self, polynomial: Polynomial) -> None:
        """State that a polynomial is at least 0."""
        if self.value(polynomial).low < 0:
            self.slack(polynomial)

    def by_q(self, polynomial: Polynomial) -> InModulus | None:
        """Return a polynomial as one in q alone, or None."""
        if any(set(monomial) - {0} for monomial in polynomial):
            return None
        powers = [0] * (1 + max((len(m) for m in polynomial), default=0))
        for monomial, coefficient in polynomial.items():
            powers[len(monomial)] = coefficient
        return tuple(powers)

    def bound_products(self, polynomial: Polynomial) -> None:
        """Let proofs use that a polynomial, which is not negative, is so in products with other variables."""
        high = self.by_q(polynomial) or (self.value(polynomial).high,)
        room = self.declare("room", (0,), high, lambda at: at(polynomial))
        self.linear.ranges.append(self.equate(plus(room.polynomial, polynomial, -1)))

    def slack(self, polynomial: Polynomial) -> tuple[Polynomial, int]:
        """Return a variable that is equal to a polynomial which is not negative, and the equation that says so."""
        key = "slack", frozenset(polynomial.items())
        if key not in self._slacks:
            high = self.by_q(polynomial) or (max(self.value(polynomial).high, 0),)
            slack = self.declare("slack", (0,), high, lambda at: at(polynomial))
            self._slacks[key] = slack.polynomial, self.equate(plus(slack.polynomial, polynomial, -1))
        return self._slacks[key]

    def narrow(self, gap: Polynomial) -> None:
        """If a polynomial with a slack is the distance of a variable from a number, give the variable this bound."""
        known = self._slacks.get(("slack", frozenset(gap.items())))
        single = [m for m in gap if m]
        if known is None or len(single) != 1 or len(single[0]) != 1 or abs(gap[single[0]]) != 1:
            return
        sign, number = gap[single[0]], single[0][0]
        found = self.checker.substitute(self.checker.identity({(number,): 1}), known[1], constant(-sign))
        self.checker.narrow(number, self.checker.enclose(found))
        self.words.adopt(number)

    def refreshed(self, value: Value) -> Value:
        """Return a value with the bounds that follow from those of its variables now."""
        again = self.value(value.polynomial)
        return Value(value.polynomial, max(value.low, again.low), min(value.high, again.high))

    def relate(self, product: Polynomial, equation: int) -> None:
        """Let proofs replace a product of two variables by what an equation says of it."""
        if len(product) == 1:
            monomial = next(iter(product))
            if len(monomial) == 2:
                self.linear.products[monomial[0], monomial[1]] = equation

    def prove_natural(self, polynomial: Polynomial) -> None:
        """Prove that an integer is at least 0."""
        if not is_integral(polynomial):
            raise ProofError("the value need not be an integer")
        if not polynomial:
            return
        bounds = self.linear.at_least(polynomial, levels=self.levels)
        if bounds.under or bounds.of != polynomial or self.checker.minimum(bounds.low) <= -1:
            raise ProofError("the bounds are of something else")

    def prove_product(self, factors: list[Polynomial]) -> None:
        """Prove that a product is at least 0, because its factors are."""
        product = constant(1)
        for factor in factors:
            self.prove_natural(factor)
            product = times(product, factor)
        found, left, named = self.checker.identity(product), list(factors), constant(1)
        while left:
            factor = left.pop()
            slack, equation = self.slack(factor)
            others = named
            for other in left:
                others = times(others, other)
            found = self.checker.substitute(found, equation, scaled(others, -1))
            named = times(named, slack)
        if self.checker.minimum(self.checker.enclose(found).low) <= -1:
            raise ProofError("the product may be negative")

    def prove_by_product(self, polynomial: Polynomial, factor: Polynomial) -> None:
        """Prove that an integer is at least 0, because its product with a positive factor is more than -1 times it."""
        product = plus(times(polynomial, factor), factor)
        above, positive = (self.linear.at_least(each, ALMOST, levels=self.levels) for each in (product, factor))
        self.checker.cancel(above, positive, self.checker.enclose(self.checker.identity(polynomial)))
