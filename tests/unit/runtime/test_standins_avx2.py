"""The AVX2 stand-ins against their definitions on Python integers, and against the processor's own instructions."""

from __future__ import annotations

import ctypes
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
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

from momagen.data import folder
from momagen.runtime import Compiler, compile_shared, find_compiler, list_compilers, load, missing_features
from momagen.runtime.compiler import run

pytestmark = pytest.mark.compiles

HEADER = folder("templates") / "standins" / "avx2.h"
W, HALF = 2**64, 2**32
Words = list[int]
COUNTS = (0, 1, 31, 32, 63, 64, 100, 255)
IMMEDIATES = (0x00, 0x1B, 0x20, 0x31, 0x4E, 0x88, 0xAA, 0xB1, 0xD8, 0xE4, 0xFF)


class Inputs(NamedTuple):
    """Three vectors; the C cases see them under the same names."""

    a: Words
    b: Words
    c: Words


class Case(NamedTuple):
    """A C expression of a vector, and the vector."""

    code: str
    meaning: Callable[[Inputs], Words]


def signed(x: int, bits: int = 64) -> int:
    x %= 1 << bits
    return x - (x >> bits - 1 << bits)


def parts(x: int, bits: int) -> Words:
    return [x >> at & (1 << bits) - 1 for at in range(0, 64, bits)]


def whole(words: Words, bits: int) -> int:
    return sum(word % (1 << bits) << bits * i for i, word in enumerate(words))


def bytes_of(*words: int) -> Iterator[tuple[int, ...]]:
    return zip(*(parts(x, 8) for x in words), strict=True)


def halves(v: Inputs, n: int) -> Words:
    """The halves that the two fields of permute2x128's immediate name; zero for a field with its bit 3 set."""
    four = [v.a[:2], v.a[2:], v.b[:2], v.b[2:]]
    low, high = ([0, 0] if n >> shift & 8 else four[n >> shift & 3] for shift in (0, 4))
    return low + high


