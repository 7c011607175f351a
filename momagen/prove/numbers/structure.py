"""Finding the numbers of a program: which words form one integer.

A number ends with a difference, sum or product whose wrap is ignored, or its words are chosen by one condition. What is
found here only guides the search: a wrong guess proves nothing.
"""

from __future__ import annotations

import itertools
from contextlib import suppress
from typing import TYPE_CHECKING

from momagen.prove.checker import ProofError
from momagen.prove.numbers.joins import Joins
from momagen.prove.numbers.limbs import Limbs
from momagen.prove.numbers.parts import UpperParts
from momagen.prove.numbers.sample import Sample
from momagen.prove.polynomial import plus, quotient_by, variables
from momagen.prove.search import total_of
from momagen.prove.words import variable_of

if TYPE_CHECKING:
    from momagen.prove.facts import Facts
    from momagen.prove.polynomial import Monomial, Polynomial
    from momagen.prove.words import Operation, Value

LIMB = 1 << 16
"""The weight of the shortest limb."""
SHORT = 64
"""The bounds of factors below this number are found, since interval arithmetic may miss that they are a bit."""


class Structure:
    """The numbers that were found in the operations so far."""

    def __init__(self, facts: Facts, weight: int) -> None:
        self.facts, self.words, self.search, self.weight = facts, facts.words, facts.search, weight
        self._samples = [Sample(self.words, seed) for seed in range(2)]
        self.limbs, self.joins = Limbs(self.search), Joins(self.search)
        self._seen: set[int] = set()
        self._uses: dict[int, int] = {}
        self._counted = 0
        self._dividends: set[frozenset[tuple[Monomial, int]]] = set()
        """The dividends whose variables were counted: those of several divisions are used once."""
        self._remainders: set[int] = set()
        """The words of operations whose carry or quotient is used."""
        self._compares: set[int] = set()
        """The operations whose word is not used, so that they only compare."""

    def update(self, only: set[int] | None = None) -> None:
        """Settle the numbers of the operations since the last call, in the order of the program.

        Args:
            only: The variables that may belong to numbers, or None for all public ones.
        """
        self._count()
        self._parts = UpperParts(self.words, self.weight, only)
        new = [o for o in self.words.operations if self._is_new(o.low, only) or self._is_new(o.high, only)]
        for operation in new:
            if operation.weight not in (self.weight, -self.weight):
                self.joins.join_parts(operation)
                if self.search.powers:
                    with suppress(ProofError):
                        self.joins.join_quotient(operation)
        splits = self._splits()
        self.limbs.join(splits)
        self._narrow_factors(new)
        self._join_products(new)
        self._join_low_words(new)
        flags: dict[int, list[int]] = {}
        for result, selection in self.words.selections.items():
            if not self._is_new(result, only):
                continue
            if self.words.value_of({(result,): 1}).high == 1:
                self._seen.add(result)
                with suppress(ProofError):
                    self.search.join_borrows(result)
            else:
                flags.setdefault(selection.flag, []).append(result)
        tops = [(operation.low,) for operation in new if self._ends(operation)]
        for event in sorted([*tops, *map(tuple, flags.values())], key=max):
            with suppress(ProofError):
                if event[0] in self.words.selections:
                    self._settle_choice(self._in_order(event))
                else:
                    self._settle_wrap(event[0])
                    self.limbs.join(splits)
        self._seen |= {word for operation in new for word in (operation.low, operation.high)}
        self._seen |= {word for group in flags.values() for word in group}

    def _splits(self) -> dict[int, Operation]:
        """Return the operations that split a word into two parts, both of which are used, by the word."""
        found: dict[int, Operation] = {}
        for operation in self.words.operations:
            is_used = {operation.low, operation.high} <= self._uses.keys()
            if is_used and 1 < operation.weight < self.weight:
                word = variable_of(self.words.value_of(self.words.dividend(operation)))
                if word >= 0:
                    found.setdefault(word, operation)
        return found

    def _narrow_factors(self, new: list[Operation]) -> None:
        """Find the bounds of highest words of a few bits that are factors of products without their high words."""
        dividends = [self.words.dividend(operation) for operation in new if operation.high not in self._uses]
        factors = {factor for dividend in dividends for m in dividend if len(m) == 2 for factor in m}
        for operation in new:
            if operation.high in factors and 1 < self.words.range_of(operation.high)[1] < SHORT:
                self.search.narrow_quotient(operation)

    def _join_low_words(self, new: list[Operation]) -> None:
        """Find low words of (t / q mod R) * q, which are equal to the low words of t."""
        factors = {pair[1] for pair, equation in self.search.relations.items() if self._inverts(pair, equation)}
        inverses = factors | {word for n in self.search.numbers if n.variable in factors for word, _ in n.words}
        dividends = [self.words.dividend(operation) for operation in new]
        products = (quotient_by(value, word) for value in dividends for word in variables(value) & inverses)
        words = list({frozenset(p.items()): p for p in products if () not in p}.values())
        for operation in new if words else ():
            if operation.low not in self._uses and (operation.weight == self.weight or self._multiplies(operation)):
                chains = [self._chain(operation.low, operation.weight, passes) for passes in (False, True)]
                candidates = [*words, *self._low_words(operation, words, new)]
                for chain, word in itertools.product(chains[: 1 + (chains[0] != chains[1])], candidates):
                    with suppress(ProofError):
                        self.joins.join_low_words(chain, word, operation.weight)
                        break
                    if len(chain) > 1 and word in words:
                        with suppress(ProofError):
                            self.joins.join_low_limbs(chain, word, operation.weight)
                            break

    def _inverts(self, pair: tuple[int, int], equation: int) -> bool:
        """Return whether an equation says that a product of q and another number is known modulo a word or a limb."""
        zero = self.facts.checker.equations[equation]
        return bool(pair[1]) and any(m and m != pair and c % LIMB == 0 for m, c in zero.items())

    def _multiplies(self, operation: Operation) -> bool:
        """Return whether an operation gives the words of a product."""
        return any(len(m) == 2 for m in self.words.dividend(operation))

    def _low_words(self, operation: Operation, factors: list[Polynomial], new: list[Operation]) -> list[Polynomial]:
        """Return the low words of other products of these factors, which are computed apart from the high words."""
        words = {v for factor in factors for v in variables(factor)}
        others = [o for o in new if o.weight == operation.weight and o is not operation and o.low not in self._uses]
        products = [o for o in others if self._multiplies(o) and words & variables(self.words.dividend(o))]
        return [{(product.low,): 1} for product in products]

    def _join_products(self, new: list[Operation]) -> None:
        """Find high words of products that are computed apart from the low words."""
        values = [self.words.dividend(operation) for operation in new]
        for product in new:
            if product.high in self._uses or not any(len(m) == 2 for m in self.words.dividend(product)):
                continue
            longest, values_of_high = self.words.range_of(product.high)[1], self._values({(product.high,): 1})
            for high in [*values, *self._shifted_highs(product, new, values)]:
                if len(high) < 2 or self._values(high) != values_of_high:
                    continue
                if longest <= self.words.value_of(high).high < 2 * longest:
                    with suppress(ProofError):
                        self.joins.join_words(product, high)
                        break

    def _values(self, polynomial: Polynomial) -> list[int]:
        """Return the values of a polynomial for random operands; those of equal polynomials are equal."""
        return [sample.value(polynomial) for sample in self._samples]

    def _shifted_highs(self, product: Operation, new: list[Operation], values: list[Polynomial]) -> list[Polynomial]:
        """Return what may be the high word where both words of a product are shifted: 2^k * high + low / 2^(w - k)."""
        found = []
        factors = [quotient_by(value, v) for value in values for v in variables(value)]
        for part in new:
            if self.words.dividend(part) != {(product.low,): 1}:
                continue
            for value in (*values, *factors):
                if (unit := value.get((part.high,), 0) * (product.weight // part.weight)) > 0:
                    rest = plus(value, {(part.high,): value[part.high,]}, -1)
                    if rest and all(c % unit == 0 for c in rest.values()):
                        found.append({m: c // unit for m, c in rest.items()})
        return found

    def _is_new(self, word: int, only: set[int] | None) -> bool:
        if word in self._seen:
            return False
        return not self._is_secret(word) if only is None else word in only

    def _ends(self, operation: Operation) -> bool:
        """Return whether an operation on words ends a number: its carry is ignored, and its word is used."""
        if abs(operation.weight) > 1 << 64:
            return False
        return operation.low not in self._remainders and self._uses.get(operation.low, 0) != 1

    def _count(self) -> None:
        own: dict[int, set[int]] = {}
        alone = {o.equation for o in self.words.operations if len(self.words.dividend(o)) == 1}
        compared = {o.equation for o in self.words.operations if abs(o.weight) > 1 << 64} | alone
        for operation in self.words.operations:
            own[operation.equation] = {operation.high, operation.low}
        for selection in self.words.selections.values():
            own[selection.equation] = {selection.result}
        for number in range(self._counted, len(self.facts.checker.equations)):
            if number in own and not self._is_counted(number, own):
                for variable in variables(self.facts.checker.equations[number]) - own[number]:
                    self._uses[variable] = self._uses.get(variable, 0) + (2 if number in compared else 1)
        self._counted = len(self.facts.checker.equations)
        self._remainders |= {o.low for o in self.words.operations if o.high in self._uses}
        for index, operation in enumerate(self.words.operations):
            if index in self._compares or operation.weight > 0:
                continue
            if operation.high in self._uses and operation.low not in self._uses:
                self._compares.add(index)
                for variable in variables(self.words.dividend(operation)):
                    self._uses[variable] = self._uses.get(variable, 0) + 1

    def _is_counted(self, number: int, own: dict[int, set[int]]) -> bool:
        """Return whether the dividend of an operation is that of an earlier one, which divides by another number."""
        zero = self.facts.checker.equations[number]
        dividend = frozenset((m, c) for m, c in zero.items() if own[number].isdisjoint(m))
        is_known = dividend in self._dividends
        self._dividends.add(dividend)
        return is_known

    def _settle_wrap(self, top: int) -> None:
        weight = abs(self.words.operations[self.words.operation_of[top]].weight)
        if self.search.is_settled(top):
            return
        chains = [self._used(self._chain(top, weight, passes)) for passes in (True, False)]
        for chain in chains[chains[0] == chains[1] :]:
            if not self.search.joined and self._parts.contain(chain[0]):
                continue
            with suppress(ProofError):
                total = total_of([self._value(word) for word in chain], weight)
                self.search.settle(f"number {top}", total, weight ** len(chain))
                return
        if weight < self.weight and len(limbs := self.limbs.below(top, self._uses, self.weight)) > 1:
            self.search.settle(f"number {top}", *self.limbs.total_of(limbs))

    def _chain(self, top: int, weight: int, passes_words: bool) -> list[int]:
        """Return the words of the number that ends with a word, lowest first.

        Args:
            top: The highest word.
            weight: The weight of a word.
            passes_words: Whether a word without a carry goes on with the number that one of its summands belongs to.
        """
        chain = [top]
        while True:
            before = self._lower_word(chain[0], weight)
            for word in self._summands(chain[0]) if before is None and passes_words else ():
                before = before or self._lower_word(word, weight)
            if before is None or before in chain:
                return chain
            chain.insert(0, before)

    def _used(self, chain: list[int]) -> list[int]:
        """Return a chain without its lowest words of which only carries or high words are used, if its top is used."""
        start = next((i for i, word in enumerate(chain) if word in self._uses), 0)
        return chain[start if chain[-1] in self._uses else 0 :]

    def _summands(self, word: int) -> list[int]:
        operation = self.words.operations[self.words.operation_of[word]]
        return sorted(v for v in variables(self.words.dividend(operation)) if v in self.words.operation_of)

    def _lower_word(self, word: int, weight: int) -> int | None:
        """Return the low result of the operation whose carry, borrow or high word enters a word."""
        operation = self.words.operations[self.words.operation_of[word]]
        if abs(operation.weight) != weight:
            return None
        found = -1
        for monomial in self.facts.checker.equations[operation.equation]:
            if len(monomial) == 1 and monomial[0] not in (operation.high, operation.low):
                before = self.words.operation_of.get(monomial[0], -1)
                lower = self.words.operations[before]
                if before > found and lower.high == monomial[0] and lower.weight == operation.weight:
                    found = before
        return None if found < 0 else self.words.operations[found].low

    def _in_order(self, group: tuple[int, ...]) -> tuple[int, ...]:
        """Return chosen words, lowest first: what they are chosen from was computed in this order."""

        def latest(word: int) -> int:
            chosen = self.words.selections[word]
            return max(variables(chosen.chosen.polynomial) | variables(chosen.other.polynomial), default=0)

        places = {word: i for n in self.search.numbers for i, (word, _) in enumerate(n.words) if len(n.words) > 1}
        chosen = {word: places.get(variable_of(self.words.selections[word].chosen)) for word in group}
        if sorted(place for place in chosen.values() if place is not None) == list(range(len(group))):
            return tuple(sorted(group, key=lambda word: chosen[word] or 0))
        return tuple(sorted(group, key=latest))

    def _settle_choice(self, group: tuple[int, ...]) -> None:
        words = [self._value(word) for word in group]
        with suppress(ProofError):
            self.limbs.join_sign(self.words.selections[group[0]].flag)
        try:
            self.search.settle_choice(f"number {group[0]}", words, self.weight)
        except ProofError:
            selections = [self.words.selections[word] for word in group]
            chosen = total_of([selection.chosen for selection in selections], self.weight)
            self.search.settle(f"number {group[0]}", chosen, self.weight ** len(group))
            self.search.settle_choice(f"number {group[0]}", words, self.weight)

    def _is_secret(self, variable: int) -> bool:
        return not self.facts.is_public({(variable,): 1})

    def _value(self, variable: int) -> Value:
        return self.words.value_of({(variable,): 1})
