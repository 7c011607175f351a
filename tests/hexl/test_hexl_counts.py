"""The classes of kernels.toml against counts of their loops: the formulas hold, and faster classes come first."""

from __future__ import annotations

from functools import cache

import count_hexl
import pytest
from count_hexl import Row

from momagen.runtime import find_compiler

pytestmark = pytest.mark.compiles
KINDS = ("vmul", "scal", "axpy", "reduce")
NEAR = 0.25
"""Uops per vector that constants loaded once per call, and other compilers, may add."""


SHIFTS = 2
"""Uops per vector that shift an operand up and the result down."""


def described(name: str) -> Row:
    return next(row for row in count_hexl.rows() if row["name"] == name)


@cache
def uops(name: str) -> float:
    return count_hexl.uops(count_hexl.counted(described(name)))


def served(kind: str, bits: int, factor: int) -> list[Row]:
    """The kernels that serve a modulus of so many bits and operands below factor·q, in order."""
    rows = (row for row in count_hexl.rows() if row["kind"] == kind and int(str(row["modulus_bits"])) >= bits)
    return [row for row in rows if count_hexl.factor(row) in (0, *range(factor, count_hexl.MOST + 1))]


@pytest.mark.thorough
@pytest.mark.skipif("gcc" not in str(find_compiler().path), reason="the formulas count what gcc makes of the loops")
@pytest.mark.parametrize("name", [row["name"] for row in count_hexl.rows() if count_hexl.predicted(row) is not None])
def test_a_loop_has_the_instructions_of_its_formula(name: str) -> None:
    predicted = count_hexl.predicted(described(name))
    assert predicted is not None and abs(uops(name) - predicted) < NEAR


@pytest.mark.thorough
@pytest.mark.parametrize("name", [row["name"] for row in count_hexl.rows() if count_hexl.described(row).shifts])
def test_a_shorter_modulus_costs_two_shifts_in_registers(name: str) -> None:
    more = count_hexl.counted_if_shorter(described(name)) - uops(name)
    assert abs(more - SHIFTS) < NEAR


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_the_first_class_that_serves_a_call_is_the_fastest(kind: str) -> None:
    for bits in range(30, 62):
        for factor in (1, 2, 4):
            first, *others = (uops(str(row["name"])) for row in served(kind, bits, factor))
            assert not others or first <= min(others) + NEAR, (bits, factor)
