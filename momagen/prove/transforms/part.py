"""One execution of a straight-line part of a program on unknown words."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

from momagen.prove.facts import Facts
from momagen.prove.polynomial import constant, plus
from momagen.prove.transforms.relations import state_relations
from momagen.prove.transforms.summary import Inputs
from momagen.prove.words import variable_of

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
        least: The least value of the word of a modulus of one word that operations on words may use.
        is_exact: Whether operations on words may use that the lowest word of an odd modulus of several words is
            positive, and whether a result between equal polynomials in q is known to be this polynomial.
    """

    is_exact = False

    def __init__(self, moduli: Moduli, word: int, path: Path, guide: Guide, least: int = 0) -> None:
        self.moduli, self.word, self.least = moduli, word, least
        self.facts = Facts(moduli.least, moduli.greatest, path, guide)
        self.inputs: dict[Stored, list[Value]] = {}
        self.stores: list[tuple[Block, Key, Any]] = []
        self._variables: dict[Stored, int] = {}
        self._words: dict[int, tuple[Stored, int]] = {}

    def value_of(self, word: Word) -> Value:
        """Return the value of a word of a stored number, which is introduced when it is first read."""
        return self.value_at(word.number, word.index)

    def value_at(self, number: Stored, index: int) -> Value:
        """Return the value of a word of a stored number, by its index."""
        if number not in self.inputs:
            self.inputs[number] = self._introduce(number)
            words = {variable_of(word): (number, at) for at, word in enumerate(self.inputs[number])}
            self._words |= {variable: origin for variable, origin in words.items() if variable >= 0}
        return self.inputs[number][index]

    def origin_of(self, value: Value) -> tuple[Stored, int] | None:
        """Return the stored number and the index of the word that a value is, or None if the part computes it."""
        return self._words.get(variable_of(value))

    def _introduce(self, number: Stored) -> list[Value]:
        """Introduce the variables of a stored number and of its words, and return the words."""
        words, bits = self.facts.words, number.bits or self.word
        weight = 1 << bits
        greatest = floor(self.facts.checker.maximum(number.high))
        ends = [min(weight - 1, greatest >> bits * i) for i in range(number.words)]
        least = self.least if number.is_modulus and number.words == 1 else int(number.is_negated)
        if number.is_modulus and number.words > 1 and self.moduli.parity == 1:
            least = int(self.is_exact)
        names = [f"{number.name}[{i}]" for i in range(number.words)]
        found = [
            words.variable(name, 0 if at else least, end) if end else words.constant(0)
            for at, (name, end) in enumerate(zip(names, ends, strict=True))
        ]
        if number.is_modulus:
            self._variables[number] = 0
            self.facts.state_modulus(found, weight)
            if self.moduli.parity is not None:
                self.facts.state_parity(found[0], self.moduli.parity)
        else:
            bounds = number.low, number.high
            self._variables[number] = self.facts.state_number(number.name, found, bounds, weight)
            if number.low == number.high:
                self.facts.name_polynomial(self._variables[number], number.low)
        if number.is_secret:
            self.facts.secrets |= {words.number_of(value) for value in found if not value.is_constant}
        if number.is_negated:
            return [words.value_of(plus(constant(weight), word.polynomial, -1)) for word in found]
        return found

    def variable_of(self, number: Stored) -> int:
        """Return the variable of a number that the part has read."""
        return self._variables[number]

    @property
    def is_secret(self) -> bool:
        """Whether the part has read a number that depends on a vector of the caller."""
        return any(number.is_secret for number in self.inputs)

    def variables(self) -> Inputs:
        """Return the variables of the numbers that the part has read, and of their words."""
        found = Inputs()
        for number, words in self.inputs.items():
            named = [variable_of(word) for word in words]
            found.add(self._variables[number], [None if variable < 0 else variable for variable in named])
        return found

    def state_relations(self) -> None:
        """State the relations between the numbers that the part has read."""
        state_relations(self.facts, self._variables)
        if (square := self.facts.search.relations.pop((0, 0), None)) is not None:
            self.facts.search.relations[0, 0] = square  # what is known of q * 1/q is used before what is known of q * q

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
