"""Putting numbers in the place of their words: sums of products of words become products of numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.polynomial import Monomial, Polynomial, quotient_by, quotient_by_product, scaled, variables

if TYPE_CHECKING:
    from momagen.prove.checker import Checker, Equal


@dataclass(frozen=True)
class MultiWord:
    """A multi-word integer: its variable, the equation that defines it, and its words, each with its weight."""

    variable: int
    equation: int
    words: tuple[tuple[int, int], ...]


def collapse(
    checker: Checker, equal: Equal, numbers: list[MultiWord], modulus: int, is_strict: bool = False
) -> Equal:
    """Replace words by their numbers wherever most words, or a third of all products of two numbers' words, agree.

    Terms that are multiples of the modulus are left as they are.

    Args:
        checker: The checker of the proof.
        equal: The equation whose right side is rewritten.
        numbers: The numbers.
        modulus: If it is not 0, a number also replaces a few of its words where the difference is a multiple of it.
        is_strict: Whether a number only replaces nearly all of its words where they multiply a word of a number.
    """
    present = variables(equal.right)
    used = [n for n in numbers if any(word in present for word, _ in n.words)]
    if not modulus:
        for first, second in combinations_with_replacement(used, 2):
            if len(first.words) * len(second.words) == 1:
                continue  # the only product of their words cannot agree with another one
            equal = _square(checker, equal, first) if first is second else _products(checker, equal, first, second)
    words = {word for number in used if is_strict and len(number.words) > 1 for word, _ in number.words}
    for number in numbers:
        if any(word in present for word, _ in number.words):
            multiplier = _agreed(equal.right, number, modulus, words)
            if multiplier:
                equal = checker.substitute(equal, number.equation, scaled(multiplier, -1))
                present.add(number.variable)  # a number may be a word of another one
    return equal


def _products(checker: Checker, equal: Equal, first: MultiWord, second: MultiWord) -> Equal:
    left, right = dict(first.words), dict(second.words)
    votes: dict[Monomial, Counter[Any]] = {}
    for monomial, coefficient in equal.right.items():
        if len(monomial) < 2:
            continue
        a = [v for v in monomial if v in left]
        b = [v for v in monomial if v in right]
        if len(a) == 1 and len(b) == 1 and a[0] != b[0]:
            rest = tuple(v for v in monomial if v not in (a[0], b[0]))
            votes.setdefault(rest, Counter())[mpq(coefficient) / (left[a[0]] * right[b[0]])] += 1
    for rest, counts in votes.items():
        coefficient, agreeing = counts.most_common(1)[0]
        if agreeing * 3 > len(left) * len(right) and agreeing > 1:
            beside = {tuple(sorted((*rest, word))): coefficient * weight for word, weight in second.words}
            equal = checker.substitute(equal, first.equation, scaled(beside, -1))
            beside = {tuple(sorted((*rest, first.variable))): coefficient}
            equal = checker.substitute(equal, second.equation, scaled(beside, -1))
    return equal


def _square(checker: Checker, equal: Equal, number: MultiWord) -> Equal:
    """Put the square of a number in the place of the products of its words."""
    weights = dict(number.words)
    votes: dict[Monomial, Counter[Any]] = {}
    for monomial, coefficient in equal.right.items() if len(weights) > 1 else ():
        words = [v for v in monomial if v in weights]
        if len(words) == 2:
            rest = tuple(v for v in monomial if v not in weights)
            times = 1 if words[0] == words[1] else 2
            votes.setdefault(rest, Counter())[mpq(coefficient) / (times * weights[words[0]] * weights[words[1]])] += 1
    for rest, counts in votes.items():
        coefficient, agreeing = counts.most_common(1)[0]
        if agreeing * 4 > len(weights) * (len(weights) + 1):
            # The equation is number - words = 0, and number^2 - words^2 is its product with number + words.
            beside = {tuple(sorted((*rest, word))): -coefficient * weight for word, weight in number.words}
            beside[tuple(sorted((*rest, number.variable)))] = -coefficient
            equal = checker.substitute(equal, number.equation, beside)
    return equal


def _agreed(polynomial: Polynomial, number: MultiWord, modulus: int, words: set[int]) -> Polynomial:
    """Return the polynomial that multiplies the number in the place of its words.

    Most words of the number must agree or, if they multiply one of ``words``, nearly all.
    """
    factors = {word: quotient_by(polynomial, word) for word, _ in number.words}
    found: Polynomial = {}
    for monomial in {m for factor in factors.values() for m, c in factor.items() if not _divides(modulus, c)}:
        ratios = [(mpq(factors[word].get(monomial, 0)) / weight, weight) for word, weight in number.words]
        counts = Counter(ratio for ratio, _ in ratios if ratio)
        coefficient, agreeing = counts.most_common(1)[0]
        rest = [(ratio - coefficient) * weight for ratio, weight in ratios]
        needed = len(number.words) + len(words.intersection(monomial))
        if all(_divides(modulus, r) for r in rest) or agreeing * 2 > needed:
            found[monomial] = coefficient
    return found


def _divides(modulus: int, coefficient: Any) -> bool:
    """Return whether a coefficient is a multiple of a modulus; none is if it is 0."""
    return bool(modulus and coefficient.denominator == 1 and coefficient % modulus == 0)


def relate(checker: Checker, equal: Equal, relations: dict[tuple[int, int], int]) -> Equal:
    """Replace products of two variables by what an equation says of them."""
    for pair, equation in relations.items():
        if multiplier := quotient_by_product(equal.right, *pair):
            unit = checker.equations[equation][pair]
            equal = checker.substitute(equal, equation, scaled(multiplier, mpq(1, unit)))
    return equal
