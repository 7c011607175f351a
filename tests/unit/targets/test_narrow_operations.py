"""Targets of 16- and 32-bit words: their instructions, or stand-ins for these, compute what operations mean."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

import momagen.rewrite  # noqa: F401 - its tables declare operations of their own
from momagen.ir import OPS
from momagen.runtime import compile_shared, find_compiler, load, missing_features
from momagen.runtime.compiled import stand_ins
from momagen.targets import Target, load_target

pytestmark = pytest.mark.compiles

TARGETS = [f"{vectors}_words{word}" for vectors in ("avx2", "avx512") for word in (16, 32)]
SCALARS = ["c16", "c32"]
COUNT, PARTS = 20, "abcd"
"""Registers of numbers that each operation is tried on, and what its arguments are called."""
DEFINED = ("redc", "redc_signed")
"""Operations that say what holds of their result, not which it is."""
OTHERS = ("perm2", "div")
"""Moves of lanes, and divisions, whose quotients must fit a word; other tests try them."""


class Call(NamedTuple):
    """An operation with its attribute k."""

    op: str
    k: int


def calls(target: Target) -> Iterator[Call]:
    for op in target.ops:
        if op not in (*DEFINED, *OTHERS) and len(OPS[op].results) == 1:
            shifts = (1, 7, target.word - 1) if op in ("shr", "shl", "sar", "sal", "low") else (0,)
            yield from (Call(op, k) for k in shifts)


def spelled(target: Target, op: str, **slots: object) -> str:
    """The operation ``op``, which has one result, of arguments in C."""
    return target.ops[op].results[0].format(**slots)


def read(target: Target, name: str, kind: str) -> str:
    """C that reads register i of the array ``name``: words, or flags of those that are not 0."""
    load = target.moves["load"].format(p=name, i=f"{target.lanes} * i")
    zero = spelled(target, "eq", a=load, b=target.types["const"].format(x=0))
    return f"const {target.types['flag']} x{name} = {spelled(target, 'not', a=f'({zero})')};" if kind == "f" else (
        f"const {target.types['word']} x{name} = {load};"
    )  # fmt: skip


def statements(target: Target, call: Call, at: int) -> str:
    """C that applies the operation to register i of the arrays a to d, and stores what it gives in that of out."""
    op, spelling = OPS[call.op], target.ops[call.op]
    lines = [read(target, name, kind) for name, kind in zip(PARTS, op.args, strict=False)]
    mask = target.types["const"].format(x=(1 << call.k) - 1)
    slots = {**{name: f"x{name}" for name in PARTS}, "k": call.k, "mask": mask, "t": "t"}
    lines.append(spelling.temp.format(**slots))
    for result, kind in zip(spelling.results, op.results, strict=True):
        value = result.format(**slots)
        value = spelled(target, "word", a=f"({value})") if kind == "f" else value
        lines.append(target.moves["store"].format(p="out", i=f"{target.lanes} * i", a=value))
    head = f"MG_SIMD static void call_{at}({', '.join(f'const WORD *{name}' for name in PARTS)}, WORD *out, long i)"
    return "\n    ".join([f"{head}\n{{", *(f"(void){name};" for name in PARTS), *lines]) + "\n}\n"


def program(target: Target, applied: list[Call]) -> str:
    """``run(count, a, b, c, d, out)``: every call on ``count`` registers, call after call."""
    preludes = "\n".join(dict.fromkeys(target.prelude.values()))
    head = f"""
