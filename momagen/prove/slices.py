"""The part of a program that one element of a result depends on.

Two elements are computed in the same way if their *forms* are equal: the same operations on the same public numbers
and on inputs at the same distances. A program is determined by its inputs, so the second element is what the first
one would be for other inputs. A proof for all inputs therefore holds for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.prove.polynomial import plus, variables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from momagen.prove.facts import Facts
    from momagen.prove.polynomial import Polynomial

Input = tuple[str, "Polynomial", int]
"""The array, the element and the word of an input."""


class Slices:
    """The slices of one path through a program."""

    def __init__(self, facts: Facts) -> None:
        self.facts, self.words = facts, facts.words
        self._forms: dict[object, int] = {}

    def operands(self, number: int) -> Polynomial | None:
        """Return the polynomial that determines a secret variable, or None if no operation does."""
        if (chosen := self.words.selections.get(number)) is not None:
            return plus(self.facts.checker.equations[chosen.equation], {(number,): -1})
        if (index := self.words.operation_of.get(number)) is not None:
            return self.words.dividend(self.words.operations[index])
        return None

    def variables_of(self, polynomials: Iterable[Polynomial]) -> set[int]:
        """Return all variables that polynomials depend on."""
        found: set[int] = set()
        todo = {number for polynomial in polynomials for number in variables(polynomial)}
        while todo:
            number = todo.pop()
            found.add(number)
            if (operands := self.operands(number)) is not None:
                todo |= variables(operands) - found
        return found

    def form(
        self, polynomials: list[Polynomial], element: Polynomial, inputs: Mapping[int, Input]
    ) -> tuple[object, ...]:
        """Return what is equal for elements that are computed in the same way.

        Args:
            polynomials: The words of the element.
            element: Its index.
            inputs: The inputs by their variables.
        """
        known: dict[int, int] = {}
        for number in sorted(self.variables_of(polynomials)):
            self._name(number, known, element, inputs)
        return tuple(self._of(polynomial, known) for polynomial in polynomials)

    def _name(self, number: int, known: dict[int, int], element: Polynomial, inputs: Mapping[int, Input]) -> None:
        key: object = ("variable", number)
        if number in inputs:
            array, at, word = inputs[number]
            key = ("input", array, frozenset(plus(at, element, -1).items()), word)
        elif not self.facts.is_public({(number,): 1}):
            operands = self.operands(number)
            index = self.words.operation_of.get(number)
            if operands is not None and index is None:
                key = ("choice", self._of(operands, known))
            elif operands is not None and index is not None:
                operation = self.words.operations[index]
                key = ("part", operation.weight, operation.high == number, self._of(operands, known))
        known[number] = self._forms.setdefault(key, len(self._forms))

    @staticmethod
    def _of(polynomial: Polynomial, known: dict[int, int]) -> tuple[object, ...]:
        return tuple(sorted((tuple(sorted(known[v] for v in m)), int(c)) for m, c in polynomial.items()))