def shuffled(words: Words, n: int) -> Words:
    """Of each four of eight words of 32 bits, those that the four fields of shuffle_epi32's immediate name."""
    chosen = [words[i // 4 * 4 + (n >> i % 4 * 2 & 3)] for i in range(8)]
    return [whole(chosen[i : i + 2], 32) for i in range(0, 8, 2)]


# name, vectors, immediates (none: the empty one), a lane's new word from the vectors' words and the immediate, mod 2^64
LANES: tuple[tuple[str, str, tuple[int, ...], Callable[..., int]], ...] = (
    ("add_epi64", "ab", (), lambda x, y: x + y),
    ("sub_epi64", "ab", (), lambda x, y: x - y),
    ("and_si256", "ab", (), lambda x, y: x & y),
    ("andnot_si256", "ab", (), lambda x, y: ~x & y),
    ("or_si256", "ab", (), lambda x, y: x | y),
    ("xor_si256", "ab", (), lambda x, y: x ^ y),
    ("mul_epu32", "ab", (), lambda x, y: x % HALF * (y % HALF)),
    ("mullo_epi32", "ab", (), lambda x, y: whole([a * b for a, b in zip(parts(x, 32), parts(y, 32), strict=True)], 32)),
    ("sub_epi32", "ab", (), lambda x, y: whole([a - b for a, b in zip(parts(x, 32), parts(y, 32), strict=True)], 32)),
    ("mul_epi32", "ab", (), lambda x, y: signed(x, 32) * signed(y, 32)),
    ("cmpeq_epi64", "ab", (), lambda x, y: -(x == y)),
    ("cmpgt_epi64", "ab", (), lambda x, y: -(signed(x) > signed(y))),
    ("sllv_epi64", "ab", (), lambda x, y: x << min(y, 64)),
    ("srlv_epi64", "ab", (), lambda x, y: x >> min(y, 64)),
    ("slli_epi64", "a", COUNTS, lambda x, n: x << n),
    ("srli_epi64", "a", COUNTS, lambda x, n: x >> n),
    ("blendv_epi8", "abc", (), lambda *xyz: whole([y if z >> 7 else x for x, y, z in bytes_of(*xyz)], 8)),
)
MOVES: tuple[tuple[str, str, tuple[int, ...], Callable[[Inputs, int], Words]], ...] = (
    ("unpacklo_epi64", "ab", (), lambda v, n: [v.a[0], v.b[0], v.a[2], v.b[2]]),
    ("unpackhi_epi64", "ab", (), lambda v, n: [v.a[1], v.b[1], v.a[3], v.b[3]]),
    ("permute4x64_epi64", "a", IMMEDIATES, lambda v, n: [v.a[n >> 2 * i & 3] for i in range(4)]),
    ("permute2x128_si256", "ab", (*IMMEDIATES, 0x08, 0x83), lambda v, n: halves(v, n)),
    ("shuffle_epi32", "a", IMMEDIATES, lambda v, n: shuffled([part for x in v.a for part in parts(x, 32)], n)),
    (
        "blend_epi32", "ab", IMMEDIATES,
        lambda v, n: [whole([(y if n >> 2 * i + j & 1 else x)[j] for j in (0, 1)], 32)
                      for i, (x, y) in enumerate((parts(x, 32), parts(y, 32)) for x, y in zip(v.a, v.b, strict=True))],
    ),
)  # fmt: skip
D = {x: f"_mm256_castsi256_pd({x})" for x in "abc"}
HALF_AT = "_mm_loadu_si128((__m128i const *)(words + {}))"
WORDS = [f"(long long)words[{i}]" for i in range(4)]
OTHERS: tuple[tuple[str, Callable[[Inputs], Words]], ...] = (
    (f"_mm256_setr_epi64x({', '.join(WORDS)})", lambda v: v.a),
    (f"_mm256_set_epi64x({', '.join(WORDS[::-1])})", lambda v: v.a),
    (f"_mm256_set1_epi64x({WORDS[2]})", lambda v: v.a[2:3] * 4),
    ("_mm256_set1_epi32((int)words[1])", lambda v: [v.a[1] % HALF * (HALF + 1)] * 4),
    ("_mm256_setzero_si256()", lambda v: [0] * 4),
    ("_mm256_loadu_si256((__m256i const *)(words + 3))", lambda v: v.a[3:] + v.b[:3]),
    ("_mm256_load_si256((__m256i const *)(words + 4))", lambda v: v.b),
    *((f"_mm256_inserti128_si256(a, {HALF_AT.format(5)}, {n})",
       lambda v, n=n: v.b[1:3] + v.a[2:] if n == 0 else v.a[:2] + v.b[1:3]) for n in (0, 1)),
    *((f"_mm256_inserti128_si256(b, _mm256_extracti128_si256(a, {n}), 1)",
       lambda v, n=n: v.b[:2] + v.a[2 * n : 2 * n + 2]) for n in (0, 1)),
    (
        f"_mm256_inserti128_si256(_mm256_castsi128_si256({HALF_AT.format(1)}), _mm256_castsi256_si128(b), 1)",
        lambda v: v.a[1:3] + v.b[:2],
    ),
    (
        "(_mm_storeu_si128((__m128i *)(out + 1), _mm256_castsi256_si128(a)), "
        "_mm256_inserti128_si256(b, _mm_loadu_si128((__m128i const *)(out + 1)), 0))",
        lambda v: v.a[:2] + v.b[2:],
    ),
    (
        f"_mm256_castpd_si256(_mm256_blendv_pd({D['a']}, {D['b']}, {D['c']}))",
        lambda v: [y if z >> 63 else x for x, y, z in zip(*v, strict=True)],
    ),
    (
        f"_mm256_castpd_si256(_mm256_permutevar_pd({D['a']}, b))",
        lambda v: [v.a[i // 2 * 2 + (y >> 1 & 1)] for i, y in enumerate(v.b)],
    ),
    (
        f"_mm256_set1_epi64x(_mm256_movemask_pd({D['a']}))",
        lambda v: [sum((x >> 63) << i for i, x in enumerate(v.a))] * 4,
    ),
    (
        "_mm256_set1_epi64x(_mm256_testz_si256(a, b))",
        lambda v: [int(not any(x & y for x, y in zip(v.a, v.b, strict=True)))] * 4,
    ),
    (f"(_mm_setcsr({DEFAULT_CSR}), _mm256_set1_epi64x((long long)_mm_getcsr()))", lambda v: [DEFAULT_CSR] * 4),
)

DOUBLES: tuple[tuple[str, str, Callable[..., int]], ...] = (
    ("add_pd", "ab", plus), ("sub_pd", "ab", minus), ("mul_pd", "ab", times), ("fmadd_pd", "abc", multiply_add),
    ("fmsub_pd", "abc", multiply_subtract), ("fnmadd_pd", "abc", subtract_product),
)  # fmt: skip


def on_doubles(name: str, vectors: str, f: Callable[..., int]) -> Case:
    code = f"_mm256_castpd_si256(_mm256_{name}({', '.join(f'DOUBLE({x})' for x in vectors)}))"
    return Case(code, lambda v: [f(*words) for words in zip(*(getattr(v, x) for x in vectors), strict=True)])


def shuffle_pd(n: int) -> Case:
    code = f"_mm256_castpd_si256(_mm256_shuffle_pd({D['a']}, {D['b']}, {n}))"
    return Case(code, lambda v: [(v.a, v.b)[i % 2][(i & 2) + (n >> i & 1)] for i in range(4)])


def cases() -> Iterator[Case]:
    for name, vectors, immediates, f in LANES:
        for more in [(n,) for n in immediates] or [()]:
            code = f"_mm256_{name}({', '.join([*vectors, *map(str, more)])})"
            yield Case(code, lambda v, f=f, vectors=vectors, more=more: [  # type: ignore[misc]
                f(*words, *more) for words in zip(*(getattr(v, x) for x in vectors), strict=True)])  # fmt: skip
    for name, vectors, immediates, move in MOVES:
        for more in [(n,) for n in immediates] or [()]:
            code = f"_mm256_{name}({', '.join([*vectors, *map(str, more)])})"
            yield Case(code, lambda v, move=move, more=more: move(v, *more or (0,)))  # type: ignore[misc]
    yield from (on_doubles(*row) for row in DOUBLES)
    yield from (shuffle_pd(n) for n in range(16))
    yield from (Case(code, meaning) for code, meaning in OTHERS)


CASES = [*cases()]
HEAD = f"""
#include <stdint.h>
#ifdef MOMAGEN_STANDINS
#include "avx2.h"
#else
#include <immintrin.h>
#endif
#define WORDS(x) _mm256_set1_epi64x((long long)UINT64_C(x))
#define DOUBLE(x) _mm256_castsi256_pd(_mm256_or_si256(_mm256_and_si256(x, WORDS({KEPT})), WORDS({SET})))
"""
CASE = """
static void case_%d(const uint64_t *words, uint64_t *out) {
  __m256i a = _mm256_load_si256((__m256i const *)words), b = _mm256_load_si256((__m256i const *)(words + 4));
  __m256i c = _mm256_load_si256((__m256i const *)(words + 8)), r = %s;
  (void)a, (void)b, (void)c;
  _mm256_storeu_si256((__m256i *)out, r);
  _mm256_store_si256((__m256i *)out, r);
}
"""
RUN_ALL = """
void run_all(long count, const uint64_t *in, uint64_t *out) {
  for (long n = 0; n < count; n++, in += 12) { %s }
}
"""


def program() -> str:
    """C text whose ``run_all(count, in, out)`` runs each case on each input of 12 words."""
    functions = "".join(CASE % (i, case.code) for i, case in enumerate(CASES))
    return HEAD + functions + RUN_ALL % " ".join(f"case_{i}(in, out); out += 4;" for i in range(len(CASES)))


@cache
def inputs(count: int = 200) -> list[Inputs]:
    """Edge words, small counts and random words mixed; b repeats words of a, so that comparisons see equality."""
    rng = random.Random(2)
    edges = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**63 + 1, W - 1]
    pools = [edges, range(70), [rng.getrandbits(64) for _ in range(1000)]]
    vectors = [[rng.choice(rng.choice(pools)) for _ in range(12)] for _ in range(count)]
    for v in vectors:
        v[4:8] = [x if rng.random() < 0.3 else y for x, y in zip(v[:4], v[4:8], strict=True)]
    return [Inputs(v[:4], v[4:8], v[8:]) for v in vectors]


def aligned(words: int) -> np.ndarray:  # type: ignore[type-arg]
    buffer = np.zeros(words + 4, dtype=np.uint64)
    start = -buffer.ctypes.data % 32 // 8
    return buffer[start : start + words]


def wrong(flags: list[str], compiler: Compiler) -> list[str]:
    """The cases whose compiled result is not their meaning."""
    headers = {"avx2.h": HEADER.read_text(encoding="utf-8")}
    text, flags = program(), ["-std=c99", "-O1", *flags, "-lm"]
    library = load(compile_shared(text, name="standins_avx2", flags=flags, includes=headers, compiler=compiler))
    given, result = aligned(12 * len(inputs())), aligned(4 * len(CASES) * len(inputs()))
    given[:] = [word for v in inputs() for vector in v for word in vector]
    library.run_all(ctypes.c_long(len(inputs())), *(ctypes.c_void_p(array.ctypes.data) for array in (given, result)))
    rows = zip(inputs(), result.reshape(len(inputs()), len(CASES), 4).tolist(), strict=True)
    pairs = ((v, case, got) for v, row in rows for case, got in zip(CASES, row, strict=True))
    return sorted({case.code for v, case, got in pairs if got != [x % W for x in case.meaning(v)]})


@pytest.mark.parametrize("compiler", list_compilers(), ids=lambda compiler: " ".join(compiler.command[-2:]))
def test_standins_are_their_definitions(compiler: Compiler) -> None:
    assert wrong(["-DMOMAGEN_STANDINS"], compiler) == []


@pytest.mark.thorough
def test_the_instructions_are_the_definitions() -> None:
    if missing := missing_features(["avx2", "fma"]):
        pytest.skip(f"this processor has no {', '.join(missing)}")
    assert wrong(["-mavx2", "-mfma"], find_compiler()) == []


def test_every_standin_is_tested() -> None:
    text = run([*find_compiler().command, "-E", str(HEADER)]).stdout
    defined = set(re.findall(r"noinline, unused\)\)\s+(?:\w+\s+)+?(_\w+)\s*\(", text))
    assert len(defined) > 30
    assert defined - set(re.findall(r"\b_\w+(?=\()", program())) == set()
