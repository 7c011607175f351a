"""The AVX-512 stand-ins against their definitions on Python integers, and against the processor's own instructions."""

from __future__ import annotations

import ctypes
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from support.doubles import (
    DEFAULT_CSR,
    KEPT,
    SET,
    minus,
    multiply_add,
    multiply_subtract,
    plus,
    subtract_product,
    times,
)
from support.doubles import bits as bits_of_double

from momagen.data import folder
from momagen.runtime import Compiler, compile_shared, find_compiler, list_compilers, load, missing_features
from momagen.runtime.compiler import run

pytestmark = pytest.mark.compiles

HEADER = folder("templates") / "standins" / "avx512.h"
W, LOW52 = 2**64, 2**52 - 1
Words = list[int]
Array = npt.NDArray[np.uint64]


class Inputs(NamedTuple):
    """Three vectors, sixteen words of memory, two masks; the C cases see them under the same names."""

    a: Words
    b: Words
    c: Words
    m: Words
    k: int
    j: int


Meaning = Callable[[Inputs], Words]


@dataclass(frozen=True)
class Case:
    """One C statement that writes to ``out``, and the first words of ``out`` after it (the rest stay as in m)."""

    code: str
    meaning: Meaning


def signed(x: int, bits: int = 64) -> int:
    x %= 2**bits
    return x - 2**bits if x >> bits - 1 else x


def rotate(x: int, n: int) -> int:
    return x << n % 64 | x >> 64 - n % 64


def shld(x: int, y: int, n: int) -> int:
    return (x * W + y << n % 64) // W


def shrd(x: int, y: int, n: int) -> int:
    return x + y * W >> n % 64


def ternary(x: int, y: int, z: int, table: int) -> int:
    rows = (4 * (x >> i & 1) + 2 * (y >> i & 1) + (z >> i & 1) for i in range(64))
    return sum((table >> row & 1) << i for i, row in enumerate(rows))


