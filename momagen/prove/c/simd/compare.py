"""Comparisons of words: which of two is less, and the top bit of a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.prove.c.bits import by_flag, choose, is_flag, opposite_of
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import combine, constant, plus, scaled, variables
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.words import Words


def is_less(a: Value, b: Value, words: Words, bits: int = 64) -> Value:
    """Return the flag that ``a < b``, for values that are not negative.

    Args:
        a: The first value.
        b: The second value.
        words: The operations.
        bits: The width of a word whose difference is taken, if both values fit it; the flag is the borrow.
    """
    known = by_flag(lambda x, y: int(x < y), [a, b], words) or carry_of(a, b, words)
    if known is not None:
        return known
    apart = words.value_of(plus(a.polynomial, b.polynomial, -1))
    if apart.high < 0 or apart.low >= 0:
        return words.constant(int(apart.high < 0))
    none, longest = words.constant(0), max(a.high, b.high).bit_length()
    flag = words.difference(a, b, none, bits, "less")[0] if longest <= bits else none
    return flag if is_flag(flag, words) else words.difference(a, b, none, 2 * max(longest, bits), "less")[0]


def carry_of_multiple(a: Value, b: Value, words: Words) -> Value | None:
    """Return the flag that ``a < b`` if a is a multiple of a low word, and the sum of b and a word, modulo 2^w.

    The word of 2 * b, for instance, is 2 * (b mod 2^(w - 1)). Let a = k * (d - u * h), where d is the number whose low
    word it contains, and h is 0 or 1. If 0 <= k * d - b < k * u, then a is less than b exactly if h is 1.
    """
    monomial = next(iter(a.polynomial), ())
    factor = int(a.polynomial.get(monomial, 0))
    index = words.operation_of.get(monomial[0]) if len(a.polynomial) == len(monomial) == 1 and factor > 1 else None
    if index is None or words.operations[index].low != monomial[0] or words.operations[index].weight < 0:
        return None
    operation = words.operations[index]
    change = words.value_of(plus(scaled(words.dividend(operation), factor), b.polynomial, -1))
    flag = words.value_of({(operation.high,): 1})
    is_short = change.low >= 0 and change.high < factor * operation.weight
    return flag if is_short and is_flag(flag, words) else None


def equals(a: Value, b: Value, words: Words) -> Value:
    """Return the flag that ``a == b``."""
    known = by_flag(lambda x, y: int(x == y), [a, b], words)
    if known is not None:
        return known
    below, above = is_less(a, b, words), is_less(b, a, words)
    return choose(below, words.constant(0), opposite_of(above), words)


def minimum(a: Value, b: Value, words: Words) -> Value:
    """Return the lesser of two values that are not negative."""
    for first, second in ((a, b), (b, a)):
        if (flag := carry_of(first, second, words)) is not None:
            return choose(flag, first, second, words)
    return choose(is_less(a, b, words), a, b, words)


def sign(a: Value, bits: int, words: Words) -> Value:
    """Return the top bit of a word."""
    known = by_flag(lambda x: x >> bits - 1, [a], words)
    return words.sign(a, bits, "sign") if known is None else known


def is_less_signed(a: Value, b: Value, bits: int, words: Words) -> Value:
    """Return the flag that ``a < b`` for words that hold signed numbers in two's complement."""
    if b.is_constant and b.low == 0:
        return sign(a, bits, words)
    if max(a.high, b.high) < 1 << bits - 1:
        return is_less(a, b, words, bits)
    return is_less(_biased(a, bits, words), _biased(b, bits, words), words, bits)


def _biased(a: Value, bits: int, words: Words) -> Value:
    """Return ``a + 2^(bits - 1)`` modulo 2^bits, which maps the order of signed words to that of unsigned ones.

    The low result of a sum modulo 2^bits is congruent to the sum.
    """
    total = plus(a.polynomial, constant(1 << bits - 1))
    while (found := _low_word(total, 1 << bits, words)) is not None:
        total = found
    rest = plus(total, constant(int(total.get((), 0)) >> bits << bits), -1)
    return words.divide(words.value_of(rest), 1 << bits, "biased")[1]


def lane_of(total: Value, bits: int, words: Words) -> Value:
    """Return a sum modulo 2^bits. If it is x + 2^(bits - 1), this is x modulo 2^bits with the other top bit."""
    half, number = 1 << bits - 1, int(total.polynomial.get((), 0))
    rest = {m: c for m, c in total.polynomial.items() if m}
    if not rest or number % (2 * half) != half:
        return words.wrap(total, bits, "lane")[1]
    near = words.value_of(rest)
    near = Value(rest, max(near.low, total.low - number), min(near.high, total.high - number))
    word = words.wrap(near, bits, "lane")[1]
    top = words.divide(word, half, "sign")[0]
    flipped = combine([(1, word.polynomial), (1, constant(half)), (-2 * half, top.polynomial)])
    return Value(flipped, 0, 2 * half - 1)


def _low_word(total: Polynomial, weight: int, words: Words) -> Polynomial | None:
    """Replace a word in a sum by what it is congruent to modulo ``weight``, if that is a sum with a constant."""
    for monomial, coefficient in total.items():
        index = words.operation_of.get(monomial[0]) if len(monomial) == 1 else None
        if index is not None and words.operations[index].low == monomial[0]:
            operation = words.operations[index]
            if abs(operation.weight) == weight and () in words.dividend(operation):
                rest = {m: c for m, c in total.items() if m != monomial}
                return plus(rest, words.dividend(operation), coefficient)
    return None


def under(condition: Value, flag: Value, words: Words) -> Value:
    """Return a flag that is equal to ``flag`` if ``condition`` is 1.

    The flag that a < b, where the condition chose a, is the flag that what it chose is less than b.
    """
    index = words.operation_of.get(next(iter(variables(flag.polynomial)), -1))
    if index is None or not is_flag(condition, words) or not is_flag(flag, words):
        return flag
    operation = words.operations[index]
    difference = words.dividend(operation)
    if operation.weight > 0 or operation.high != words.number_of(flag):
        return flag
    for number in variables(difference) & words.selections.keys():
        chosen = words.selections[number]
        if chosen.flag == words.number_of(condition) and difference[number,] == 1:
            other = words.value_of(plus({(number,): 1}, difference, -1))
            if min(other.low, chosen.chosen.low) >= 0 and words.is_borrow(flag):
                return is_less(chosen.chosen, other, words, abs(operation.weight).bit_length() - 1)
    return flag


def carry_of(a: Value, b: Value, words: Words) -> Value | None:
    """Return the flag that ``a < b`` if one of them is a sum or difference of the other one and a word, modulo 2^w.

    If b = a - c + 2^w * h with 0 <= c < 2^w, then b is greater than a exactly if h is 1, because 2^w - c is positive.
    If a = b + c - 2^w * h with such a c, then a is less than b exactly if h is 1.
    """
    for word, other, is_difference in ((b, a, True), (a, b, False)):
        try:
            number = words.number_of(word)
        except ProofError:
            continue
        index = words.operation_of.get(number)
        if index is None or words.operations[index].low != number:
            continue
        operation = words.operations[index]
        weight, change = abs(operation.weight), words.value_of(plus(words.dividend(operation), other.polynomial, -1))
        least, greatest = (-weight, 1) if is_difference else (-1, weight)
        flag = words.value_of({(operation.high,): 1})
        is_short = least < change.low and change.high < greatest
        if (operation.weight < 0) == is_difference and is_short and is_flag(flag, words):
            return flag
    return None
