"""Which moduli kernels on rows serve: the limits of ``rules/rns.toml``, exactly at and beside each of them."""

from __future__ import annotations

import pytest

from momagen.kinds.rns.basis import RowsSpec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.rescale import RescaleSpec
from momagen.lower.rns.kernels import rows_kernel
from momagen.program.interpret import Interpreter, Pointer
from momagen.targets import load_target

A, B, C = (1 << 63) - 25, (1 << 62) + 9, (1 << 62) + 57
"""Moduli that nearly fill a word, whose products are reduced one by one."""
FACTORS = {1: ((B, C), (A,)), 2: ((A, B), (C,))}
"""Bases whose conversion takes residues below so many times the modulus of the result."""


def served(spec: RowsSpec, moduli: tuple[int, ...], goals: tuple[int, ...] = ()) -> bool:
    """Return whether the kernel of ``spec`` makes a plan for other moduli."""
    program, names = rows_kernel(spec).host_program, spec.kind.lowering(spec).names
    run = Interpreter(program.functions, program.statics, 1)
    counts = [len(moduli), *[len(goals)] * bool(goals)]
    tables = Pointer([0] * run.call(names.tables, *counts))
    bases = [Pointer([*basis]) for basis in (moduli, goals) if basis]
    return bool(run.call(names.setup, tables, *bases, *counts))


@pytest.mark.parametrize("factor", FACTORS)
def test_residues_may_be_as_large_as_a_term_takes_them(factor: int) -> None:
    """Residues below ``most`` are at most ``most`` - 1, which must be below factor·q."""
    program = rows_kernel(ConversionSpec(*FACTORS[factor], load_target("c"))).host_program
    run = Interpreter(program.functions, program.statics, 1)
    for q in (3, 5, 97, 2**31 - 1):
        for most in range(max(1, factor * q - 2 * factor), factor * q + 2 * factor):
            assert run.call("near_enough", most, q) == int(most - 1 < factor * q), (most, q)


@pytest.mark.parametrize("method", ["exact", "fast"])
@pytest.mark.parametrize(("goal", "fits"), [(B, True), (A // 2 + 1 | 1, True), (A // 2 - 4 | 1, False), (97, False)])
def test_a_long_modulus_is_at_most_twice_a_goal(goal: int, fits: bool, method: str) -> None:
    assert served(ConversionSpec(*FACTORS[2], load_target("c"), method), (A, C), (goal,)) == fits


def test_a_plan_refuses_to_divide_by_a_modulus_that_is_too_large() -> None:
    spec = RescaleSpec((B, A), load_target("c"))  # residues below 2·B are taken
    assert served(spec, (B, A)) and not served(spec, (A // 2 - 4 | 1, A))


@pytest.mark.parametrize(("moduli", "goal", "fits"), [
    ((B, C), A, True), ((B, C), A - 1, False), ((B - 1, C), A, False), ((B, C - 1), A, False),
])  # fmt: skip
def test_an_even_modulus_is_not_served_where_products_are_reduced_one_by_one(
    moduli: tuple[int, ...], goal: int, fits: bool
) -> None:
    assert served(ConversionSpec(*FACTORS[1], load_target("c")), moduli, (goal,)) == fits


@pytest.mark.parametrize("target", ["c", "avx2"])
@pytest.mark.parametrize(("moduli", "goals", "exact", "rough"), [
    ((89, 97), (113,), True, True), ((89, 97), (2, 6, 64), True, True), ((88, 97), (113,), False, True),
    ((89, 1), (113,), False, False), ((89, 97), (1,), False, False), ((89, 97), (0,), False, False),
    ((89, 89), (113,), False, False), ((55, 33), (113,), False, False), ((89, 128), (113,), False, False),
    ((89, 127), (128,), False, False), ((3,), (3,), True, True),
])  # fmt: skip
def test_what_sums_serve(
    moduli: tuple[int, ...], goals: tuple[int, ...], exact: bool, rough: bool, target: str
) -> None:
    """Moduli of at most 7 bits without common factors, any goals; an exact conversion needs odd moduli."""
    assert served(ConversionSpec((97, 101), (127,), load_target(target)), moduli, goals) == exact
    assert served(ConversionSpec((97, 101), (127,), load_target(target), "fast"), moduli, goals) == rough


@pytest.mark.parametrize(("moduli", "fits"), [
    ((97, 101), True), ((96, 101), True), ((97, 2), True), ((97, 97), False), ((97, 1), False), ((128, 97), False),
    ((97, 129), False),
])  # fmt: skip
def test_what_a_division_serves(moduli: tuple[int, ...], fits: bool) -> None:
    assert served(RescaleSpec((97, 101), load_target("c")), moduli) == fits