COUNTS = (0, 1, 52, 63, 64, 100, 255)
TABLES = (0x00, 0x01, 0x96, 0xE8, 0xCA, 0x1D, 0x80, 0xFF)
# name, its vectors, its immediates (none: ()), the lane's new word from the vectors' words and the immediate, mod 2^64
LANES: tuple[tuple[str, str, Sequence[int], Callable[..., int]], ...] = (
    ("add_epi64", "ab", (), lambda x, y: x + y),
    ("sub_epi64", "ab", (), lambda x, y: x - y),
    ("and_epi64", "ab", (), lambda x, y: x & y),
    ("andnot_epi64", "ab", (), lambda x, y: ~x & y),
    ("or_epi64", "ab", (), lambda x, y: x | y),
    ("xor_epi64", "ab", (), lambda x, y: x ^ y),
    ("min_epu64", "ab", (), min),
    ("max_epu64", "ab", (), max),
    ("min_epi64", "ab", (), lambda x, y: min(signed(x), signed(y))),
    ("max_epi64", "ab", (), lambda x, y: max(signed(x), signed(y))),
    ("mul_epu32", "ab", (), lambda x, y: x % 2**32 * (y % 2**32)),
    ("mul_epi32", "ab", (), lambda x, y: signed(x, 32) * signed(y, 32)),
    ("mullo_epi64", "ab", (), lambda x, y: x * y),
    ("madd52lo_epu64", "abc", (), lambda x, y, z: x + ((y & LOW52) * (z & LOW52) & LOW52)),
    ("madd52hi_epu64", "abc", (), lambda x, y, z: x + ((y & LOW52) * (z & LOW52) >> 52)),
    ("sllv_epi64", "ab", (), lambda x, y: x << min(y, 64)),
    ("srlv_epi64", "ab", (), lambda x, y: x >> min(y, 64)),
    ("srav_epi64", "ab", (), lambda x, y: signed(x) >> min(y, 64)),
    ("rolv_epi64", "ab", (), rotate),
    ("rorv_epi64", "ab", (), lambda x, y: rotate(x, -y)),
    ("shldv_epi64", "abc", (), shld),
    ("shrdv_epi64", "abc", (), shrd),
    ("slli_epi64", "a", COUNTS, lambda x, n: x << n),
    ("srli_epi64", "a", COUNTS, lambda x, n: x >> n),
    ("srai_epi64", "a", COUNTS, lambda x, n: signed(x) >> n),
    ("rol_epi64", "a", COUNTS, rotate),
    ("ror_epi64", "a", COUNTS, lambda x, n: rotate(x, -n)),
    ("shldi_epi64", "ab", COUNTS, shld),
    ("shrdi_epi64", "ab", COUNTS, shrd),
    ("ternarylogic_epi64", "abc", TABLES, ternary),
)
# the same for intrinsics that move whole words: from the immediate and the inputs to the new vector
MOVES: tuple[tuple[str, str, Sequence[int], Callable[[int, Inputs], Words]], ...] = (
    ("unpacklo_epi64", "ab", (), lambda n, v: [vector[i] for i in (0, 2, 4, 6) for vector in (v.a, v.b)]),
    ("unpackhi_epi64", "ab", (), lambda n, v: [vector[i] for i in (1, 3, 5, 7) for vector in (v.a, v.b)]),
    ("permutexvar_epi64", "ab", (), lambda n, v: [v.b[x % 8] for x in v.a]),
    ("permutex2var_epi64", "abc", (), lambda n, v: [(v.a + v.c)[x % 16] for x in v.b]),
    ("alignr_epi64", "ab", (*range(8), 10), lambda n, v: (v.b + v.a)[n % 8 : n % 8 + 8]),
    (
        "shuffle_i64x2",  # the result's lanes 2s and 2s + 1 are one of four pairs: of a for s < 2, else of b
        "ab",
        (0, 0x4E, 0x88, 0xDD, 0xB1, 0xFF),
        lambda n, v: [(v.a, v.b)[s // 2][2 * (n >> 2 * s & 3) + half] for s in range(4) for half in (0, 1)],
    ),
    (
        "permutex_epi64",
        "a",
        (0, 0x4E, 0xB1, 0x1B, 0xE4),
        lambda n, v: [v.a[at + (n >> 2 * i & 3)] for at in (0, 4) for i in range(4)],
    ),
)
MERGE_INTO_FIRST = ("madd52", "shldv", "shrdv", "ternarylogic", "permutex2var")  # no parameter src of their own
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda x, y: x == y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "neq": lambda x, y: x != y,
    "ge": lambda x, y: x >= y,
    "gt": lambda x, y: x > y,
    "never": lambda x, y: False,
    "always": lambda x, y: True,
}
PREDICATES = (
    "eq",
    "lt",
    "le",
    "never",
    "neq",
    "ge",
    "gt",
    "always",
)  # in the order of the numbers of _mm512_cmp_…_mask
MASKS: tuple[tuple[str, Callable[[Inputs], int]], ...] = (
    ("_kand_mask8(k, j)", lambda v: v.k & v.j),
    ("_kandn_mask8(k, j)", lambda v: ~v.k & v.j),
    ("_kor_mask8(k, j)", lambda v: v.k | v.j),
    ("_kxor_mask8(k, j)", lambda v: v.k ^ v.j),
    ("_kxnor_mask8(k, j)", lambda v: ~(v.k ^ v.j)),
    ("_kadd_mask8(k, j)", lambda v: v.k + v.j),
    ("_kortestz_mask8_u8(k, j)", lambda v: v.k | v.j == 0),
    ("_kortestc_mask8_u8(k, j)", lambda v: v.k | v.j == 255),
    ("_knot_mask8(k)", lambda v: ~v.k),
    ("_kshiftli_mask8(k, 3)", lambda v: v.k << 3),
    ("_kshiftli_mask8(k, 8)", lambda v: 0),
    ("_kshiftri_mask8(k, 3)", lambda v: v.k >> 3),
    ("_kshiftri_mask8(k, 200)", lambda v: 0),
    ("_cvtmask8_u32(k)", lambda v: v.k),
    ("_cvtu32_mask8((unsigned)words[0])", lambda v: v.a[0]),
    ("_mm512_movepi64_mask(a)", lambda v: bits(x >= W // 2 for x in v.a)),
)
UP, DOWN = (", ".join(f"(long long)words[{i}]" for i in order) for order in (range(8), range(7, -1, -1)))
HALF = "_mm512_castsi512_si256(a)"
THIRTY_SECOND = "_mm512_castsi512_pd(_mm512_set1_epi64(0x3FA0000000000000))"
VECTORS: tuple[tuple[str, Meaning], ...] = (
    (f"_mm512_setr_epi64({UP})", lambda v: v.a),
    (f"_mm512_set_epi64({DOWN})", lambda v: v.a),
    ("_mm512_set1_epi64((long long)words[3])", lambda v: v.a[3:4] * 8),
    ("_mm512_mask_set1_epi64(c, k, (long long)words[3])", lambda v: blend(v.k, v.c, v.a[3:4] * 8)),
    ("_mm512_maskz_set1_epi64(k, (long long)words[3])", lambda v: blend(v.k, [0] * 8, v.a[3:4] * 8)),
    ("_mm512_setzero_si512()", lambda v: [0] * 8),
    ("_mm512_movm_epi64(k)", lambda v: blend(v.k, [0] * 8, [W - 1] * 8)),
    ("_mm512_mask_blend_epi64(k, a, b)", lambda v: blend(v.k, v.a, v.b)),
    ("_mm512_mask_mov_epi64(c, k, a)", lambda v: blend(v.k, v.c, v.a)),
    ("_mm512_maskz_mov_epi64(k, a)", lambda v: blend(v.k, [0] * 8, v.a)),
    ("_mm512_and_si512(a, b)", lambda v: [x & y for x, y in zip(v.a, v.b, strict=True)]),
    ("_mm512_andnot_si512(a, b)", lambda v: [~x & y for x, y in zip(v.a, v.b, strict=True)]),
    ("_mm512_or_si512(a, b)", lambda v: [x | y for x, y in zip(v.a, v.b, strict=True)]),
    ("_mm512_xor_si512(a, b)", lambda v: [x ^ y for x, y in zip(v.a, v.b, strict=True)]),
    (
        "_mm512_mask2_permutex2var_epi64(a, b, k, c)",
        lambda v: blend(v.k, v.b, [(v.a + v.c)[x % 16] for x in v.b]),
    ),
    (f"_mm512_inserti64x4(b, {HALF}, 0)", lambda v: v.a[:4] + v.b[4:]),
    (f"_mm512_inserti64x4(b, {HALF}, 1)", lambda v: v.b[:4] + v.a[:4]),
    (f"_mm512_zextsi256_si512({HALF})", lambda v: v.a[:4] + [0] * 4),
    (f"_mm512_broadcast_i64x4({HALF})", lambda v: v.a[:4] * 2),
    ("_mm512_loadu_si512(m + 3)", lambda v: v.m[3:11]),
    ("_mm512_loadu_epi64(m + 3)", lambda v: v.m[3:11]),
    ("_mm512_load_si512(m)", lambda v: v.m[:8]),
    ("_mm512_load_epi64(m)", lambda v: v.m[:8]),
    ("_mm512_stream_load_si512((void *)m)", lambda v: v.m[:8]),
    ("_mm512_mask_loadu_epi64(c, k, m + 3)", lambda v: blend(v.k, v.c, v.m[3:11])),
    ("_mm512_maskz_loadu_epi64(k, m + 3)", lambda v: blend(v.k, [0] * 8, v.m[3:11])),
    ("_mm512_mask_load_epi64(c, k, m)", lambda v: blend(v.k, v.c, v.m[:8])),
    ("_mm512_maskz_load_epi64(k, m)", lambda v: blend(v.k, [0] * 8, v.m[:8])),
    ("_mm512_maskz_loadu_epi64(0, nowhere)", lambda v: [0] * 8),
    ("_mm512_i64gather_epi64(near, m + 8, 8)", lambda v: gathered(v, 8)),
    ("_mm512_i64gather_epi64(near, m + 8, 4)", lambda v: gathered(v, 4)),
    ("_mm512_mask_i64gather_epi64(c, k, near, m + 8, 8)", lambda v: blend(v.k, v.c, gathered(v, 8))),
    ("_mm512_castpd_si512(_mm512_cvtepi64_pd(a))", lambda v: [bits_of_double(signed(x)) for x in v.a]),
    (
        f"_mm512_cvtpd_epi64(_mm512_mul_pd(_mm512_cvtepi64_pd(_mm512_srai_epi64(a, 12)), {THIRTY_SECOND}))",
        lambda v: [round(Fraction(signed(x) >> 12, 32)) % W for x in v.a],
    ),
    (f"(_mm_setcsr({DEFAULT_CSR}), _mm512_set1_epi64((long long)_mm_getcsr()))", lambda v: [DEFAULT_CSR] * 8),
)
DOUBLES: tuple[tuple[str, str, Callable[..., int]], ...] = (
    ("add_pd", "ab", plus),
    ("sub_pd", "ab", minus),
    ("mul_pd", "ab", times),
    ("fmadd_pd", "abc", multiply_add),
    ("fmsub_pd", "abc", multiply_subtract),
    ("fnmadd_pd", "abc", subtract_product),
)
STATEMENTS: tuple[tuple[str, Meaning], ...] = (
    ("_mm512_storeu_si512(out + 3, a);", lambda v: v.m[:3] + v.a),
    ("_mm512_storeu_epi64(out + 3, a);", lambda v: v.m[:3] + v.a),
    ("_mm512_store_si512((__m512i *)out, a);", lambda v: v.a),
    ("_mm512_store_epi64(out, a);", lambda v: v.a),
    ("_mm512_stream_si512((__m512i *)out, a);", lambda v: v.a),
    ("_mm512_mask_storeu_epi64(out + 3, k, a);", lambda v: v.m[:3] + blend(v.k, v.m[3:11], v.a)),
    ("_mm512_mask_store_epi64(out, k, a);", lambda v: blend(v.k, v.m[:8], v.a)),
    ("_mm512_mask_storeu_epi64(nowhere, 0, a);", lambda v: []),
    ("_mm512_i64scatter_epi64(out + 8, near, b, 8);", lambda v: scattered(v, 255, 8)),
    ("_mm512_i64scatter_epi64(out + 8, near, b, 4);", lambda v: scattered(v, 255, 4)),
    ("_mm512_mask_i64scatter_epi64(out + 8, k, near, b, 8);", lambda v: scattered(v, v.k, 8)),
    ("_mm256_storeu_si256((__m256i *)(out + 1), _mm512_extracti64x4_epi64(a, 0));", lambda v: v.m[:1] + v.a[:4]),
    ("_mm256_store_si256((__m256i *)out, _mm512_extracti64x4_epi64(a, 1));", lambda v: v.a[4:]),
    (
        f"_mm256_store_si256((__m256i *)out, _mm512_castsi512_si256(_mm512_castsi256_si512({HALF})));",
        lambda v: v.a[:4],
    ),
    ("_mm256_store_si256((__m256i *)out, _mm256_loadu_si256((__m256i const *)(m + 5)));", lambda v: v.m[5:9]),
    ("_mm256_store_si256((__m256i *)out, _mm256_load_si256((__m256i const *)(m + 4)));", lambda v: v.m[4:8]),
)


def blend(k: int, no: Words, yes: Words) -> Words:
    return [y if k >> i & 1 else n for i, (n, y) in enumerate(zip(no, yes, strict=True))]


def bits(values: Iterable[bool]) -> int:
    return sum(value << i for i, value in enumerate(values))


def memory(words: Words) -> bytearray:
    return bytearray(b"".join(x.to_bytes(8, "little") for x in words))


def places(v: Inputs, scale: int) -> list[int]:
    """Byte addresses of the lanes: m + 8 words + (−8 … 7)·scale, the indices that the C cases call near."""
    return [64 + scale * (x % 16 - 8) for x in v.a]


def gathered(v: Inputs, scale: int) -> Words:
    return [int.from_bytes(memory(v.m)[at : at + 8], "little") for at in places(v, scale)]


def scattered(v: Inputs, k: int, scale: int) -> Words:
    """Of two lanes at one place the higher wins."""
    result = memory(v.m)
    for i, at in enumerate(places(v, scale)):
        if k >> i & 1:
            result[at : at + 8] = v.b[i].to_bytes(8, "little")
    return [int.from_bytes(result[at : at + 8], "little") for at in range(0, 128, 8)]


def on_lanes(f: Callable[..., int], vectors: str, immediates: Words) -> Meaning:
    return lambda v: [f(*words, *immediates) for words in zip(*(getattr(v, x) for x in vectors), strict=True)]


def vector_case(call: str, meaning: Meaning) -> Case:
    return Case(f"_mm512_storeu_si512(out, {call});", meaning)


def mask_case(call: str, meaning: Callable[[Inputs], int]) -> Case:
    return Case(f"out[0] = {call};", lambda v: [meaning(v) % 256])


def forms(name: str, vectors: str, immediates: Words, meaning: Meaning) -> Iterator[Case]:
    """The plain, write-masked and zero-masked forms."""
    arguments = [*vectors, *map(str, immediates)]
    plain, own = ", ".join(arguments), not name.startswith(MERGE_INTO_FIRST)
    written = f"c, k, {plain}" if own else ", ".join([arguments[0], "k", *arguments[1:]])
    yield vector_case(f"_mm512_{name}({plain})", meaning)
    yield vector_case(f"_mm512_mask_{name}({written})", lambda v: blend(v.k, v.c if own else v.a, meaning(v)))
    yield vector_case(f"_mm512_maskz_{name}(k, {plain})", lambda v: blend(v.k, [0] * 8, meaning(v)))


def mask_forms(name: str, extra: str, holds: Callable[[int, int], bool]) -> Iterator[Case]:
    """A comparison to a mask and its masked form."""
    yield mask_case(f"_mm512_{name}_mask(a, b{extra})", lambda v: bits(map(holds, v.a, v.b)))
    yield mask_case(f"_mm512_mask_{name}_mask(k, a, b{extra})", lambda v: v.k & bits(map(holds, v.a, v.b)))


def comparisons(kind: str, read: Callable[[int], int]) -> Iterator[Case]:
    def order(name: str) -> Callable[[int, int], bool]:
        return lambda x, y: COMPARE[name](read(x), read(y))

    for name in ("eq", "lt", "le", "neq", "ge", "gt"):
        yield from mask_forms(f"cmp{name}_{kind}", "", order(name))
    for p, name in enumerate(PREDICATES):
        yield from mask_forms(f"cmp_{kind}", f", {p}", order(name))


def cases() -> Iterator[Case]:
    for name, vectors, choices, f in LANES:
        for immediates in [[n] for n in choices] or [[]]:
            yield from forms(name, vectors, immediates, on_lanes(f, vectors, immediates))
    for name, vectors, choices, move in MOVES:
        for n in choices or [0]:
            yield from forms(name, vectors, [n] if choices else [], partial(move, n))
    yield from (*comparisons("epu64", int), *comparisons("epi64", signed))
    yield from (
        *mask_forms("test_epi64", "", lambda x, y: x & y != 0),
        *mask_forms("testn_epi64", "", lambda x, y: x & y == 0),
    )
    for name, vectors, f in DOUBLES:
        call = f"_mm512_{name}({', '.join(f'DOUBLE({x})' for x in vectors)})"
        yield vector_case(f"_mm512_castpd_si512({call})", on_lanes(f, vectors, []))
    yield from (mask_case(call, value) for call, value in MASKS)
    yield from (vector_case(call, meaning) for call, meaning in VECTORS)
    yield from (Case(code, meaning) for code, meaning in STATEMENTS)


CASES = [*cases()]
FEATURES = {"madd52": "avx512ifma", "shld": "avx512vbmi2", "shrd": "avx512vbmi2"}


def feature(case: Case) -> str:
    return next((need for part, need in FEATURES.items() if part in case.code), "avx512dq")


def group(need: str) -> list[Case]:
    """The cases whose intrinsics need the feature ``need`` and no other beyond AVX-512 F and DQ."""
    return [case for case in CASES if feature(case) == need]


@cache
def inputs(count: int = 96) -> list[Inputs]:
    """Edge words, small counts and random words mixed; b repeats words of a, so that comparisons see equality."""
    rng = random.Random(20)
    edges = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, LOW52, 2**52, W // 2 - 1, W // 2, W // 2 + 1, W - 1]
    pools: list[Sequence[int]] = [edges, range(130), range(60, 68), [rng.getrandbits(64) for _ in range(1000)]]
    vectors = [[rng.choice(rng.choice(pools)) for _ in range(40)] for _ in range(count)]
    for v in vectors:
        v[8:16] = [x if rng.random() < 0.3 else y for x, y in zip(v[:8], v[8:16], strict=True)]
    masks = [(0, 0), (255, 255), (255, 0), *((rng.getrandbits(8), rng.getrandbits(8)) for _ in range(count - 3))]
    return [Inputs(v[:8], v[8:16], v[16:24], v[24:], k, j) for v, (k, j) in zip(vectors, masks, strict=True)]


@cache
def expected(need: str) -> Array:
    """(cases, inputs, 16) words from the definitions."""

    def after(case: Case, v: Inputs) -> Words:
        row = [x % W for x in case.meaning(v)]
        return row + v.m[len(row) :]

    return np.array([[after(case, v) for v in inputs()] for case in group(need)], dtype=np.uint64)


HEAD = f"""
#include <stdint.h>
#include <string.h>
#ifdef MOMAGEN_STANDINS
#include "avx512.h"
#else
#include <immintrin.h>
#endif
static void *volatile nowhere = 0;
#define WORDS(x) _mm512_set1_epi64((long long)UINT64_C(x))
#define DOUBLE(x) _mm512_castsi512_pd(_mm512_or_epi64(_mm512_and_epi64(x, WORDS({KEPT})), WORDS({SET})))
#define CALL(i) memcpy(out, in + 24, 128); case_##i(in, out); out += 16 * count;
"""
CASE = """
static void case_%d(const uint64_t *words, uint64_t *out) {
  __m512i a = _mm512_loadu_si512(words), b = _mm512_loadu_si512(words + 8), c = _mm512_loadu_si512(words + 16);
  __m512i near = _mm512_sub_epi64(_mm512_and_epi64(a, _mm512_set1_epi64(15)), _mm512_set1_epi64(8));
  const uint64_t *m = words + 24;
  __mmask8 k = (__mmask8)words[40], j = (__mmask8)words[41];
  (void)a, (void)b, (void)c, (void)m, (void)k, (void)j, (void)near;
  %s
}
"""
RUN_ALL = """
void run_all(long count, const uint64_t *in, uint64_t *result) {
  for (long n = 0; n < count; n++, in += 48) {
    uint64_t *out = result + 16 * n;
    %s
  }
}
"""


def program(need: str) -> str:
    """C text whose ``run_all(count, in, out)`` runs each case on each input of 48 words."""
    codes = [case.code for case in group(need)]
    functions = "".join(CASE % numbered for numbered in enumerate(codes))
    return HEAD + functions + RUN_ALL % "\n    ".join(f"CALL({i})" for i in range(len(codes)))


def aligned(words: int) -> Array:
    buffer = np.zeros(words + 8, dtype=np.uint64)
    start = -buffer.ctypes.data % 64 // 8
    return buffer[start : start + words]


def outcome(need: str, flags: list[str], compiler: Compiler) -> Array:
    """What the compiled cases give, as ``expected``."""
    text, headers, flags = program(need), {"avx512.h": HEADER.read_text()}, ["-std=c99", "-O1", *flags, "-lm"]
    library = load(compile_shared(text, name="standins", flags=flags, includes=headers, compiler=compiler))
    data, shape = inputs(), expected(need).shape
    given, result = aligned(48 * len(data)), aligned(shape[0] * shape[1] * shape[2])
    given.reshape(-1, 48)[:, :42] = [[*v.a, *v.b, *v.c, *v.m, v.k, v.j] for v in data]
    library.run_all(ctypes.c_long(len(data)), *(ctypes.c_void_p(array.ctypes.data) for array in (given, result)))
    return result.reshape(shape)


def wrong(got: Array, want: Array, need: str) -> list[str]:
    return [case.code for case, bad in zip(group(need), (got != want).any(axis=(1, 2)), strict=True) if bad]


NEEDS = sorted({feature(case) for case in CASES})


@pytest.mark.thorough
@pytest.mark.parametrize("need", NEEDS)
@pytest.mark.parametrize("compiler", list_compilers(), ids=lambda compiler: " ".join(compiler.command[-2:]))
def test_standins_are_their_definitions(compiler: Compiler, need: str) -> None:
    assert wrong(outcome(need, ["-DMOMAGEN_STANDINS"], compiler), expected(need), need) == []


@pytest.mark.parametrize("need", NEEDS)
def test_standins_are_the_instructions(need: str) -> None:
    if missing := missing_features(["avx512f", "avx512dq", need]):
        pytest.skip(f"this processor has no {', '.join(missing)}")
    compiler = find_compiler()
    real = outcome(need, ["-mavx512f", "-mavx512dq", f"-m{need}"], compiler)
    assert wrong(outcome(need, ["-DMOMAGEN_STANDINS"], compiler), real, need) == []


def test_every_standin_is_tested() -> None:
    text = run([*find_compiler().command, "-E", str(HEADER)]).stdout
    defined = set(re.findall(r"noinline, unused\)\)\s+(?:\w+\s+)+?(_\w+)\s*\(", text))
    used = set(re.findall(r"\b_\w+(?=\()", " ".join(map(program, NEEDS))))
    assert len(defined) > 150
    assert defined - used == set()
