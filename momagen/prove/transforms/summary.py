"""The result of proving a straight-line part, which holds for every part with the same equations."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import floor
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.checker import ProofError
from momagen.prove.numbers.structure import Structure
from momagen.prove.polynomial import Polynomial, combine, constant, is_power_of_two, plus
from momagen.prove.transforms.relations import RelationTemplate, find_inverse, find_quotient, find_quotient_modulo
from momagen.prove.words import variable_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.checker import Bounds
    from momagen.prove.facts import Facts
    from momagen.prove.polynomial import InModulus
    from momagen.prove.words import Value


SLACK = mpq(1, 1 << 10)
"""By which part of itself a bound of a lane may be exceeded by a multiple of q."""


@dataclass(frozen=True)
class Outcome:
    """What is proven of a number that a part computes.

    Attributes:
        words: Its words, as indices of the values.
        high: An upper bound.
        residue: What it is congruent to modulo q: coefficients of products of the inputs; None if that is not known.
        low: A lower bound.
        bits: The bits of a word.
        is_negated: Whether the only word holds the negative of the number, modulo 2 to the power of its bits.
    """

    words: tuple[int, ...]
    high: InModulus
    residue: tuple[tuple[Any, tuple[int, ...]], ...] | None
    low: InModulus = (0,)
    bits: int = 64
    is_negated: bool = False


@dataclass
class Summary:
    """What is proven of the values that a part stores: each is a copy of an input's word, or a word of a new number.

    Attributes:
        copies: The input and the word that a value is, by the index of the value.
        numbers: The new numbers.
        relations: The relations between them.
    """

    copies: dict[int, tuple[int, int]] = field(default_factory=dict)
    numbers: list[Outcome] = field(default_factory=list)
    relations: list[RelationTemplate] = field(default_factory=list)


class Inputs:
    """The numbers that a part reads: their variables and their words."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.words: dict[int, tuple[int, int]] = {}

    def add(self, variable: int, words: list[int | None]) -> None:
        """Add a number with the variables of its words; None is a word that is 0."""
        for at, word in enumerate(words):
            if word is not None:
                self.words[word] = len(self.numbers), at
        self.numbers.append(variable)


