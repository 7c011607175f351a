"""Remainders of powers of two are known for all moduli that are powers of two, or the range is divided."""

from __future__ import annotations

import itertools

import pytest

from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts, Path
from momagen.prove.quotients import Powers, UndecidedPowerError, powers_between
from momagen.prove.words import Value

RANGES = [(1 << low, 1 << high) for low, high in itertools.combinations(range(1, 7), 2)]


@pytest.mark.parametrize("factor", [1, 2, 8])
def test_a_remainder_is_that_of_every_modulus_of_a_range(factor: int) -> None:
    for (least, greatest), number in itertools.product(RANGES, (1 << k for k in range(12))):
        moduli = [q for q in range(least, greatest + 1) if q & q - 1 == 0]
        rests = {q: number % (factor * q) for q in moduli}
        facts = Facts(least, greatest, Path(), powers=Powers.ALL)
        try:
            found = {facts.remainder_of_power(number, factor)}
        except UndecidedPowerError as error:
            assert least < error.end <= greatest
            assert {rests[q] for q in moduli if q < error.end} == {0}
            assert {rests[q] for q in moduli if q >= error.end} == {number}
        else:
            assert found == set(rests.values())


def _divided(facts: Facts, dividend: int, factor: int = 1) -> tuple[int, int]:
    """Divide a number by ``factor * q``, and return the bounds of the remainder."""
    (word,) = (facts.words.variable("q", facts.checker.least, facts.checker.greatest),)
    facts.state_modulus([word])
    divisor = Value({(0,): factor}, factor * facts.checker.least, factor * facts.checker.greatest)
    facts.divide_by_multiple(facts.words.constant(dividend), divisor)
    rest = next(v for v in reversed(facts.checker.variables) if v.name == "remainder")
    return facts.checker.minimum(rest.low), facts.checker.maximum(rest.high)


def test_only_a_power_of_two_has_a_known_remainder() -> None:
    for powers, dividend, ends in (
        (Powers.ALL, 1 << 20, (0, 0)),
        (Powers.ALL, (1 << 20) + 1, (0, 63)),
        (Powers.SOME, 1 << 20, (0, 63)),
        (Powers.NONE, 1 << 20, (1, 63)),
        (Powers.NONE, 3 << 20, (0, 63)),
    ):
        assert _divided(Facts(2, 64, Path(), powers=powers), dividend) == ends, (powers, dividend)


def test_powers_of_two_are_excluded_only_if_there_is_one() -> None:
    assert Facts(5, 7, Path(), powers=Powers.ALL).powers is Powers.NONE
    assert powers_between(5, 40) == (8, 32)
    with pytest.raises(ProofError, match="none of the moduli"):
        powers_between(5, 7)
