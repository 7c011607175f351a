"""Stand-ins on lanes of 16 and 32 bits against their definitions on integers, and against the processor's own."""

from __future__ import annotations

import ctypes
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from momagen.data import folder
from momagen.runtime import Compiler, compile_shared, find_compiler, list_compilers, load, missing_features
from momagen.runtime.compiler import run

pytestmark = pytest.mark.compiles

HEADER = folder("templates") / "standins" / "narrow.h"
FEATURES = {256: ["avx2"], 512: ["avx512f", "avx512bw", "avx512ifma"]}
"""What each length of registers needs."""
Lanes = list[int]


class Inputs(NamedTuple):
    """Three registers as lanes of 32 bits, and a mask; the C cases see them under the same names."""

    a: Lanes
    b: Lanes
    c: Lanes
    k: int


class Case(NamedTuple):
    """A C statement that sets r, a register of ``bits`` bits, or m, a mask; and its lanes of 32 bits, or [m]."""

    bits: int
    code: str
    meaning: Callable[[Inputs], Lanes]


def signed(x: int, bits: int) -> int:
    x %= 1 << bits
    return x - (x >> bits - 1 << bits)


def view(lanes: Sequence[int], old: int, new: int) -> Lanes:
    """Lanes of ``old`` bits as such of ``new``."""
    whole = sum(x % (1 << old) << old * i for i, x in enumerate(lanes))
    return [whole >> at & (1 << new) - 1 for at in range(0, old * len(lanes), new)]


# name, bits of a lane, vectors, immediates (none: ()), a lane's new word modulo 2^bits
LANES: tuple[tuple[str, int, str, Sequence[int], Callable[..., int]], ...] = (
    ("add_epi64", 64, "ab", (), lambda x, y: x + y),
    ("sub_epi64", 64, "ab", (), lambda x, y: x - y),
    ("mul_epu32", 64, "ab", (), lambda x, y: x % 2**32 * (y % 2**32)),
    ("mul_epi32", 64, "ab", (), lambda x, y: signed(x, 32) * signed(y, 32)),
    ("add_epi32", 32, "ab", (), lambda x, y: x + y),
    ("sub_epi32", 32, "ab", (), lambda x, y: x - y),
    ("mullo_epi32", 32, "ab", (), lambda x, y: x * y),
    ("min_epu32", 32, "ab", (), min),
    ("max_epu32", 32, "ab", (), max),
    ("add_epi16", 16, "ab", (), lambda x, y: x + y),
    ("sub_epi16", 16, "ab", (), lambda x, y: x - y),
    ("mullo_epi16", 16, "ab", (), lambda x, y: x * y),
    ("mulhi_epu16", 16, "ab", (), lambda x, y: x * y >> 16),
    ("mulhi_epi16", 16, "ab", (), lambda x, y: signed(x, 16) * signed(y, 16) >> 16),
    ("mulhrs_epi16", 16, "ab", (), lambda x, y: (signed(x, 16) * signed(y, 16) >> 14) + 1 >> 1),
    ("min_epu16", 16, "ab", (), min),
    ("max_epu16", 16, "ab", (), max),
    ("srli_epi64", 64, "a", (0, 1, 31, 32, 63), lambda x, n: x >> n),
    ("slli_epi64", 64, "a", (0, 1, 31, 32, 63), lambda x, n: x << n),
    *((f"{name}_epi{bits}", bits, "a", (0, 1, 7, bits - 1), f) for bits in (16, 32) for name, f in (
        ("srli", lambda x, n: x >> n), ("slli", lambda x, n: x << n),
        ("srai", lambda x, n, bits=bits: signed(x, bits) >> n))),
)  # fmt: skip
OF_256: tuple[tuple[str, int, str, Sequence[int], Callable[..., int]], ...] = (
    ("and_si256", 32, "ab", (), lambda x, y: x & y),
    ("or_si256", 32, "ab", (), lambda x, y: x | y),
    ("xor_si256", 32, "ab", (), lambda x, y: x ^ y),
    ("cmpgt_epi32", 32, "ab", (), lambda x, y: -(signed(x, 32) > signed(y, 32))),
    ("cmpeq_epi32", 32, "ab", (), lambda x, y: -(x == y)),
    ("cmpgt_epi16", 16, "ab", (), lambda x, y: -(signed(x, 16) > signed(y, 16))),
    ("cmpeq_epi16", 16, "ab", (), lambda x, y: -(x == y)),
    ("blendv_epi8", 8, "abc", (), lambda x, y, z: y if z >> 7 else x),
)
COMPARED: tuple[tuple[str, Callable[[int, int], bool]], ...] = (
    ("lt_epu", lambda x, y: x < y), ("le_epu", lambda x, y: x <= y), ("eq_epi", lambda x, y: x == y),
)  # fmt: skip


