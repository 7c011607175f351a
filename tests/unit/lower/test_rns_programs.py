"""Programs on the rows of a basis as the interpreter runs them, against integers."""

from __future__ import annotations

from math import prod
from random import Random

import pytest

from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec
from momagen.kernels.matrices.spec import ConversionSpec
from momagen.lower.rows import BLOCK, rows_kernel
from momagen.program.interpret import Interpreter, Pointer

MODULI, GOALS = (257, 97, (1 << 31) - 1, 193), (65537, 113, (1 << 30) - 35)


def interpreter(spec: RowsSpec) -> Interpreter:
    made = rows_kernel(spec)
    program = made.host_program
    return Interpreter(program.functions, program.statics, made.writer.target.lanes)


def rows(numbers: list[int], moduli: tuple[int, ...]) -> list[int]:
    return [a % q for q in moduli for a in numbers]


def done(spec: RowsSpec, numbers: list[int]) -> list[int]:
    """The rows of the result, in three parts of which two are empty."""
    run, conversion = interpreter(spec), isinstance(spec, ConversionSpec)
    counts = [len(spec.moduli), *[len(spec.goals)] * conversion]
    kind, bases = ("conversion", [spec.moduli, spec.goals]) if conversion else ("rescale", [spec.moduli])
    tables, t = (
        Pointer([0] * run.call(f"{kind}_{of}", *given)) for of, given in (("words", counts), ("room", counts[:1]))
    )
    assert run.call(f"set_{kind}", tables, *(Pointer([*basis]) for basis in bases), *counts)
    z, n = Pointer([0] * len(spec.goals) * len(numbers)), len(numbers)
    for part in range(3):
        run.call(f"run_{kind}", z, Pointer(rows(numbers, spec.moduli)), tables, t, *counts, n, part, 3)
    return z.words


def near(whole: int) -> list[int]:
    """0, 1, the ends, both sides of the middle, and any."""
    some = Random(whole)
    return [0, 1, whole - 1, *(whole // 2 + i for i in range(-2, 4)), *(some.randrange(whole) for _ in range(4))]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("target", ["c", "avx2"])
def test_conversions_in_any_order_of_moduli(count: int, target: str) -> None:
    moduli = MODULI[:count] if count != 2 else MODULI[1::-1]
    goals = tuple(p for p in GOALS if max(moduli) <= 8 * p) or (GOALS[0],)
    spec, whole = ConversionSpec(moduli, goals, target), prod(moduli)
    numbers = near(whole)
    assert done(spec, numbers) == rows([a - whole * (a > whole // 2) for a in numbers], goals)
    rough, n = done(ConversionSpec(moduli, goals, target, exact=False), numbers), len(numbers)
    for i, a in enumerate(numbers):
        assert rough[i::n] in [rows([a + u * whole], goals) for u in range(count)]


def test_division_by_the_last_modulus() -> None:
    moduli = (257, 97, 193)
    numbers = near(prod(moduli))
    found = done(RescaleSpec(moduli, "c"), numbers)
    assert found == rows([(a + moduli[-1] // 2) // moduli[-1] for a in numbers], moduli[:-1])


@pytest.mark.parametrize("n", [1, BLOCK, BLOCK + 1, 7 * BLOCK - 1])
@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_parts_are_whole_blocks_of_all_columns(n: int, parts: int) -> None:
    run = interpreter(RescaleSpec((257, 97), "c"))
    ends = [run.call("first_column", n, part, parts) for part in range(parts + 1)]
    assert ends[0] == 0 and ends[-1] == n and ends == sorted(ends)
    assert all(end % BLOCK == 0 for end in ends if end != n)
    assert run.call("useful_parts", n, parts) == min(n // BLOCK + 1, parts)


@pytest.mark.parametrize("q", [3, 9, 97, 2**31 - 1, 2**64 - 59])
def test_inverses_and_that_there_are_none(q: int) -> None:
    run = interpreter(RescaleSpec((257, 97), "c"))
    for a in (0, 1, 2, 3, 6, q // 2, q - 1):
        if a < q:
            expected = pow(a, -1, q) if a % 3 or (q % 3 and a) else 0
            assert run.call("inverse_of", a, q) == expected
