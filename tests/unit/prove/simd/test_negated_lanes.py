"""What is proven of a lane that holds the negative of a number is true of numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from gmpy2 import mpq

from momagen.prove.c.bits import choose
from momagen.prove.c.simd.compare import is_less, minimum
from momagen.prove.certificates.guide import SEARCH
from momagen.prove.facts import Path
from momagen.prove.transforms.claim import Moduli
from momagen.prove.transforms.part import Part
from momagen.prove.transforms.stored import Stored
from momagen.prove.transforms.summary import outcome_of
from momagen.prove.words import Value, Words

BITS, LIMIT = 50, 1 << 64
Lane = Callable[[Words, Value, Value, Value], Value]


def plus(words: Words, a: Value, b: Value) -> Value:
    """Return the lane of a sum."""
    return words.sum([a, b], 64, "sum")[1]


def minus(words: Words, a: Value, b: Value) -> Value:
    """Return the lane of a difference."""
    return words.difference(a, b, words.constant(0), 64, "difference")[1]


def maximum(words: Words, a: Value, b: Value) -> Value:
    """Return the greater lane."""
    return choose(is_less(a, b, words), b, a, words)


CASES: dict[str, tuple[Lane, Callable[[int, int, int], int], bool]] = {
    "x - q": (lambda w, q, x, y: minus(w, x, q), lambda q, x, y: x - q, True),
    "y - x": (lambda w, q, x, y: minus(w, x, minus(w, y, q)), lambda q, x, y: x - y + q, False),
    "x + y + 2 q": (
        lambda w, q, x, y: plus(w, plus(w, x, y), plus(w, q, q)),
        lambda q, x, y: x + y + 2 * q,
        False,
    ),
    "the greater of y and y + q": (
        lambda w, q, x, y: maximum(w, y, plus(w, q, y)),
        lambda q, x, y: max(y % LIMIT, (y + q) % LIMIT),
        True,
    ),
    "the lesser of x + y and x + y + 2 q": (
        lambda w, q, x, y: minimum(plus(w, x, y), plus(w, plus(w, q, q), plus(w, x, y)), w),
        lambda q, x, y: min((x + y) % LIMIT, (x + y + 2 * q) % LIMIT),
        False,
    ),
}
"""Lanes of x below q and y from -2 q to -1: the operations, the expected lane, and whether it is always negative."""


def value(polynomial: Any, q: int) -> mpq:
    """Return the value of a polynomial in q."""
    return sum((mpq(c) * q**i for i, c in enumerate(polynomial)), mpq(0))


@pytest.mark.parametrize("name", CASES)
def test_what_is_proven_of_a_lane_holds(name: str) -> None:
    compute, expected, is_negative = CASES[name]
    part = Part(Moduli(3, (1 << BITS) - 1, 1), 64, Path(), SEARCH, 3)
    numbers = [
        Stored("q", 1, (0, 1), (0, 1), 0),
        Stored("x", 1, (0,), (-1, 1), 1, True),
        Stored("y", 1, (1,), (0, 2), 2, True, is_negated=True),
    ]
    lane = compute(part.facts.words, *(part.value_at(number, 0) for number in numbers))
    order = list(part.inputs)
    part.state_relations()
    found = outcome_of(part.facts, part.variables(), lane, 64)
    assert found.residue is not None
    assert found.is_negated == is_negative
    assert len(found.high) == 2, "the bound is a multiple of q"
    rng = random.Random(name)
    for q in (3, 5, 101, (1 << BITS) - 27, (1 << BITS) - 1):
        for x in {0, 1, q - 1, rng.randrange(q)}:
            for y in {1, q - 1, q, q + 1, 2 * q, rng.randrange(1, 2 * q)}:
                word = expected(q, x, -y) % LIMIT
                number = LIMIT - word if found.is_negated else word
                assert value(found.low, q) <= number <= value(found.high, q)
                given = dict(zip(numbers, (q, x, y), strict=True))
                total = mpq(0)
                for coefficient, product in found.residue:
                    for at in product:
                        coefficient *= given[order[at]]
                    total += coefficient
                assert (number - total) % q == 0
