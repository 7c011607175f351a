"""Proofs that an integer is 0, or a multiple of a modulus."""

from __future__ import annotations

from collections import Counter
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.checker import Equal, ProofError
from momagen.prove.polynomial import (
    Polynomial,
    constant,
    plus,
    quotient_by,
    scaled,
    times,
    variables,
)
from momagen.prove.rules.facts.expressions import RuleExpressions
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

Names = dict[str, Value]
LATEST = 12
"""The number of lemmas from which a congruence may follow directly."""


class RuleMultiples(RuleExpressions):
    """Proofs about multiples of the integers of one proof."""

    def prove_zero(self, polynomial: Polynomial, splits: int = 7) -> int | None:
        """Prove that an integer is 0, and return the equation that says so."""
        direct = self._from_lemmas(self.checker.identity(polynomial), (), 0)
        if not direct.right:
            return self.checker.derive(direct) if polynomial else None
        expanded = self.linear.expand(self.checker.identity(polynomial))
        related = self.linear.relate(expanded)
        reason = ProofError("")
        for found in (expanded, related, *self._by_congruences(polynomial)):
            try:
                factor = _content(found.right)
                if factor:
                    wraps = self.checker.scale(found, mpq(1, factor))
                    fact = self.linear.zero(wraps.left, splits, wraps, self.levels)
                    found = self.checker.substitute(found, fact, constant(factor))
                return self.checker.derive(found) if polynomial else None
            except ProofError as error:
                reason = error
        raise reason

    def _by_congruences(self, polynomial: Polynomial) -> Iterator[Equal]:
        """Yield forms of a polynomial that is one of the latest congruences, or differs from it by a number."""
        for equation in self.congruences[-4:]:
            for sign in (1, -1):
                form = self.checker.substitute(self.checker.identity(polynomial), equation, constant(sign))
                if len(form.right) < 3 and _content(form.right) > 1:
                    yield form

    def prove_multiple_by(self, factor: Value, polynomial: Polynomial, modulus: Value) -> None:
        """Prove that an integer is a multiple of a modulus, because its product with a coprime factor is.

        One of the modulus and the factor must be a power of two, and the other one odd.
        """
        if not any(_is_power(a) and self._is_odd(b) for a, b in ((factor, modulus), (modulus, factor))):
            raise ProofError("only a power of two and an odd number are known to be coprime")
        product = self.prove_multiple(times(polynomial, factor.polynomial), modulus.polynomial)
        if product is None:
            return
        equation = self.checker.derive(self.checker.shift(product, scaled(product.right, -1)))
        inverse = self.inverse(factor, modulus).polynomial
        known = self.inverses[self.words.number_of(self.value(inverse))].equation
        found = self.checker.substitute(self.checker.identity(polynomial), known, scaled(polynomial, -1))
        self._require_multiple(self.checker.substitute(found, equation, inverse), modulus.polynomial)

    def _is_odd(self, value: Value) -> bool:
        return (self.is_odd and value.polynomial == {(0,): 1}) or (value.is_constant and value.low % 2 == 1)

    def _require_multiple(self, found: Equal, modulus: Polynomial) -> None:
        ((product, unit),) = modulus.items()
        if not self._is_multiple(found, product, unit):
            raise ProofError("not a multiple")

    def prove_multiple(self, polynomial: Polynomial, modulus: Polynomial, radix: int = 0) -> Equal | None:
        """Prove that an integer is a multiple of another one, which is a number times a product of variables.

        If the modulus is an odd q, the integer may be multiplied by a power of two and by its inverse.

        Returns:
            The equation of the integer with a polynomial all of whose terms are multiples, or None if the modulus is 1.
        """
        radix = radix or self.radix
        (product, unit), *others = modulus.items() or [((), 0)]
        if others or unit == 0:
            raise ProofError("the modulus is not a number times a product of variables")
        if product == (0,) and unit == 1 and self.checker.greatest == 1:
            return None  # every integer is a multiple of q = 1
        direct = self._from_lemmas(self.checker.identity(polynomial), product, unit)
        if self._is_multiple(direct, product, unit):
            return direct
        first = self._reduced(self.linear.expand(self.checker.identity(polynomial)), modulus)
        found = self._congruences(first, product, unit)
        left = {m: c for m, c in found.right.items() if not _divides(product, unit, m, c)}
        if left:
            try:
                found = self._without(found, left, product, unit)
            except ProofError:
                if not self.is_odd or product != (0,) or not radix or self._made.keys() & self._radix_key(radix):
                    raise
                self.inverse(self.words.constant(radix), self.modulus)
                return self.prove_multiple(polynomial, modulus, radix)
        self._require_multiple(found, modulus)
        return found

    def _is_multiple(self, found: Equal, product: tuple[int, ...], unit: int) -> bool:
        return not found.under and all(_divides(product, unit, m, c) for m, c in found.right.items())

    def _from_lemmas(self, found: Equal, product: tuple[int, ...], unit: int) -> Equal:
        """Subtract multiples of the latest lemmas and of equations of inverses, if each term is then a multiple."""
        def rest(terms: Polynomial) -> Polynomial:
            size = 1 if product else unit
            left = {m: c for m, c in terms.items() if not _divides(product, size, m, c)}
            return {m: mpq(_centred(c, unit, product)) for m, c in left.items()}

        left = rest(found.right)
        latest = [(equation, ()) for equation in self.lemmas[-LATEST:]]
        inverses = [(inverse.equation, _without(monomial, (variable,))) for variable, inverse in self.inverses.items()
                    for monomial in left if variable in monomial]  # fmt: skip
        multiples = [(equation, (variable,)) for equation, _ in latest for variable in sorted(variables(left))]
        for pool in ([*latest, *inverses], [*latest, *multiples]) if left else ():
            multipliers = solve([rest(times(self.checker.equations[at], {m: 1})) for at, m in pool], left)
            if multipliers is not None:
                for (equation, monomial), multiplier in zip(pool, multipliers, strict=True):
                    if multiplier:
                        found = self.checker.substitute(found, equation, {monomial: multiplier})
                break
        return found

    def _radix_key(self, radix: int) -> set[object]:
        return {("inverse", frozenset({((), radix)}), frozenset({((0,), 1)}))}

    def _without(self, found: Equal, left: Polynomial, product: tuple[int, ...], unit: int) -> Equal:
        """Remove terms that are not multiples of the modulus: they are 0, or 0 in terms of remainders."""
        common = tuple(v for v in _common(left) if v in self.inverses)
        zero = {_without(m, common): c for m, c in left.items()}
        reason = ""
        plain, lowered = self.checker.identity(zero), self.linear.lower(self.checker.identity(zero))
        for form in (plain, lowered, self._without_remainders(lowered, product)):
            rest = {m: _centred(c, unit, product) for m, c in form.right.items() if not _divides(product, unit, m, c)}
            try:
                made = found
                if form.right != zero:
                    same = self.checker.derive(self.checker.shift(form, scaled(form.right, -1)))
                    made = self.checker.substitute(made, same, {common: 1})
                if rest:
                    scale = lcm(*(int(mpq(c).denominator) for c in rest.values()))
                    fact = self.prove_zero(scaled(rest, scale))
                    assert fact is not None
                    made = self.checker.substitute(made, fact, {common: mpq(1, scale)})
                return made
            except ProofError as error:
                reason += f"{error}; "
        raise ProofError(reason)

    def _without_remainders(self, found: Equal, product: tuple[int, ...]) -> Equal:
        """Replace remainders of divisions by the modulus, each of which is congruent to its dividend."""
        for variable in sorted(variables(found.right) & self.remainders.keys(), reverse=True):
            if self.remainders[variable] == {product: 1}:
                equation = self.linear.defined[variable]
                while factor := quotient_by(found.right, variable):
                    found = self.checker.substitute(found, equation, factor)
        return found

    def _reduced(self, found: Equal, modulus: Polynomial) -> Equal:
        """Replace products of inverses by 1 plus a multiple of the modulus.

        If some terms have no inverse as a factor, they are first multiplied by the inverse and its number.
        """
        found = self.linear.relate(found, next(iter(modulus)))
        for variable, inverse in self.inverses.items():
            if inverse.modulus != modulus:
                continue
            number = inverse.number.get((), 0) if len(inverse.number) == 1 else 0
            while number:
                whole = {
                    _without(m, (variable,)): c / mpq(number) for m, c in found.right.items()
                    if variable in m and mpq(c) % number == 0
                }  # fmt: skip
                if not whole:
                    break
                found = self.linear.expand(self.checker.substitute(found, inverse.equation, whole))
            if any(variable in monomial for monomial in found.right):
                beside = {m: c for m, c in found.right.items() if variable not in m and not _has(m, modulus)}
                found = self.linear.expand(self.checker.substitute(found, inverse.equation, scaled(beside, -1)))
        return self.linear.relate(found, next(iter(modulus)))

    def _congruences(self, found: Equal, product: tuple[int, ...], unit: int) -> Equal:
        """Subtract multiples of the congruences that were assumed, where they remove terms."""
        for equation in self.congruences:
            zero = self.checker.equations[equation]
            for monomial, coefficient in zero.items():
                if abs(coefficient) == 1 and monomial in found.right and monomial != ():
                    if not _divides(product, unit, monomial, found.right[monomial]):
                        factor = constant(found.right[monomial] * coefficient)
                        found = self.checker.substitute(found, equation, factor)
                    break
        return found


