"""Sums of products modulo p in every format, with factors and constants at their limits, in the interpreter."""

from __future__ import annotations

import struct
from random import Random

import pytest

from momagen.ir import Builder, run
from momagen.kernels.rns.choice import format_of
from momagen.kernels.rns.words import MOST_FACTORS, PartsWithDoubles
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.lower.rns.kernels import rows_kernel
from momagen.lower.rns.sums import LONGEST
from momagen.params.primes import MAX_MODULI
from momagen.program.interpret import Interpreter, Pointer
from momagen.targets import load_target

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
    made = rows_kernel(ConversionSpec((top, top - 2), (top,), load_target(target), "fast"))
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


@pytest.mark.whole
@pytest.mark.parametrize("bits", [51, 57, 60, 62])
def test_quotients_in_doubles_at_the_limits(bits: int) -> None:
    """Sums of as many factors as the format allows, next to multiples of p; there are never so many moduli."""
    form, rng = format_of(load_target("avx2"), bits), Random(bits)
    assert isinstance(form, PartsWithDoubles) and MAX_MODULI < MOST_FACTORS
    b, half = Builder(), form.limb
    known = {"p": b.input("p", 1 << bits - 1, form.top), "i": b.input("i", 0, (1 << 64) - 1)}
    columns = [b.input(f"s{at}", 0, top) for at, top in enumerate(form.full)]
    b.output("z", form.residue(b, columns, known))
    most = MOST_FACTORS * form.parts * form.factor_top * form.top
    least = 1 << bits - 1
    for p in (least, least + 1, form.top, *(rng.randrange(least, form.top) for _ in range(40))):
        inverse = int.from_bytes(struct.pack("<d", (2 ** (bits + 52) // p) * 2.0 ** -(bits + 52)), "little")
        edges = [m * p + d for m in (1, most // p, rng.randrange(most // p)) for d in (-1, 0, 1)]
        for total in (0, most, *edges, *(rng.randrange(most) for _ in range(20))):
            words = (total & (1 << half) - 1, total >> half & (1 << 64 - half) - 1, total >> 64)
            found = run(b.block, {"p": p, "i": inverse} | {f"s{at}": word for at, word in enumerate(words)})
            assert found["z"] == total % p, (p, total)
