"""One execution of a straight-line part of a program on unknown words."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

from momagen.prove.facts import Facts
from momagen.prove.polynomial import plus
from momagen.prove.transforms.summary import Inputs

if TYPE_CHECKING:
    from momagen.prove.c.memory import Block, Key
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.facts import Path
    from momagen.prove.transforms.claim import Moduli
    from momagen.prove.transforms.stored import Stored, Word
    from momagen.prove.words import Value


class Part:
    """A straight-line part that is being executed.

    Attributes:
        facts: Its facts, of which no other part knows.
        inputs: The numbers that it has read, with their words.
        stores: The elements of memory that it has stored, with what they held before.
    """

    def __init__(self, moduli: Moduli, word: int, path: Path, guide: Guide) -> None:
        self.moduli, self.word = moduli, word
        self.facts = Facts(moduli.least, moduli.greatest, path, guide)
        self.inputs: dict[Stored, list[Value]] = {}
        self.stores: list[tuple[Block, Key, Any]] = []
        self._variables: dict[Stored, int] = {}

    def value_of(self, word: Word) -> Value:
        """Return the value of a word of a stored number, which is introduced when it is first read."""
        if word.number not in self.inputs:
            self.inputs[word.number] = self._introduce(word.number)
        return self.inputs[word.number][word.index]

    def _introduce(self, number: Stored) -> list[Value]:
        """Introduce the variables of a stored number and of its words, and return the words."""
        words, weight = self.facts.words, 1 << self.word
        greatest = floor(self.facts.checker.maximum(number.high))
        ends = [min(weight - 1, greatest >> self.word * i) for i in range(number.words)]
        found = [
            words.variable(f"{number.name}[{i}]", 0, end) if end else words.constant(0) for i, end in enumerate(ends)
        ]
        if number.is_modulus:
            self._variables[number] = 0
            self.facts.state_modulus(found, weight)
            if self.moduli.parity is not None:
                self.facts.state_parity(found[0], self.moduli.parity)
        else:
            bounds = number.low, number.high
            self._variables[number] = self.facts.state_number(number.name, found, bounds, weight)
        if number.is_secret:
            self.facts.secrets |= {words.number_of(value) for value in found if not value.is_constant}
        return found

    @property
    def is_secret(self) -> bool:
        """Whether the part has read a number that depends on a vector of the caller."""
        return any(number.is_secret for number in self.inputs)

    def variables(self) -> Inputs:
        """Return the variables of the numbers that the part has read, and of their words."""
        found = Inputs()
        for number, words in self.inputs.items():
            found.add(
                self._variables[number], [None if w.is_constant else self.facts.words.number_of(w) for w in words]
            )
        return found

    def state_relations(self) -> None:
        """State the relations between the numbers that the part has read."""
        checker = self.facts.checker
        known = {relation: None for number in self.inputs for relation in number.relations}
        for relation in known:
            if relation.numbers() <= self.inputs.keys():
                slack = checker.integer("slack", relation.low, relation.high)
                terms = {
                    tuple(sorted(0 if n is None else self._variables[n] for n in product)): c
                    for c, product in relation.terms
                }
                equation = checker.state(plus(terms, {(slack,): 1}, -relation.unit))
                for monomial in terms:
                    if len(monomial) == 2 and monomial[0] == 0:
                        self.facts.search.relations[monomial] = equation

    def key(self, values: list[Value]) -> Any:
        """Return what determines the proof of these results: moduli, inputs, variables and equations."""
        checker = self.facts.checker
        return (
            self.moduli,
            tuple(self._variables[number] for number in self.inputs),
            tuple((v.low, v.high) for v in checker.variables),
            tuple(frozenset(equation.items()) for equation in checker.equations),
            tuple(frozenset(value.polynomial.items()) for value in values),
        )