def pairs(a: Lanes, b: Lanes, high: bool, wide: int) -> Lanes:
    """Of each four lanes of both the low or high half in turns, ``wide`` lanes together."""
    taken = [(x[at + 2 * high + i : at + 2 * high + i + wide]) for at in range(0, len(a), 4) for i in range(0, 2, wide)
             for x in (a, b)]  # fmt: skip
    return [lane for part in taken for lane in part]


def blend(n: int, no: Lanes, yes: Lanes) -> Lanes:
    """Lanes of ``yes`` where n has a bit, else of ``no``."""
    return [y if n >> i & 1 else x for i, (x, y) in enumerate(zip(no, yes, strict=True))]


def halves(v: Inputs, n: int) -> Lanes:
    """The halves that the fields of permute2x128's immediate name; zero for a field with its bit 3 set."""
    four = [v.a[:4], v.a[4:8], v.b[:4], v.b[4:8]]
    return [lane for at in (0, 4) for lane in ([0] * 4 if n >> at & 8 else four[n >> at & 3])]


def shuffled(a: Lanes, n: int) -> Lanes:
    """Of each four lanes those that the fields of shuffle_epi32's immediate name."""
    return [a[i // 4 * 4 + (n >> i % 4 * 2 & 3)] for i in range(len(a))]


def of_both(bits: int) -> Iterator[tuple[str, Callable[[Inputs], Lanes]]]:
    many = bits // 32
    yield "set1_epi32((int)words[3])", lambda v: v.a[3:4] * many
    yield "set1_epi16((short)words[3])", lambda v: [v.a[3] % 2**16 * 0x10001] * many
    for high, end in ((False, "lo"), (True, "hi")):
        for wide, name in ((1, "epi32"), (2, "epi64")):
            yield f"unpack{end}_{name}(a, b)", lambda v, high=high, wide=wide: pairs(  # type: ignore[misc]
                v.a[:many], v.b[:many], high, wide)  # fmt: skip


A_PS, B_PS = "_mm256_castsi256_ps(a)", "_mm256_castsi256_ps(b)"
SHORT = ", ".join(f"(short)words[{i}]" for i in range(16))
MOVES_256: tuple[tuple[str, Callable[[Inputs], Lanes]], ...] = (
    ("_mm256_setzero_si256()", lambda v: [0] * 8),
    ("_mm256_loadu_si256((const __m256i *)(words + 3))", lambda v: v.a[3:11]),
    (f"_mm256_setr_epi32({', '.join(f'(int)words[{i}]' for i in range(8))})", lambda v: v.a[:8]),
    (f"_mm256_setr_epi16({SHORT})", lambda v: view([x % 2**16 for x in v.a], 16, 32)),
    (f"_mm256_castps_si256(_mm256_movehdup_ps({A_PS}))", lambda v: [v.a[i | 1] for i in range(8)]),
    ("_mm256_permutevar8x32_epi32(a, b)", lambda v: [v.a[x % 8] for x in v.b[:8]]),
    *((f"_mm256_blend_epi32(a, b, {n})", lambda v, n=n: blend(n, v.a[:8], v.b[:8])) for n in (0, 0xAA, 0x0F, 0xB1)),
    *((f"_mm256_blend_epi16(a, b, {n})", lambda v, n=n: view(
        blend(n * 257, view(v.a[:8], 32, 16), view(v.b[:8], 32, 16)), 16, 32)) for n in (0, 0xAA, 0x0F, 0xB1)),
    *((f"_mm256_shuffle_epi32(a, {n})", lambda v, n=n: shuffled(v.a[:8], n)) for n in (0, 0xB1, 0xD8, 0x1B)),
    *((f"_mm256_castps_si256(_mm256_shuffle_ps({A_PS}, {B_PS}, {n}))",
       lambda v, n=n: [(shuffled(v.b[:8], n) if i & 2 else shuffled(v.a[:8], n))[i] for i in range(8)])
      for n in (0x88, 0xDD, 0x1B)),
    *((f"_mm256_permute2x128_si256(a, b, {n})", lambda v, n=n: halves(v, n)) for n in (0x20, 0x31, 0x03, 0x81, 0x08)),
    *((f"_mm256_permute4x64_epi64(a, {n})", lambda v, n=n: view(
        [view(v.a[:8], 32, 64)[n >> 2 * i & 3] for i in range(4)], 64, 32)) for n in (0xD8, 0x4E, 0x1B)),
)  # fmt: skip
MASKED: tuple[tuple[str, int, Callable[[int, int], int]], ...] = (
    ("add", 32, lambda x, y: x + y), ("sub", 32, lambda x, y: x - y),
    ("add", 16, lambda x, y: x + y), ("sub", 16, lambda x, y: x - y),
)  # fmt: skip


def of_512() -> Iterator[tuple[str, Callable[[Inputs], Lanes]]]:
    yield "_mm512_and_si512(a, b)", lambda v: [x & y for x, y in zip(v.a, v.b, strict=True)]
    yield "_mm512_setzero_si512()", lambda v: [0] * 16
    yield "_mm512_loadu_si512(words + 3)", lambda v: v.a[3:] + v.b[:3]
    yield f"_mm512_setr_epi32({', '.join(f'(int)words[{i}]' for i in range(16))})", lambda v: v.a
    yield "_mm512_permutex2var_epi32(a, b, c)", lambda v: [(v.a + v.c)[x % 32] for x in v.b]
    yield "_mm512_permutex2var_epi16(a, b, c)", lambda v: view(
        [(view(v.a, 32, 16) + view(v.c, 32, 16))[x % 64] for x in view(v.b, 32, 16)], 16, 32)  # fmt: skip
    yield "_mm512_permutex2var_epi64(a, b, c)", lambda v: view(
        [(view(v.a, 32, 64) + view(v.c, 32, 64))[x % 16] for x in view(v.b, 32, 64)], 64, 32)  # fmt: skip
    for n in (0, 0x4E, 0x88, 0xDD, 0xB1, 0xFF):
        yield f"_mm512_shuffle_i64x2(a, b, {n})", lambda v, n=n: [  # type: ignore[misc]
            x for s in range(4) for x in (v.a, v.b)[s // 2][4 * (n >> 2 * s & 3) :][:4]
        ]
    yield "_mm512_set1_epi64((long long)words[3] << 32 | words[4])", lambda v: [v.a[4], v.a[3]] * 8
    yield "_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, (long long)words[3])", lambda v: view([*range(7), v.a[3]], 64, 32)
    yield "_mm512_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(words + 3)))", lambda v: v.a[3:5] * 8
    yield "_mm512_cvtepu32_epi64(_mm512_castsi512_si256(a))", lambda v: view(v.a[:8], 64, 32)
    yield "_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(a, 1))", lambda v: view(v.a[8:], 64, 32)
    for half, at in (("lo", 0), ("hi", 52)):
        yield f"_mm512_madd52{half}_epu64(a, b, c)", lambda v, at=at: view(  # type: ignore[misc]
            [x + (y % 2**52 * (z % 2**52) >> at) % 2**52
             for x, y, z in zip(*(view(lanes, 32, 64) for lanes in v[:3]), strict=True)], 64, 32)  # fmt: skip
    yield "_mm512_maskz_set1_epi32((__mmask16)k, 7)", lambda v: blend(v.k, [0] * 16, [7] * 16)
    yield "_mm512_maskz_set1_epi16((__mmask32)k, 7)", lambda v: view(blend(v.k, [0] * 32, [7] * 32), 16, 32)
    for n in (0xB1, 0xF5):
        yield f"_mm512_mask_shuffle_epi32(c, (__mmask16)k, a, {n})", lambda v, n=n: blend(v.k, v.c, shuffled(v.a, n))  # type: ignore[misc]
    for bits in (16, 32):
        name = f"_mm512_mask_blend_epi{bits}((__mmask{512 // bits})k, a, b)"
        yield name, lambda v, bits=bits: view(blend(v.k, view(v.a, 32, bits), view(v.b, 32, bits)), bits, 32)  # type: ignore[misc]
    for op, bits, f in MASKED:
        yield f"_mm512_mask_{op}_epi{bits}(c, (__mmask{512 // bits})k, a, b)", lambda v, bits=bits, f=f: view(  # type: ignore[misc]
            blend(v.k, view(v.c, 32, bits), [*map(f, view(v.a, 32, bits), view(v.b, 32, bits))]), bits, 32)  # fmt: skip


def on_lanes(bits: int, row: tuple[str, int, str, Sequence[int], Callable[..., int]]) -> Iterator[Case]:
    name, lane, vectors, immediates, f = row

    def made(v: Inputs, more: tuple[int, ...]) -> Lanes:
        rows = [view(getattr(v, x)[: bits // 32], 32, lane) for x in vectors]
        return view([f(*each, *more) for each in zip(*rows, strict=True)], lane, 32)

    for more in [(n,) for n in immediates] or [()]:
        code = f"r = _mm{bits}_{name}({', '.join([*vectors, *map(str, more)])})"
        yield Case(bits, code, lambda v, more=more: made(v, more))  # type: ignore[misc]


def masks(bits: int) -> Iterator[Case]:
    """Comparisons of lanes of ``bits`` bits."""

    def mask(v: Inputs, holds: Callable[[int, int], bool]) -> Lanes:
        return [
            sum(holds(*each) << i for i, each in enumerate(zip(view(v.a, 32, bits), view(v.b, 32, bits), strict=True)))
        ]

    for name, holds in (*COMPARED, ("lt_epi", lambda x, y: signed(x, bits) < signed(y, bits))):
        code = f"m = _mm512_cmp{name}{bits}_mask(a, b)"
        yield Case(512, code, lambda v, holds=holds: mask(v, holds))  # type: ignore[misc]


def cases() -> Iterator[Case]:
    for bits in FEATURES:
        for row in LANES:
            yield from on_lanes(bits, row)
        yield from (Case(bits, f"r = _mm{bits}_{code}", meaning) for code, meaning in of_both(bits))
    for row in OF_256:
        yield from on_lanes(256, row)
    yield from (Case(256, f"r = {code}", meaning) for code, meaning in MOVES_256)
    yield from (Case(512, f"r = {code}", meaning) for code, meaning in of_512())
    yield from (*masks(32), *masks(16))


CASES = [*cases()]
HEAD = """
#include <stdint.h>
#include <string.h>
#ifdef MOMAGEN_STANDINS
#include "narrow.h"
#else
#include <immintrin.h>
#endif
"""
STORE = {256: "_mm256_storeu_si256((__m256i *)(out + 1), r)", 512: "_mm512_storeu_si512(out + 1, r)"}
LOAD = {256: "_mm256_loadu_si256((const __m256i *)(words + {}))", 512: "_mm512_loadu_si512(words + {})"}
CASE = """
static void case_%d(const uint32_t *words, uint32_t *out) {
  __m%di a = %s, b = %s, c = %s, r = a;
  const uint32_t k = words[48];
  uint32_t m = 0;
  (void)b, (void)c, (void)k;
  %s;
  out[0] = m;
  %s;
}
"""
ROOM = 17
"""Words of each result: a mask, and a register."""


def of(bits: int) -> list[Case]:
    return [case for case in CASES if case.bits == bits]


def program(bits: int) -> str:
    """C text whose ``run_all(count, in, out)`` runs each case on each input of 49 words."""
    loads = [LOAD[bits].format(at) for at in (0, 16, 32)]
    functions = [CASE % (i, bits, *loads, case.code, STORE[bits]) for i, case in enumerate(of(bits))]
    calls = " ".join(f"case_{i}(in, out); out += {ROOM};" for i in range(len(functions)))
    run_all = "void run_all(long count, const uint32_t *in, uint32_t *out) { for (; count--; in += 49) { %s } }"
    return HEAD + "".join(functions) + run_all % calls


@cache
def inputs(count: int = 60) -> list[Inputs]:
    """Edge lanes, small numbers and random lanes mixed; b repeats lanes of a, so that comparisons see equality."""
    rng = random.Random(3)
    shorts = [0, 1, 2, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF]
    edges = [x | y << 16 for x in shorts for y in shorts]
    pools: list[Sequence[int]] = [edges, range(70), [rng.getrandbits(32) for _ in range(1000)]]
    found = []
    for _ in range(count):
        a, b, c = ([rng.choice(rng.choice(pools)) for _ in range(16)] for _ in range(3))
        b = [rng.choice((y, y, x, x ^ (y & 0xFFFF0000), x ^ (y & 0xFFFF))) for x, y in zip(a, b, strict=True)]
        found.append(Inputs(a, b, c, rng.choice((0, 2**32 - 1, rng.getrandbits(32), rng.getrandbits(32)))))
    return found


def wrong(bits: int, flags: list[str], compiler: Compiler) -> list[str]:
    """The cases whose compiled result is not their meaning."""
    headers, flags = {"narrow.h": HEADER.read_text(encoding="utf-8")}, ["-std=c99", "-O1", *flags]
    name = f"standins_narrow{bits}"
    library = load(compile_shared(program(bits), name=name, flags=flags, includes=headers, compiler=compiler))
    given = np.array([[*v.a, *v.b, *v.c, v.k] for v in inputs()], np.uint32)
    result = np.zeros((len(inputs()), len(of(bits)), ROOM), np.uint32)
    library.run_all(ctypes.c_long(len(inputs())), *(ctypes.c_void_p(array.ctypes.data) for array in (given, result)))
    found = []
    for v, rows in zip(inputs(), result.tolist(), strict=True):
        for case, row in zip(of(bits), rows, strict=True):
            got = row[:1] if case.code.startswith("m =") else row[1 : 1 + bits // 32]
            if got != [x % 2**32 for x in case.meaning(v)]:
                found.append(case.code)
    return sorted({*found})


@pytest.mark.parametrize("bits", FEATURES)
@pytest.mark.parametrize("compiler", list_compilers(), ids=lambda compiler: " ".join(compiler.command[-2:]))
def test_standins_are_their_definitions(compiler: Compiler, bits: int) -> None:
    assert wrong(bits, ["-DMOMAGEN_STANDINS"], compiler) == []


@pytest.mark.parametrize("bits", FEATURES)
def test_the_instructions_are_the_definitions(bits: int) -> None:
    if missing := missing_features(FEATURES[bits]):
        pytest.skip(f"this processor has no {', '.join(missing)}")
    assert wrong(bits, [f"-m{name}" for name in FEATURES[bits]], find_compiler()) == []


def test_every_standin_is_tested() -> None:
    text = run([*find_compiler().command, "-E", str(HEADER)]).stdout
    defined = set(re.findall(r"noinline, unused\)\)\s+(?:\w+\s+)+?(_\w+)\s*\(", text))
    assert len(defined) > 90
    assert defined - set(re.findall(r"\b_\w+(?=\()", program(256) + program(512))) == set()
