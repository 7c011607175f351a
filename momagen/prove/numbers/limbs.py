"""The search for numbers whose limbs are shorter than words, as those of 52 bits in products with AVX-512 IFMA.

The limbs of an operand or a constant are parts of its words. Those of a result are connected by carries, and the
highest one is the shortest. A wrong guess proves nothing.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from gmpy2 import mpq

from momagen.prove.checker import ProofError
from momagen.prove.collapse import MultiWord
from momagen.prove.polynomial import constant, plus, variables

if TYPE_CHECKING:
    from collections.abc import Collection

    from momagen.prove.polynomial import Polynomial
    from momagen.prove.search import Search
    from momagen.prove.words import Operation


class Limbs:
    """The limbs of a program.

    Args:
        search: The search, which learns the numbers.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.checker, self.words = search, search.checker, search.words

    # Words that are split.

    def join(self, splits: dict[int, Operation]) -> None:
        """Treat limbs as the words of numbers, where the words are split into parts of limbs.

        The limbs of 2^w - q, for instance, are multiplied by the limbs of a quotient.

        Args:
            splits: The operation that splits a word into two parts, by the word.
        """
        numbers = self.search.numbers
        known = {(number.variable, word) for number in numbers for word, _ in number.words}
        for number in list(numbers):
            with suppress(ProofError):
                found = self._in_limbs(number, splits)
                if found is not number and not any((number.variable, word) in known for word, _ in found.words):
                    numbers.insert(0, found)

    def _in_limbs(self, number: MultiWord, splits: dict[int, Operation]) -> MultiWord:
        """Return a number with the parts of its words in the place of the words."""
        checker = self.checker
        while (at := next((i for i, (word, _) in enumerate(number.words) if word in splits), None)) is not None:
            word, weight = number.words[at]
            split = splits[word]
            parts = (split.low, weight), (split.high, weight * split.weight)
            change: Polynomial = {(word,): -weight, **{(part,): unit for part, unit in parts}}
            equal = checker.identity(plus(checker.equations[number.equation], change, -1))
            equal = checker.substitute(equal, number.equation, constant(1))
            fact = checker.derive(checker.substitute(equal, split.equation, constant(-weight)))
            number = MultiWord(number.variable, fact, (*number.words[:at], *parts, *number.words[at + 1 :]))
        return number

    # Limbs that carries connect.

    def below(self, top: int, uses: Collection[int], weight: int) -> list[int]:
        """Return the limbs of the number that ends with a limb, lowest first.

        Args:
            top: The highest limb.
            uses: The variables that the program uses.
            weight: The weight above that of limbs: 2 to the power of the bits of a word.
        """
        chain = [top]
        while True:
            dividend = self.words.dividend(self._operation(chain[0]))
            carries = [m[0] for m, c in dividend.items() if len(m) == c == 1 and self._is_carry(m[0], uses, weight)]
            if not carries:
                return chain
            chain.insert(0, self._operation(max(carries, key=self.words.operation_of.__getitem__)).low)

    def _is_carry(self, variable: int, uses: Collection[int], weight: int) -> bool:
        """Return whether a variable is the carry of a sum whose limb is used. A limb is shorter than a word."""
        if variable not in self.words.operation_of:
            return False
        operation = self._operation(variable)
        is_sum = 1 < operation.weight < weight and len(self.words.dividend(operation)) > 1
        return operation.high == variable and is_sum and operation.low in uses

    def total_of(self, limbs: list[int]) -> tuple[Polynomial, int]:
        """Return the number of limbs, and the power of two modulo which the limbs determine it."""
        total: Polynomial = {}
        place = 1
        for limb in limbs:
            total = plus(total, {(limb,): 1}, place)
            place *= self._operation(limb).weight
        return total, place

    # The sign of a difference.

    def join_sign(self, flag: int) -> None:
        """Prove that the top bit of a short sum modulo 2^w is the sum of the borrows of its differences.

        Raises:
            ProofError: The flag is no such bit.
        """
        if flag not in self.words.operation_of or self.checker.under:
            return
        operation = self._operation(flag)
        (word, *_), weight = next(iter(self.words.dividend(operation)), (0,)) or (0,), 2 * operation.weight
        total: Polynomial = {(flag,): 1}
        steps = [operation.equation]
        while self._is_word(word, weight):
            inner = self._operation(word)
            total = plus(total, {(inner.high,): 1}, -1 if inner.weight < 0 else 1)
            steps.append(inner.equation)
            word = max((v for v in variables(self.words.dividend(inner)) if self._is_word(v, weight)), default=0)
        if len(steps) < 3:
            raise ProofError("the flag is no sign of a difference of several words")
        equal = self.checker.identity(total)
        for equation in steps:
            equal = self.checker.substitute(equal, equation, constant(mpq(1, weight)))
        self.search.join_flag(flag, equal)

    def _is_word(self, variable: int, weight: int) -> bool:
        """Return whether a variable is the word of a sum or difference modulo ``weight``."""
        if variable not in self.words.operation_of:
            return False
        operation = self._operation(variable)
        return operation.low == variable and abs(operation.weight) == weight

    def _operation(self, variable: int) -> Operation:
        return self.words.operations[self.words.operation_of[variable]]
