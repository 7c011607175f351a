"""Which moduli a conversion serves: the limits of ``rules/rns.toml``, exactly at and beside each of them."""

from __future__ import annotations

import pytest

from momagen.kernels.matrices.rows import RescaleSpec
from momagen.kernels.matrices.spec import ConversionSpec
from momagen.lower.rows import rows_kernel
from momagen.program.interpret import Interpreter, Pointer

FACTORS = {1: ((97, 113), (193,)), 2: ((193, 97), (101,)), 4: ((257, 97), (67,)), 8: ((257, 97), (37,))}
"""Bases whose conversion takes residues below so many times the modulus of the result."""


def interpreter(factor: int) -> Interpreter:
    program = rows_kernel(ConversionSpec(*FACTORS[factor], "c")).host_program
    return Interpreter(program.functions, program.statics, 1)


@pytest.mark.parametrize("factor", FACTORS)
def test_residues_may_be_as_large_as_a_term_takes_them(factor: int) -> None:
    """Residues below ``most`` are at most ``most`` - 1, which must be below factor·q."""
    run = interpreter(factor)
    for q in (3, 5, 97, 2**31 - 1):
        for most in range(max(1, factor * q - 2 * factor), factor * q + 2 * factor):
            assert run.call("near_enough", most, q) == int(most - 1 < factor * q), (most, q)


@pytest.mark.parametrize(("moduli", "goal", "served"), [
    ((257, 97), 33, True), ((263, 97), 33, True), ((265, 97), 33, False), ((267, 97), 33, False),
])  # fmt: skip
def test_a_plan_refuses_a_goal_below_an_eighth_of_a_modulus(moduli: tuple[int, ...], goal: int, served: bool) -> None:
    """Eight times 33 is 264: residues below 263 and 264 fit, and those below 265 do not: 264 may occur."""
    run, kind = interpreter(8), "conversion"
    counts = len(moduli), 1
    tables = Pointer([0] * run.call(f"{kind}_words", *counts))
    assert bool(run.call(f"set_{kind}", tables, Pointer([*moduli]), Pointer([goal]), *counts)) == served


def test_a_plan_refuses_to_divide_by_a_modulus_that_is_too_large() -> None:
    program = rows_kernel(RescaleSpec((97, 193), "c")).host_program
    run = Interpreter(program.functions, program.statics, 1)
    for divisor, served in ((193, True), (195, False), (197, False)):  # residues below 2·97 = 194 are taken
        tables = Pointer([0] * run.call("rescale_words", 2))
        assert bool(run.call("set_rescale", tables, Pointer([97, divisor]), 2)) == served, divisor


@pytest.mark.parametrize(("moduli", "goal", "served"), [
    ((89, 97), 193, True), ((89, 97), 192, False), ((88, 97), 193, False), ((89, 96), 193, False),
])  # fmt: skip
def test_an_even_modulus_is_not_served(moduli: tuple[int, ...], goal: int, served: bool) -> None:
    run = interpreter(1)
    tables = Pointer([0] * run.call("conversion_words", 2, 1))
    assert bool(run.call("set_conversion", tables, Pointer([*moduli]), Pointer([goal]), 2, 1)) == served
