"""Estimates of the multiple of Q by which a sum of shares exceeds a number near 0.

Let y[i] be a number below q[i] and c[i] be floor(2^K / q[i]), for each of L sources. A kernel computes the *estimate* e
= floor(T / 2^K) for T = 2^(K - 1) + y[0] * c[0] + y[1] * c[1] + ... As y[i] * c[i] < 2^K, T is less than (2 * L + 1) *
2^(K - 1). The kernel adds two words modulo 2^(2 * w), where w is the length of a word. If T is congruent modulo 2^(2 *
w) to 2^w * u + v for the words u and v, and T is below 2^(2 * w), then T is 2^w * u + v, so that e is floor(u / 2^(K -
w)).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from momagen.prove.bases.conversions.flags import FlagRun
from momagen.prove.checker import ProofError
from momagen.prove.numbers.structure import Structure
from momagen.prove.polynomial import constant, plus, scaled, times

if TYPE_CHECKING:
    from momagen.prove.checker import Equal
    from momagen.prove.polynomial import Monomial, Polynomial
    from momagen.prove.transforms.stored import Stored
    from momagen.prove.words import Operation, Value


class EstimateRun(FlagRun):
    """A run in which a number may be an estimate.

    Attributes:
        reciprocals: The modulus q, the exponent K and the index of the word, for each word of floor(2^K / q).
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.reciprocals: dict[Stored, tuple[int, int, int]] = {}

    @property
    def sources(self) -> range:
        """The indices of the sources."""
        return self.claim.source_tags  # type: ignore[no-any-return]

    @staticmethod
    def key_of_estimate(power: int, shares: tuple[Any, ...]) -> Any:
        """Return the key of the estimate for numbers that are below their moduli, which their residues determine."""
        return "estimate", power, shares

    # Reciprocals.

    def _relate_to_modulus(self, part: Any, values: list[Value], results: dict[tuple[int, ...], Stored]) -> None:
        """Find halves, and pairs of words that are floor(2^K / q)."""
        super()._relate_to_modulus(part, values, results)
        if part.tag >= self.claim.count or list(part.inputs) != [self.moduli_of_basis[part.tag]]:
            return
        single = [(words[0], number) for words, number in results.items() if len(words) == 1]
        for upper, high in single:
            for lower, low in single:
                power = self.claim.word + values[upper].high.bit_length()
                if lower != upper and self._is_reciprocal(part, values, (lower, upper), power):
                    self.reciprocals[low] = part.tag, power, 0
                    self.reciprocals[high] = part.tag, power, 1

    def _is_reciprocal(self, part: Any, values: list[Value], at: tuple[int, int], power: int) -> bool:
        """Return whether two words are proven to be those of the quotient of 2^K by q, rounded down."""
        key = "reciprocal", part.key(values), at, power
        if key not in self.summaries:
            facts, checker = part.facts, part.facts.checker
            lower, upper = (values[i].polynomial for i in at)
            rest = plus(constant(1 << power), times({(0,): 1}, plus(lower, upper, 1 << self.claim.word)), -1)
            facts.ask(Structure(facts, 1 << self.claim.word).update, set(range(len(checker.variables))))
            self.summaries[key] = False
            with suppress(ProofError):
                bounds = facts.bounds(rest)
                is_rest = checker.not_negative(bounds.low) and checker.not_above(bounds.high, (-1, 1))
                self.summaries[key] = is_rest
        return bool(self.summaries[key])

    # Estimates.

    def _recognise(self, part: Any, values: list[Value], results: dict[tuple[int, ...], Stored]) -> None:
        """Find flags and estimates, and give them their keys."""
        super()._recognise(part, values, results)
        if not any(number in self.reciprocals for number in part.inputs):
            return
        for (at, *others), number in results.items():
            found = None if others else self._estimate(part, values[at])
            if found is not None:
                self.name_by_key(number, found, len(self.sources))

    def _estimate(self, part: Any, value: Value) -> Any:
        """Return the key of the estimate that a value is proven to be, or None."""
        words, word = part.facts.words, self.claim.word
        variable = next(iter(value.polynomial), ())
        index = words.operation_of.get(variable[0]) if len(variable) == 1 else None
        if index is None or value.polynomial != {variable: 1} or words.operations[index].high != variable[0]:
            return None
        weight = words.operations[index].weight
        upper = words.value_of(words.dividend(words.operations[index]))
        if weight < 2 or weight & (weight - 1) or upper.low < 0 or upper.high >> word:
            return None
        total = self._total(part, upper.polynomial)
        power = word + weight.bit_length() - 1
        return None if total is None else self._key_of_total(part, total, power)

    def _total(self, part: Any, upper: Polynomial) -> Polynomial | None:
        """Return the sum of ``2^w * upper`` and some word, modulo 2^(2 * w), or None if it is not known."""
        facts, unit = part.facts, 1 << self.claim.word
        equal = facts.checker.identity(scaled(upper, unit))
        for operation in reversed(facts.words.operations):
            equal = self._without(part, equal, operation)
        left: Polynomial = {m: c % (unit * unit) for m, c in equal.right.items() if c.denominator == 1}
        if len(left) < len(equal.right) or equal.under:
            return None
        lowest = [m for m, c in left.items() if c == unit * unit - 1 and len(m) == 1]
        if len(lowest) != 1 or not self._is_word(part, lowest[0][0]):
            return None
        return {m: c for m, c in left.items() if c and m != lowest[0]}

    def _is_word(self, part: Any, variable: int) -> bool:
        low, high = part.facts.words.range_of(variable)
        index = part.facts.words.operation_of.get(variable)
        return index is not None and low >= 0 and high >> self.claim.word == 0

    def _without(self, part: Any, equal: Equal, operation: Operation) -> Equal:
        """Replace a result of an operation, modulo 2^(2 * w): its word or, if only the carry occurs, the carry."""
        checker, unit = part.facts.checker, 1 << 2 * self.claim.word
        own = checker.equations[operation.equation]
        if own.get((operation.low,)) != 1 or own.get((operation.high,)) != operation.weight:
            return equal
        if factor := equal.right.get((operation.low,)):
            return checker.substitute(equal, operation.equation, constant(factor))  # type: ignore[no-any-return]
        carry = equal.right.get((operation.high,))
        if carry and carry % unit and carry % operation.weight == 0:
            factor = carry // operation.weight
            return checker.substitute(equal, operation.equation, constant(factor))  # type: ignore[no-any-return]
        return equal

    def _key_of_total(self, part: Any, total: Polynomial, power: int) -> Any:
        """Return the key of floor(T / 2^K), if T is 2^(K - 1) plus the products of all shares and reciprocals."""
        shares = []
        if total.get(()) != 1 << power - 1 or (2 * len(self.sources) + 1) << power - 1 > 1 << 2 * self.claim.word:
            return None
        products = [self._product_in(part, monomial, int(c), power) for monomial, c in total.items() if monomial]
        for tag in self.sources:
            own = [product for product in products if product is not None and product[0] == tag]
            if [index for _, index, _ in own] not in ([0, 1], [1, 0]) or own[0][2] is not own[1][2]:
                return None
            share = own[0][2]
            if not share.is_reduced or self.tag_of(share) != tag:
                return None
            shares.append(share.residue)
        is_whole = len(products) == 2 * len(self.sources)
        return self.key_of_estimate(power, tuple(shares)) if is_whole else None

    def _product_in(self, part: Any, monomial: Monomial, factor: int, power: int) -> tuple[int, int, Stored] | None:
        """Return the modulus, the index and the share if a term is a share times a word of a reciprocal."""
        words = part.facts.words
        origins = [part.origin_of(words.value_of({(variable,): 1})) for variable in monomial]
        for (first, second) in (origins, origins[::-1]) if len(origins) == 2 and None not in origins else ():
            if first[0] in self.reciprocals:
                tag, exponent, index = self.reciprocals[first[0]]
                if exponent == power and factor == 1 << self.claim.word * index:
                    return tag, index, second[0]
        return None
