"""The verification of kernels on columns: what it accepts and what it rejects, with calls that are wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import pytest

from momagen.kernels.rns.quotients import MARGIN
from momagen.kinds.registry import kind_named
from momagen.verify.columns import COLUMNS, verify_columns
from momagen.verify.report import Report

Rows = list[list[int]]
BASIS, GOALS = (97, 101, 103), (107, 109)
WHOLE = prod(BASIS)


def request(kind: str, **values: object) -> Any:
    return kind_named(kind).resolve({"target": "jax" if kind == "matmul" else "c", **values})


def report(spec: Any, call: Callable[..., Any]) -> Report:
    return verify_columns("kernel", call, spec.kind, spec)


def number(column: tuple[int, ...], moduli: tuple[int, ...] = BASIS) -> int:
    """The number with these residues, found by trial."""
    whole = prod(moduli)
    parts = (x * (whole // q) * pow(whole // q, -1, q) for x, q in zip(column, moduli, strict=True))
    return sum(parts) % whole


def converted(x: Rows, multiple: Callable[[int, int], int] = lambda column, row: 0) -> Rows:
    """The residues modulo GOALS of numbers from 0 to Q - 1, plus multiples of Q by column and row."""
    numbers = [number(column) for column in zip(*x, strict=True)]
    return [[(a + WHOLE * multiple(j, i)) % p for j, a in enumerate(numbers)] for i, p in enumerate(GOALS)]


CONVERT = {"moduli": BASIS, "to": GOALS, "method": "fast"}


@pytest.mark.parametrize("u", range(len(BASIS)))
def test_a_fast_conversion_may_add_a_multiple_that_all_rows_share(u: int) -> None:
    found = report(request("convert", **CONVERT), lambda x: converted(x, lambda j, i: u))
    assert found and found.vectors == COLUMNS and found.moduli == BASIS + GOALS


def test_multiples_that_differ_between_rows_or_are_too_large_are_rejected() -> None:
    spec = request("convert", **CONVERT)
    assert not report(spec, lambda x: converted(x, lambda j, i: i))
    assert not report(spec, lambda x: converted(x, lambda j, i: len(BASIS)))
    assert not report(request("convert", moduli=BASIS, to=GOALS, positive=True), lambda x: converted(x, lambda j, i: 1))


def test_only_columns_without_a_guarantee_may_be_wrong() -> None:
    """With long moduli, the corrected method misses the numbers next to ±Q/2, and those alone."""
    moduli = (2**50 - 27, 2**50 - 35)
    whole = prod(moduli)
    spec = request("convert", moduli=moduli, to=(97,), method="corrected")

    def call(x: Rows, margin: int) -> Rows:
        numbers = [number(column, moduli) for column in zip(*x, strict=True)]
        return [[(a - whole * (2 * a > whole) + whole * (abs(2 * a - whole) < margin)) % 97 for a in numbers]]

    assert report(spec, lambda x: call(x, whole >> MARGIN))
    assert not report(spec, lambda x: call(x, whole >> MARGIN - 2))


def test_scaled_conversions_are_rounded_to_the_nearest_integer() -> None:
    spec, scale = request("convert", moduli=BASIS, to=GOALS, scaled=True), prod(GOALS)

    def call(x: Rows, add: int) -> Rows:
        numbers = [number(column) for column in zip(*x, strict=True)]
        return [[(2 * scale * a + add) // (2 * WHOLE) % p for a in numbers] for p in GOALS]

    assert report(spec, lambda x: call(x, WHOLE))
    assert not report(spec, lambda x: call(x, WHOLE - 2)) and not report(spec, lambda x: call(x, 0))


@pytest.mark.parametrize("add", [0, 51, 52])
def test_rounding_of_a_rescaling(add: int) -> None:
    def call(x: Rows) -> Rows:
        return [[(number(column) + add) // 103 % q for column in zip(*x, strict=True)] for q in BASIS[:-1]]

    assert bool(report(request("rescale", moduli=BASIS), call)) == (add == 103 // 2)


@pytest.mark.parametrize("method", ["exact", "corrected", "fast"])
def test_representatives_of_a_division_by_two_moduli(method: str) -> None:
    spec, divisor = request("moddown", moduli=BASIS, drop=2, method=method, plaintext_modulus=5), 101 * 103

    def call(x: Rows, u: int, half: int) -> Rows:
        numbers = [number(column) for column in zip(*x, strict=True)]
        rests = [a * pow(5, -1, divisor) % divisor for a in numbers]
        return [[(a - 5 * (r + u * divisor - divisor * (r > half))) // divisor % 97
                 for a, r in zip(numbers, rests, strict=True)]]  # fmt: skip

    is_fast = method == "fast"
    assert report(spec, lambda x: call(x, 0, divisor if is_fast else divisor // 2))
    assert bool(report(spec, lambda x: call(x, 1, divisor))) == is_fast
    assert not report(spec, lambda x: call(x, 2, divisor))
    assert not report(spec, lambda x: call(x, 0, divisor // 2 - 1)) or is_fast


@pytest.mark.parametrize("permutes", [True, False])
def test_a_permutation_moves_digits_and_not_keys(permutes: bool) -> None:
    spec = request("keyswitch", moduli=BASIS, digits=2, outputs=1, input_factor=2)

    def call(d: list[Rows], k: list[list[Rows]], order: list[int] | None = None) -> list[Rows]:
        count = len(k[0][0][0])
        at = order if order and permutes else range(count)
        return [[[sum(d[j][i][at[c]] * k[j][0][i][c] for j in range(2)) % q for c in range(count)]
                 for i, q in enumerate(BASIS)]]  # fmt: skip

    found = report(spec, call)
    assert bool(found) == permutes and found.vectors == 2 * COLUMNS
    assert permutes or "permuted" in str(found)


@pytest.mark.parametrize(("at", "column"), [(0, 0), (1, COLUMNS - 1)])
def test_one_wrong_residue_of_a_product_is_found(at: int, column: int) -> None:
    matrix = [[3, 5, 7], [2, 96, 11]]
    spec = request("matmul", modulus=97, matrix=matrix)

    def call(x: Rows, add: int) -> Rows:
        rows = [[sum(a * b for a, b in zip(row, each, strict=True)) for each in zip(*x, strict=True)] for row in matrix]
        rows[at][column] += add
        return [[value % 97 for value in row] for row in rows]

    assert report(spec, lambda x: call(x, 0))
    found = report(spec, lambda x: call(x, 1))
    assert f"column {column}, output {at}" in str(found)
