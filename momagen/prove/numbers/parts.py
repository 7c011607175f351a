"""Which words form only the upper part of a number, and are no number by themselves.

The highest words of a product are the whole product without its lowest words. They are a useful number if the program
drops the lowest words, as the quotient of a division by a power of two, but not if it uses them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.prove.polynomial import variables

if TYPE_CHECKING:
    from momagen.prove.words import Operation, Words


class UpperParts:
    """The words whose values a program uses, and not only the carries out of them.

    Args:
        words: The operations of the program.
        weight: 2^w for words of w bits.
        results: The variables that the results depend on, or None if they are not known.
    """

    def __init__(self, words: Words, weight: int, results: set[int] | None) -> None:
        self.words, self.weight = words, weight
        chosen = set[int]()
        for selection in words.selections.values():
            chosen |= variables(selection.chosen.polynomial) | variables(selection.other.polynomial)
        dividends = [words.dividend(operation) for operation in words.operations]
        operands = {variable for dividend in dividends for variable in variables(dividend)}
        lows = {operation.low for operation in words.operations}
        self._used = chosen | ((lows if results is None else lows & results) - operands)
        for operation, dividend in zip(reversed(words.operations), reversed(dividends), strict=True):
            for monomial in dividend:
                if len(monomial) > 1 or operation.low in self._used or not self._is_sum(operation):
                    self._used.update(monomial)

    def _is_sum(self, operation: Operation) -> bool:
        return operation.weight == self.weight and len(self.words.dividend(operation)) > 1

    def contain(self, word: int) -> bool:
        """Return whether a carry or high word of another one that is used was added to a word."""
        todo = [word]
        while todo:
            summands = (m[0] for m in self.words.dividend(self._operation(todo.pop())) if len(m) == 1)
            for variable in summands:
                if variable not in self.words.operation_of:
                    continue
                operation = self._operation(variable)
                if operation.weight != self.weight:
                    continue
                if operation.low == variable and self._is_sum(operation):
                    todo.append(variable)
                if operation.high == variable and operation.low in self._used:
                    return True
        return False

    def _operation(self, word: int) -> Operation:
        return self.words.operations[self.words.operation_of[word]]