def summarise(
    facts: Facts,
    inputs: Inputs,
    values: list[Value],
    groups: list[list[int]],
    word: int,
    is_public: bool,
    is_exact: bool = False,
) -> Summary:
    """Prove what a part computes.

    Args:
        facts: The facts of the part, after its execution.
        inputs: What it reads.
        values: What it stores, without constants.
        groups: Which of the values are guessed to be the words of one number.
        word: The bits of a word.
        is_public: Whether the part depends on no vector of the caller, so that relations are of interest.
        is_exact: Whether a number between equal polynomials in q is known to be this polynomial.
    """
    structure = Structure(facts, 1 << word)
    facts.ask(structure.update, set(range(len(facts.checker.variables))))
    summary = Summary()
    for i, value in enumerate(values):
        variable = next(iter(value.polynomial)) if len(value.polynomial) == 1 else ()
        if len(variable) == 1 and value.polynomial[variable] == 1 and variable[0] in inputs.words:
            summary.copies[i] = inputs.words[variable[0]]
    totals = []
    halves = _halves(facts, values, word // 2) if is_public else []
    split = {i for group in halves for i in group}
    each = [(group, word) for group in groups if split.isdisjoint(group)] + [(group, word // 2) for group in halves]
    for group, bits in each:
        if not all(i in summary.copies for i in group):
            total = combine((1 << bits * at, values[i].polynomial) for at, i in enumerate(group))
            outcome = _outcome(facts, inputs, tuple(group), total, 1 << bits * len(group), is_exact)
            summary.numbers.append(replace(outcome, bits=bits))
            totals.append(total)
            for i in group:
                summary.copies.pop(i, None)
    if is_public:
        summary.relations = _relations(facts, summary.numbers, totals)
    return summary


def _halves(facts: Facts, values: list[Value], bits: int) -> list[list[int]]:
    """Guess which values are the lower and the upper half of a word that was split."""
    at = {variable_of(value): i for i, value in enumerate(values)}
    splits = [operation for operation in facts.words.operations if operation.weight == 1 << bits]
    return [[at[split.low], at[split.high]] for split in splits if split.low in at and split.high in at]


def outcome_of(facts: Facts, inputs: Inputs, value: Value, word: int) -> Outcome:
    """Prove the residue of a value of one word, and the least multiple of q that it or its negative is below.

    The negative of a value that is not 0 is taken modulo 2 to the power of the bits of the word.
    """
    facts.search.slack = SLACK
    facts.ask(Structure(facts, 1 << word).update, set(range(len(facts.checker.variables))))
    limit, total = 1 << word, value.polynomial
    residue = _residue(facts, inputs, total)
    if residue is None:
        return Outcome((0,), (limit - 1,), None)
    with suppress(ProofError):
        low, high = _multiples(facts, total, limit)
        return Outcome((0,), high, residue, low)
    negative = plus(constant(limit), total, -1)
    with suppress(ProofError):
        low, high = _negated_multiples(facts, negative, limit)
        return Outcome((0,), high, _residue(facts, inputs, negative), low, is_negated=True)
    return Outcome((0,), (limit - 1,), residue)


def _multiples(facts: Facts, total: Polynomial, limit: int) -> tuple[InModulus, InModulus]:
    """Return the proven bounds k q and m q - 1 of a number with the greatest k and the least m."""
    checker, found = facts.checker, facts.bounds(total)
    for multiple in _multiples_about(facts, found.high):
        if multiple * checker.greatest <= limit and checker.not_above(found.high, (-1, multiple)):
            return _least(facts, found.low, multiple) or (0,), (-1, multiple)
    raise ProofError("the number is not proven to be below a multiple of q")


def _negated_multiples(facts: Facts, negative: Polynomial, limit: int) -> tuple[InModulus, InModulus]:
    """Return the proven bounds k q (or 1) and m q of the negative of a word with the greatest k and the least m."""
    checker, found = facts.checker, facts.bounds(negative)
    for multiple in _multiples_about(facts, found.high):
        if multiple * checker.greatest < limit and checker.not_above(found.high, (0, multiple)):
            return _least(facts, found.low, multiple) or (1,), (0, multiple)
    raise ProofError("the negative of the number is not proven to be below a multiple of q")


def _multiples_about(facts: Facts, high: InModulus) -> tuple[int, ...]:
    """Return the multiples of q that may be the least one above a bound."""
    about = int(facts.checker.maximum(high) // facts.checker.greatest)
    return max(about, 1), about + 1, about + 2


def _least(facts: Facts, low: InModulus, multiple: int) -> InModulus | None:
    """Return the greatest multiple of q below ``multiple * q`` that a lower bound is proven to reach."""
    return next(((0, k) for k in range(multiple, 0, -1) if facts.checker.not_above((0, k), low)), None)


def _relations(facts: Facts, numbers: list[Outcome], totals: list[Polynomial]) -> list[RelationTemplate]:
    """Return the relations between the results of a part."""
    found = []
    for i, number in enumerate(numbers):
        if number.high[1:]:
            continue
        power = int(number.high[0]).bit_length()
        found.append(find_inverse(facts, i, totals[i], power))
        for j, other in enumerate(numbers):
            if other.high == (-1, 1) and len(other.words) * other.bits == len(number.words) * number.bits:
                found.append(find_quotient(facts, (i, j), (totals[i], totals[j]), power))
                found.append(find_quotient_modulo(facts, (i, j), (totals[i], totals[j]), power))
    return [relation for relation in found if relation is not None]


def _outcome(
    facts: Facts, inputs: Inputs, words: tuple[int, ...], total: Polynomial, limit: int, is_exact: bool
) -> Outcome:
    """Prove the bound and the residue of one number."""
    checker = facts.checker
    try:
        bounds = facts.bounds(total)
    except ProofError:
        return Outcome(words, (limit - 1,), None)
    if is_exact and bounds.low == bounds.high != (0, 1) and len(bounds.low) > 1:
        return Outcome(words, bounds.high, _residue(facts, inputs, total), bounds.low)
    greatest = checker.maximum(bounds.high)
    about = max(int(greatest // checker.greatest), 1)
    multiples = [m for m in dict.fromkeys((about, about + 1, about + 2)) if m * checker.greatest <= limit]
    found = next((m for m in multiples if checker.not_above(bounds.high, (-1, m))), None)
    residue = _residue(facts, inputs, total)
    # A bound that is a number, such as 4, is below q for most q only, and a choice may exclude the others. Device code,
    # whose parts are exact, has predicates instead.
    is_number = not is_exact and not any(bounds.high[1:])
    if residue is not None and (found is None or is_number):
        lesser = multiples if found is None else [m for m in multiples if m < found]
        ways = (facts.bounds,) if is_exact else (facts.bounds, facts.bounds_by_flags)
        found = next((m for way in ways for m in lesser if _is_below(facts, total, m, way)), found)
    high: InModulus = (min(limit - 1, floor(greatest)),) if found is None else (-1, found)
    return Outcome(words, high, residue)


def _is_below(facts: Facts, total: Polynomial, multiple: int, enclose: Callable[[Polynomial], Bounds]) -> bool:
    """Return whether the difference of a multiple of q and a number is proven to be at least 1."""
    with suppress(ProofError):
        return facts.checker.not_negative(enclose(plus({(0,): multiple, (): -1}, total, -1)).low)
    return False


def _residue(facts: Facts, inputs: Inputs, total: Polynomial) -> tuple[tuple[Any, tuple[int, ...]], ...] | None:
    at = {variable: i for i, variable in enumerate(inputs.numbers)}
    found = facts.residue(total, keeps_multiples_of_q=True).right
    rest = {m: c for m, c in found.items() if 0 not in m}
    if not all(v in at for m in rest for v in m) or not all(is_power_of_two(c.denominator) for c in rest.values()):
        return None
    if not facts.checker.is_multiple_of_q(facts.residue(plus(total, rest, -1), keeps_multiples_of_q=True)):
        return None
    return tuple((c, tuple(at[v] for v in m)) for m, c in rest.items())
