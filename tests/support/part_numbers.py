"""A run of a transform with numbers: what a proof states of a part is evaluated for a modulus, a root and a vector."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from momagen.prove.polynomial import InModulus, Polynomial, variables
from momagen.prove.transforms.memory import key_of
from momagen.prove.transforms.part import Part
from momagen.prove.transforms.run import TransformRun
from momagen.prove.transforms.stored import Relation, Stored, Word
from momagen.prove.transforms.summary import Outcome, Summary
from momagen.prove.words import Value
from support.concrete import Numbers


class PartNumbers(Numbers):
    """The numbers of the variables of a part, of which those of its inputs are given."""

    def __init__(self, part: Part, q: int, numbers: dict[Stored, int]) -> None:
        self.given: dict[int, int] = {}
        longest = (1 << part.word) - 1
        for number, words in part.inputs.items():
            value = self.given[part._variables[number]] = numbers[number]
            for at, word in enumerate(words):
                if not word.is_constant:
                    self.given[part.facts.words.number_of(word)] = value >> part.word * at & longest
        part.facts.conditions = []  # type: ignore[attr-defined]
        super().__init__(part.facts, q, self._unknown)

    @staticmethod
    def _unknown(name: str) -> int:
        raise AssertionError(f"nothing determines {name}")

    def _compute(self, number: int, defined: dict[int, Polynomial], inputs: Any) -> None:
        if number in self.given:
            self.values[number] = self.given[number]
        elif number in self.facts.words.operation_of or number in defined:
            super()._compute(number, defined, inputs)
        else:
            self.values[number] = self._solved(number)

    def _solved(self, number: int) -> int:
        """Return the solution of the first equation that relates a variable to earlier ones only."""
        for equation in self.facts.checker.equations:
            if max(variables(equation), default=0) == number and (number,) in equation:
                rest = self.value({m: c for m, c in equation.items() if m != (number,)})
                solution = Fraction(int(-rest), int(equation[number,]))
                assert solution.denominator == 1, f"{self.facts.checker.variables[number].name} is no integer"
                return int(solution)
        raise AssertionError(f"nothing determines {self.facts.checker.variables[number].name}")


class NumbersRun(TransformRun):
    """A run whose stored numbers have values.

    Attributes:
        q: The modulus.
        r: The root.
        x: The vector.
        numbers: The value of each stored number.
        parts: How many parts were evaluated.
        problems: What was stated and does not hold.
    """

    def prepare(self, q: int, r: int, x: list[int]) -> None:
        """Give the arguments of the functions their values."""
        self.q, self.r, self.x = q, r, list(x)
        self.numbers: dict[Stored, int] = {self.modulus: q, self.batch: 3}
        self.parts = 0
        self.problems: list[str] = []

    def root(self) -> Stored:
        """Return the root of the claim."""
        root = super().root()
        self.numbers[root] = self.r
        return root

    def array(self, name: str, numbers: Any, is_writable: bool = False) -> Any:
        """Return an array of the caller."""
        if name == "x":
            self.numbers.update(zip(numbers, self.x, strict=True))
        return super().array(name, numbers, is_writable)

    def _apply(self, summary: Summary, part: Part, places: Any) -> None:
        evaluated = PartNumbers(part, self.q, self.numbers)
        self.parts += 1
        self.problems += evaluated.problems()
        values = [self._evaluate(evaluated, cell, index) for cell, index in places]
        inputs = [self.numbers[number] for number in part.inputs]
        super()._apply(summary, part, places)
        for outcome in summary.numbers:
            self.problems += self._wrong_outcome(outcome, values, inputs)
        self._take([block.cells[key].value for (block, key), _ in places], values)
        for outcome in summary.numbers:
            (block, key), _ = places[outcome.words[0]]
            held = block.cells[key].value
            for relation in held.number.relations if isinstance(held, Word) else ():
                self.problems += self._wrong_relation(relation)

    @staticmethod
    def _evaluate(evaluated: PartNumbers, cell: Any, index: int) -> int:
        block, key = cell
        assert index == 0, "vectors of the CPU are not evaluated"
        return int(evaluated.value(block.cells[key].value.polynomial))

    def _take(self, stored: list[Any], values: list[int]) -> None:
        """Note the values of new numbers, of which some words are stored, and compare the words with what is known."""
        word, made = self.claim.word, dict[Stored, int]()
        for held, value in zip(stored, values, strict=True):
            if isinstance(held, Word) and held.number not in self.numbers:
                made[held.number] = made.get(held.number, 0) + (value << word * held.index)
        self.numbers |= made
        for held, value in zip(stored, values, strict=True):
            known = held.low if isinstance(held, Value) else self.numbers[held.number] >> word * held.index
            if known & (1 << word) - 1 != value:
                self.problems.append(f"a part stores {value}, and {known} was stated")

    def _wrong_outcome(self, outcome: Outcome, values: list[int], inputs: list[int]) -> Iterator[str]:
        value = sum(values[i] << self.claim.word * at for at, i in enumerate(outcome.words))
        if not 0 <= value <= self._at(outcome.high):
            yield f"{value} exceeds its bound"
        if outcome.residue is not None:
            stated = 0
            for coefficient, product in outcome.residue:
                term = int(coefficient.numerator) * pow(int(coefficient.denominator), -1, self.q)
                for i in product:
                    term *= inputs[i]
                stated += term
            if (stated - value) % self.q:
                yield f"{value} has another residue than {stated}"

    def _wrong_relation(self, relation: Relation) -> Iterator[str]:
        total = 0
        for coefficient, product in relation.terms:
            term = int(coefficient)
            for number in product:
                term *= self.q if number is None else self.numbers[number]
            total += term
        slack, rest = divmod(total, relation.unit)
        if rest or not self._at(relation.low) <= slack <= self._at(relation.high):
            yield f"a relation does not hold: {total} is not {relation.unit} times a number in its range"

    def _at(self, polynomial: InModulus) -> Any:
        return sum(c * self.q**i for i, c in enumerate(polynomial))

    def vector_of_results(self) -> list[int]:
        """Return the numbers that the result holds."""
        offsets = [at * self.claim.words for at in range(self.claim.n)]
        return [self.numbers[self.result.cells[key_of(at)].value.number] for at in offsets]