def _is_power(value: Value) -> bool:
    return value.is_constant and value.low > 0 and value.low & value.low - 1 == 0


def _divides(product: tuple[int, ...], unit: int, monomial: tuple[int, ...], coefficient: Any) -> bool:
    return unit != 0 and coefficient % unit == 0 and not Counter(product) - Counter(monomial)


def _centred(coefficient: Any, unit: int, product: tuple[int, ...]) -> Any:
    """Return the number nearest to 0 that differs from a coefficient by a multiple of the modulus."""
    if product or unit == 0 or mpq(coefficient).denominator != 1:
        return coefficient
    rest = int(coefficient) % unit
    return rest - unit if 2 * rest > unit else rest


def _has(monomial: tuple[int, ...], modulus: Polynomial) -> bool:
    (product,) = modulus
    return not Counter(product) - Counter(monomial)


def _common(polynomial: Polynomial) -> tuple[int, ...]:
    """Return the variables that all monomials have in common."""
    first, *others = map(Counter, polynomial)
    for other in others:
        first &= other
    return tuple(sorted(first.elements()))


def _without(monomial: tuple[int, ...], factor: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted((Counter(monomial) - Counter(factor)).elements()))


def solve(rows: list[Polynomial], target: Polynomial) -> list[Any] | None:
    """Return the numbers by which rows must be multiplied so that their sum is ``target``, or None."""
    found = [mpq(0)] * len(rows)
    left, reduced = dict(target), list[tuple[Any, Polynomial, list[Any]]]()
    for at, row in enumerate(rows):
        weights = [mpq(i == at) for i in range(len(rows))]
        for pivot, other, parts in reduced:
            if factor := row.get(pivot, 0):
                row, weights = plus(row, other, -factor), [a - factor * b for a, b in zip(weights, parts, strict=True)]
        if row:
            pivot = max(row)
            scale = 1 / mpq(row[pivot])
            reduced.append((pivot, scaled(row, scale), [scale * a for a in weights]))
    for pivot, row, weights in reduced:
        if factor := left.get(pivot, 0):
            left = plus(left, row, -factor)
            found = [a + factor * b for a, b in zip(found, weights, strict=True)]
    return None if left else found


def _content(polynomial: Polynomial) -> int:
    """Return the greatest number that divides all coefficients."""
    return gcd(*(int(c) for c in polynomial.values()))
