"""Relations between the numbers that a part computes: inverses of q modulo powers of two, and quotients by q."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gmpy2 import bit_scan1, mpq, mpz

from momagen.prove.checker import Equal, ProofError
from momagen.prove.polynomial import plus, scaled, times
from momagen.prove.transforms.stored import Relation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from momagen.prove.checker import Bounds
    from momagen.prove.facts import Facts
    from momagen.prove.polynomial import InModulus, Polynomial
    from momagen.prove.transforms.stored import Stored

MODULUS = -1
"""The index of q in products; results of a part have the indices from 0."""


@dataclass(frozen=True)
class RelationTemplate:
    """A relation between results of a part: a ``Relation`` with their indices in the place of numbers."""

    terms: tuple[tuple[int, tuple[int, ...]], ...]
    unit: int
    low: InModulus
    high: InModulus

    def bind(self, results: Sequence[Stored]) -> Relation:
        """Return the relation of these results."""
        terms = ((c, tuple(None if i == MODULUS else results[i] for i in product)) for c, product in self.terms)
        return Relation(tuple(terms), self.unit, self.low, self.high)


def state_relations(facts: Facts, variables: Mapping[Stored, int]) -> None:
    """State the proven relations between stored numbers, all of whose numbers are given.

    Args:
        facts: The facts to which the relations are added.
        variables: The variables of the numbers.
    """
    checker = facts.checker
    for relation in dict.fromkeys(relation for number in variables for relation in number.relations):
        if relation.numbers() <= variables.keys():
            slack = checker.integer("slack", relation.low, relation.high)
            terms = {
                tuple(sorted(0 if number is None else variables[number] for number in product)): c
                for c, product in relation.terms
            }
            equation = checker.state(plus(terms, {(slack,): 1}, -relation.unit))
            for monomial in terms:
                if len(monomial) == 2 and monomial[0] == 0:
                    facts.search.relations[monomial] = equation


def find_inverse(facts: Facts, at: int, total: Polynomial, most: int) -> RelationTemplate | None:
    """Return the proven relation that a result is the inverse of q modulo the greatest possible power of two.

    Args:
        facts: The facts of the part.
        at: The index of the result.
        total: The result.
        most: The greatest exponent of interest.
    """
    return _modulo_power(facts, at, total, ((), {(): 1}), most)


def find_quotient_modulo(
    facts: Facts, at: tuple[int, int], parts: tuple[Polynomial, Polynomial], most: int
) -> RelationTemplate | None:
    """Return the proven relation that a result is the quotient of another one by q modulo a power of two.

    Args:
        facts: The facts of the part.
        at: The indices of the quotient and of the other result.
        parts: The two results.
        most: The greatest exponent of interest.
    """
    return _modulo_power(facts, at[0], parts[0], (at[1:], parts[1]), most)


def _modulo_power(
    facts: Facts, at: int, total: Polynomial, dividend: tuple[tuple[int, ...], Polynomial], most: int
) -> RelationTemplate | None:
    """Return the relation that a result times q is congruent to a dividend modulo the greatest possible power of two.

    Args:
        facts: The facts of the part.
        at: The index of the result.
        total: The result.
        dividend: The index of the dividend, or none for 1, and the dividend.
        most: The greatest exponent of interest.
    """
    checker = facts.checker
    product = plus(times({(0,): 1}, total), dividend[1], -1)
    best = checker.identity(product)
    power = 0
    for relations in (facts.search.relations, dict(reversed(facts.search.relations.items()))):
        equal = facts.ask(facts.search.expanded_low, checker.identity(product), relations)
        if not isinstance(equal, Equal):
            raise ProofError("the search returned something else than an equation")
        whole = all(c.denominator == 1 for c in equal.right.values())
        found = min((bit_scan1(mpz(c)) or 0 for c in equal.right.values()), default=most) if whole else 0
        if min(found, most) > power:
            power, best = min(found, most), equal
    if not power or best.left != product:
        return None
    bounds = checker.enclose(checker.scale(best, mpq(1, 1 << power)))
    number, equation = checker.name("multiple", bounds)
    if checker.equations[equation] != plus({(number,): 1}, scaled(best.right, mpq(1, 1 << power)), -1):
        return None
    named = checker.variables[number]
    return RelationTemplate(((1, (MODULUS, at)), (-1, dividend[0])), 1 << power, named.low, named.high)


def find_quotient(
    facts: Facts, at: tuple[int, int], parts: tuple[Polynomial, Polynomial], power: int
) -> RelationTemplate | None:
    """Return the proven relation that a result is the quotient of another one, times 2^power, by q.

    Args:
        facts: The facts of the part.
        at: The indices of the quotient and of the other result.
        parts: The two results.
        power: The binary logarithm of the factor.
    """
    checker = facts.checker
    rest = plus(scaled(parts[1], 1 << power), times({(0,): 1}, parts[0]), -1)
    bounds: Bounds | None = None
    with suppress(ProofError):
        bounds = facts.bounds_by_flags(rest)
    if bounds is None or not checker.not_negative(bounds.low) or not checker.not_above(bounds.high, (-1, 1)):
        return None
    return RelationTemplate(((1 << power, (at[1],)), (-1, (MODULUS, at[0]))), 1, (0,), (-1, 1))
