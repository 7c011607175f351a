"""Sums of products modulo p in every format, with factors and constants at their limits, in the interpreter."""

from __future__ import annotations

import struct
from random import Random

import pytest

from momagen.kernels.matrices.spec import ConversionSpec
from momagen.kernels.rns.choice import format_of
from momagen.lower.rns.kernels import rows_kernel
from momagen.lower.rns.sums import LONGEST
from momagen.program.interpret import Interpreter, Pointer

TARGETS = ("c", "c64", "avx2", "avx512", "avx512ifma", "mqx", "cuda")
BITS = (8, 13, 20, 28, 29, 30, 31, 32, 44, 49, 50, 51, 52, 60, 61, 62)


def words_of(y: int, form: object, parts: int, part: int, real: bool) -> list[int]:
    """The words of a factor, one for each part."""
    if real:
        return list(struct.unpack("<Q", struct.pack("<d", float(y))))
    return [y & (1 << part) - 1, y >> part][:parts] if parts > 1 else [y]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("target", TARGETS)
def test_longest_sums_at_the_limits(target: str, bits: int) -> None:
    check_longest_sums(target, bits)


@pytest.mark.whole
@pytest.mark.parametrize("bits", [60, 62])
def test_longest_sums_by_columns(bits: int) -> None:
    """Columns hold few products there, and carry."""
    check_longest_sums("avx2", bits)


def check_longest_sums(target: str, bits: int) -> None:
    """65 products of the largest factors by the largest constants, by constants next to p/2, and random products."""
    top = (1 << bits) - 1
    made = rows_kernel(ConversionSpec((top, top - 2), (top,), target, "fast"))
    form, program = format_of(made.writer.target, bits), made.host_program
    lanes = made.writer.target.lanes
    run, rng = Interpreter(program.functions, program.statics, lanes), Random(bits)
    goals, group = len(form.of_goal) + 1, 4 * lanes
    for p in (top, 1 << bits - 1, 3):
        goal = Pointer([0] * (goals + LONGEST * form.parts * form.limbs))
        c = goal.moved(goals)
        run.call("put_goal", goal, p)
        kinds = [[p - 1] * LONGEST, [p // 2] * LONGEST, [rng.randrange(p) for _ in range(LONGEST)]]
        for constants in kinds:
            for at in range(LONGEST):
                run.call("put_factor", c.moved(at * form.parts * form.limbs), constants[at], p, goal)
            columns = [[top - 1] * LONGEST, [0] * LONGEST, [top - 1 - at for at in range(LONGEST)]]
            columns = [[max(y, 0) for y in column] for column in columns]
            columns += [[rng.randrange(top) for _ in range(LONGEST)] for _ in range(group - 3)]
            y = Pointer([0] * LONGEST * form.parts * group)
            for j, column in enumerate(columns):
                for i, value in enumerate(column):
                    for part, word in enumerate(words_of(value, form, form.parts, form.part, form.real)):
                        y.words[(i * form.parts + part) * group + j] = word
            z = Pointer([0] * group)
            run.call("sum_products", z, y, goal, LONGEST, group, 1)
            assert z.words == [sum(map(int.__mul__, column, constants)) % p for column in columns], (p, constants[:2])
