"""Divisions of public numbers by powers of two, which the proofs of unrolled loops need."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from momagen.prove.polynomial import plus, scaled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from momagen.prove.facts import Facts
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.words import Operation, Words


class PublicDivision(NamedTuple):
    """A division: ``dividend = unit * quotient + remainder``, where both results are variables."""

    dividend: Polynomial
    unit: int
    quotient: int
    remainder: int


def divisions(words: Words) -> Iterator[PublicDivision]:
    """Yield the divisions by powers of two that were executed, and the divisions of their quotients.

    If ``x = 8 * a + r``, ``x = 16 * b + s`` and ``s = 8 * c + r``, then ``a = 2 * b + c``.
    """
    by_dividend: dict[frozenset[object], list[Operation]] = {}
    for operation in words.operations:
        if operation.weight > 0:
            dividend = words.dividend(operation)
            by_dividend.setdefault(frozenset(dividend.items()), []).append(operation)
            yield PublicDivision(dividend, operation.weight, operation.high, operation.low)
    for operations in by_dividend.values():
        for short in operations:
            for long in operations:
                for split in by_dividend.get(frozenset({((long.low,), 1)}), ()):
                    unit, rest = divmod(long.weight, short.weight)
                    if unit > 1 and not rest and split.weight == short.weight and split.low == short.low:
                        yield PublicDivision({(short.high,): 1}, unit, long.high, split.high)


def state_once(facts: Facts, number: Polynomial) -> None:
    """State that a public number is at least 0, unless bounds or few steps prove it."""
    value = facts.words.value_of(number)
    if value.low < 0 and not facts.follows_at_once(number):
        facts.state_not_negative(number, "division")


def state_remainder(facts: Facts, remainder: int, number: int) -> dict[int, Polynomial]:
    """State that dividends are ``unit * quotient + number`` if a remainder is a known number on this path.

    Returns:
        For each quotient that was divided again, an expression that is equal to it on this path.
    """
    equal: dict[int, Polynomial] = {}
    for found in [*divisions(facts.words)]:
        if found.remainder == remainder and facts.is_public(found.dividend):
            whole: Polynomial = {(found.quotient,): found.unit, (): number}
            apart = plus(found.dividend, {m: c for m, c in whole.items() if c}, -1)
            for difference in (apart, scaled(apart, -1)):
                state_once(facts, difference)
            ((monomial, coefficient), *others) = found.dividend.items()
            if not others and coefficient == 1 and len(monomial) == 1 and monomial[0] in facts.words.operation_of:
                equal[monomial[0]] = {m: c for m, c in whole.items() if c}
    state_quotients(facts, remainder, number)
    return equal


def state_quotients(facts: Facts, remainder: int, number: int) -> None:
    """State that a quotient is 0 if the dividend is at most the known remainder, and at least 1 if it is greater."""
    for found in [*divisions(facts.words)]:
        if found.remainder != remainder or not facts.is_public(found.dividend):
            continue
        above = plus(found.dividend, {(): -number} if number else {}, 1)
        if facts.is_not_negative(plus(above, {(): -1})):
            state_once(facts, {(found.quotient,): 1, (): -1})
        elif facts.is_not_negative(scaled(above, -1)):
            state_once(facts, {(found.quotient,): -1})


def quotient_of(facts: Facts, number: Polynomial, unit: int) -> Polynomial | None:
    """Return the quotient of a public number by a power of two, or None if it is not proven to be a multiple."""
    total = number
    for found in divisions(facts.words):
        ((monomial, coefficient), *others) = found.dividend.items() or [((), 0)]
        if found.unit == unit and not others and coefficient == 1 and monomial in total and monomial:
            parts: Polynomial = {(found.quotient,): unit, (found.remainder,): 1, monomial: -1}
            total = plus(total, parts, total[monomial])
    rest = {m: c for m, c in total.items() if c % unit or not m}
    extra: Polynomial
    for more in (0, 1, -1):
        extra = {(): more} if more else {}
        if facts.are_equal(rest, scaled(extra, unit)):
            quotient = plus({m: c // unit for m, c in plus(total, rest, -1).items()}, extra)
            return quotient if facts.are_equal(scaled(quotient, unit), number) else None
    return None
