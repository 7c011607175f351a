"""The comparison that finds the carry of a doubled word gives this carry, and refuses other pairs of values."""

from __future__ import annotations

import pytest

from momagen.prove.c.simd.compare import carry_of_multiple
from momagen.prove.facts import Facts, Path
from momagen.prove.polynomial import plus, scaled
from momagen.prove.words import Value, Words

W = 1 << 32


def _doubled(words: Words, b: Value) -> Value:
    """Return the low word of ``2 * b``."""
    return words.divide(words.value_of(scaled(b.polynomial, 2)), W, "twice")[1]


def test_a_doubled_word_is_less_exactly_if_it_wraps() -> None:
    words = Facts(2, 3, Path()).words
    b = words.variable("b", 0, W - 1)
    flag = carry_of_multiple(_doubled(words, b), b, words)
    assert flag is not None
    operation = words.operations[words.operation_of[words.number_of(flag)]]
    assert (words.dividend(operation), operation.weight) == (b.polynomial, W // 2)
    assert flag.polynomial == {(operation.high,): 1}
    for number in (0, 1, W // 2 - 1, W // 2, W // 2 + 1, W - 1):
        assert number // operation.weight == int(2 * number % W < number)


@pytest.mark.parametrize("change", ["another word", "one more", "exchanged"])
def test_other_comparisons_have_no_carry(change: str) -> None:
    words = Facts(2, 3, Path()).words
    b, c = words.variable("b", 0, W - 1), words.variable("c", 0, W - 1)
    a, more = _doubled(words, b), words.value_of(plus(b.polynomial, {(): 1}))
    pair = {"another word": (a, c), "one more": (a, more), "exchanged": (b, a)}[change]
    assert carry_of_multiple(*pair, words) is None