#include <stdint.h>
#include <string.h>
#ifdef MOMAGEN_STANDINS
#include "{target.standins}"
#define MG_SIMD
#define MG_OPAQUE(x)
#else
#include <immintrin.h>
#define MG_SIMD {target.attribute}
#define MG_OPAQUE(x) __asm__("" : "+v"(x))
#endif
typedef uint{target.word}_t WORD;
{preludes}
"""
    functions = "".join(statements(target, call, at) for at, call in enumerate(applied))
    loops = "\n".join(
        f"    for (long i = 0; i < count; i++) call_{at}(a, b, c, d, out, i);\n    out += {target.lanes} * count;"
        for at in range(len(applied))
    )
    arrays = ", ".join(f"const WORD *{name}" for name in PARTS)
    return f"{head}{functions}void run(long count, {arrays}, WORD *out)\n{{\n{loops}\n}}\n"


def outcome(target: Target, applied: list[Call], given: list[list[int]], emulated: bool) -> list[list[int]]:
    """What every call gives, lane after lane."""
    flags, headers = (["-DMOMAGEN_STANDINS"], stand_ins(target, target.features)) if emulated else (target.flags, {})
    name = f"operations_{target.name}"
    text, compiler = program(target, applied), find_compiler()
    built = compile_shared(text, name=name, flags=["-std=c99", "-O1", *flags], includes=headers, compiler=compiler)
    arrays = [np.array(each, f"u{target.word // 8}") for each in given]
    result = np.zeros((len(applied), len(given[0])), arrays[0].dtype)
    places = (ctypes.c_void_p(each.ctypes.data) for each in (*arrays, result))
    load(built).run(ctypes.c_long(len(given[0]) // target.lanes), *places)
    return [[*map(int, row)] for row in result]


def numbers(word: int, count: int, rng: random.Random) -> list[int]:
    """Edge words, small numbers and random ones."""
    top = 1 << word
    edges = [0, 1, 2, top // 2 - 1, top // 2, top // 2 + 1, top - 2, top - 1]
    return [
        rng.choice((rng.choice(edges), rng.randrange(64), rng.randrange(top), rng.randrange(top))) for _ in range(count)
    ]


def ways(target: Target) -> list[bool]:
    """Return whether to emulate vectors: once on every CPU, and once not on a CPU that has the instructions."""
    return [*[True] * (target.lanes > 1), *[False] * (not missing_features(target.features))]


def argument(kind: str, word: int, number: int) -> int:
    """The number that a lane stands for: integers have signs, flags are bits."""
    if kind == "f":
        return int(number != 0)
    return number - (number >> word - 1 << word) if kind == "i" else number


@pytest.mark.parametrize("name", [*TARGETS, *SCALARS])
def test_operations(name: str) -> None:
    target, rng = load_target(name), random.Random(name)
    applied, count = [*calls(target)], COUNT * target.lanes
    given = [numbers(target.word, count, rng) for _ in PARTS]
    given[1] = [x if rng.random() < 0.3 else y for x, y in zip(given[0], given[1], strict=True)]
    for emulated in ways(target):
        for call, found in zip(applied, outcome(target, applied, given, emulated), strict=True):
            op = OPS[call.op]
            for row, got in zip(zip(*given, strict=True), found, strict=True):
                args = [argument(kind, target.word, x) for kind, x in zip(op.args, row, strict=False)]
                (wanted,) = op.meaning(target.word, call.k, *args)
                assert got == wanted % (1 << target.word), (call, args, emulated)


@pytest.mark.parametrize("name", [name for name in TARGETS if set(DEFINED) <= {*load_target(name).ops}])
@pytest.mark.parametrize("bits", [12, 28, 30, 31])
def test_reductions(name: str, bits: int) -> None:
    """t·2^w is y·r modulo q, and t between -q and q; of constants that are one in all lanes, and that differ."""
    target, rng = load_target(name), random.Random(f"{name} {bits}")
    w, count, q = target.word, COUNT * target.lanes, (1 << bits) - rng.randrange(1, 1 << bits - 1, 2)
    y, back = numbers(w, count, rng), pow(q, -1, 1 << w)
    many = [rng.choice((0, 1, q - 1, rng.randrange(q), rng.randrange(q))) for _ in range(count)]
    for apart, r in ((1, many), (0, [many[3]] * count)):
        given = [y, r, [x * back % (1 << w) for x in r], [q] * count]
        applied = [Call(op, apart) for op in DEFINED]
        for emulated in ways(target):
            for call, found in zip(applied, outcome(target, applied, given, emulated), strict=True):
                for a, b, got in zip(y, r, found, strict=True):
                    a = argument(OPS[call.op].args[0], w, a)
                    t = argument("i", w, got)
                    assert -q < t < q and (t * (1 << w) - a * b) % q == 0, (call, a, b, emulated)
