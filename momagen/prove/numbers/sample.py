"""Values of all variables of a program for random operands, which show early that a guess is wrong."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from momagen.prove.polynomial import variables

if TYPE_CHECKING:
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.words import Words


class Sample:
    """The values of variables for operands that are drawn within their ranges.

    What is known of numbers, such as the relation of a modulus to its Barrett constant, need not hold.
    """

    def __init__(self, words: Words, seed: int) -> None:
        self.words, self._chance = words, random.Random(seed)
        self._values: dict[int, int] = {}

    def value(self, polynomial: Polynomial) -> int:
        """Return the value of a polynomial with integer coefficients."""
        total = 0
        for monomial, coefficient in polynomial.items():
            for number in monomial:
                coefficient *= self._value_of(number)
            total += int(coefficient)
        return total

    def _value_of(self, number: int) -> int:
        todo = [number]
        while todo:
            if todo[-1] in self._values:
                todo.pop()
                continue
            missing = variables(self._operands(todo[-1])) - self._values.keys()
            if missing:
                todo += sorted(missing)
            else:
                self._compute(todo.pop())
        return self._values[number]

    def _operands(self, number: int) -> Polynomial:
        """Return a polynomial in the variables that a variable is computed from."""
        if (index := self.words.operation_of.get(number)) is not None:
            return self.words.dividend(self.words.operations[index])
        if (chosen := self.words.selections.get(number)) is not None:
            return {(chosen.flag,): 1} | chosen.chosen.polynomial | chosen.other.polynomial
        return {}

    def _compute(self, number: int) -> None:
        if (index := self.words.operation_of.get(number)) is not None:
            operation = self.words.operations[index]
            high, low = divmod(self.value(self.words.dividend(operation)), abs(operation.weight))
            self._values[operation.high] = high if operation.weight > 0 else -high
            self._values[operation.low] = low
        elif (chosen := self.words.selections.get(number)) is not None:
            taken = chosen.chosen if self._values[chosen.flag] else chosen.other
            self._values[number] = self.value(taken.polynomial)
        else:
            self._values[number] = self._chance.randint(*self.words.range_of(number))
