"""The twiddles that formulas state, level by level, against the definition of what a level computes."""

from __future__ import annotations

from fractions import Fraction

import pytest

from momagen.errors import MomagenError
from momagen.kernels.flow.level_twiddles import LevelTwiddles
from momagen.kernels.flow.ring_tree import ring_levels, root_node

SIZES = [2, 4, 32, 1024]


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


@pytest.mark.parametrize("wrong", [3, 5, 6, 10, 31])
def test_turns_that_are_not_sums_over_bits_are_refused(wrong: int) -> None:
    """Index 10 is a third of the last index, 31, of five bits."""
    with pytest.raises(MomagenError, match="the twiddles of level 5 are not sums over bits"):
        LevelTwiddles.read(lambda index: Fraction(index + (index == wrong), 64), 5)
