"""The twiddles that formulas state, level by level, against the definition of what a level computes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from gmpy2 import invert, powmod

from momagen.errors import MomagenError
from momagen.formula.transforms import digit_reversal
from momagen.kernels.flow.level_twiddles import LevelTwiddles
from momagen.kernels.flow.ring_tree import ring_levels, root_node
from momagen.kernels.flow.time_levels import time_levels

SIZES = [2, 4, 32, 1024]
Q, GENERATOR = 65537, 3


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize("inverse", [False, True])
def test_each_twiddle_is_a_square_root_in_its_ring(n: int, negacyclic: bool, inverse: bool) -> None:
    """x^2m - c splits into x^m - v and x^m + v if v^2 = c; with turns, twice that of v is that of c."""
    rings = [Fraction(1, 2) if negacyclic else Fraction(0)]
    for level in ring_levels(n, inverse, negacyclic):
        turns = [level.turn(block) for block in range(len(rings))]
        own = [-turn % 1 for turn in turns] if inverse else turns
        assert all((2 * turn - ring) % 1 == 0 for turn, ring in zip(own, rings, strict=True))
        rings = [(turn + half) % 1 for turn in own for half in (Fraction(0), Fraction(1, 2))]
    assert len(set(rings)) == len(rings) == n


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize("inverse", [False, True])
def test_the_root_of_the_tree_is_its_first_twiddle(n: int, negacyclic: bool, inverse: bool) -> None:
    assert root_node(n, inverse, negacyclic) == negacyclic


@pytest.mark.parametrize("n", [2, 8, 32])
@pytest.mark.parametrize("negacyclic", [False, True])
def test_levels_in_time_compute_coefficients(n: int, negacyclic: bool) -> None:
    order = n << negacyclic
    root = powmod(GENERATOR, (Q - 1) // order, Q)

    def power(level: LevelTwiddles, position: int) -> int:
        return int(powmod(root, int(level.turn(position) * order), Q))

    coefficients = [(7 * i * i + 5) % Q for i in range(n)]
    exponents = [2 * k + 1 if negacyclic else k for k in range(n)]
    points = [powmod(root, exponents[digit_reversal(k, n)], Q) for k in range(n)]
    values = [sum(c * powmod(point, j, Q) for j, c in enumerate(coefficients)) % Q for point in points]
    *levels, factors = time_levels(n, negacyclic)
    for at, level in enumerate(levels):
        for low in (position for position in range(n) if not position >> at & 1):
            x, y = values[low], values[low + (1 << at)] * power(level, low % (1 << at))
            values[low], values[low + (1 << at)] = (x + y) % Q, (x - y) % Q
    scaled = [value * power(factors, at) * invert(n, Q) % Q for at, value in enumerate(values)]
    assert scaled == coefficients


@pytest.mark.parametrize("wrong", [3, 5, 6, 10, 31])
def test_turns_that_are_not_sums_over_bits_are_refused(wrong: int) -> None:
    """Index 10 is a third of the last index, 31, of five bits."""
    with pytest.raises(MomagenError, match="the twiddles of level 5 are not sums over bits"):
        LevelTwiddles.read(lambda index: Fraction(index + (index == wrong), 64), 5)
