"""The meaning of every intrinsic in the prover's tables, compared with the CPU on random and edge operands."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.parsed import Source
from momagen.prove.c.simd import intrinsics
from momagen.prove.c.simd.vectors import Lanes
from momagen.prove.c.source import COMPILERS, read
from momagen.prove.c.statements import Program
from momagen.prove.c.types import SIZE, Vector
from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts
from momagen.prove.facts import Path as Execution
from momagen.prove.words import Words

pytestmark = pytest.mark.compiles

EDGES = [0, 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 52) - 1, 1 << 52, (1 << 63) - 1, 1 << 63]
EDGES += [(1 << 64) - 1, 0xFFFFFFFF00000000, 0x8000000080000000]
ROUNDS = 200
FEATURES = {256: ("avx2",), 512: ("avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512ifma", "avx512_vbmi2")}

LOAD = {256: "_mm256_loadu_si256((const __m256i *)({0}))", 512: "_mm512_loadu_si512((const void *)({0}))"}
STORE = {256: "_mm256_storeu_si256((__m256i *)({0}), {1});", 512: "_mm512_storeu_si512((void *)({0}), {1});"}
BOTH = """
add_epi16(a, b) add_epi32(a, b) add_epi64(a, b) sub_epi16(a, b) sub_epi32(a, b) sub_epi64(a, b) mullo_epi16(a, b)
mullo_epi32(a, b) mul_epu32(a, b) mul_epi32(a, b) min_epu16(a, b) min_epu32(a, b) max_epu16(a, b) max_epu32(a, b)
mulhi_epu16(a, b)
srli_epi16(a, 3) srli_epi32(a, 31) srli_epi64(a, 32) srli_epi64(a, 63) srli_epi64(a, 64) srli_epi64(a, 0)
slli_epi16(a, 3) slli_epi32(a, 7) slli_epi64(a, 32) slli_epi64(a, 63) slli_epi64(a, 64) srai_epi16(a, 5)
srai_epi32(a, 7) srai_epi32(a, 32) unpacklo_epi32(a, b) unpackhi_epi32(a, b) unpacklo_epi64(a, b) unpackhi_epi64(a, b)
shuffle_epi32(a, 0xb1) shuffle_epi32(a, 0x1b) min_epu32(a, add_epi32(a, b)) min_epu32(sub_epi32(a, b), a)
"""
NARROW = """
cmpgt_epi32(a, b) cmpgt_epi64(a, b) cmpeq_epi32(a, b) cmpeq_epi64(a, b) cmpgt_epi64(setzero_si256(), a)
cmpgt_epi64(add_epi64(add_epi64(a, set1_epi64x(TOP64)), b), add_epi64(c, set1_epi64x(TOP64)))
sub_epi64(add_epi64(a, set1_epi64x(TOP64)), add_epi64(b, set1_epi64x(TOP64)))
add_epi64(add_epi64(add_epi64(a, set1_epi64x(TOP64)), b), set1_epi64x(TOP64))
sub_epi64(a, set1_epi64x(TOP64)) add_epi32(sub_epi32(a, set1_epi32(TOP32)), b) add_epi64(a, cmpgt_epi64(a, b))
add_epi64(sub_epi64(srli_epi64(a, 2), srli_epi64(b, 3)), cmpgt_epi64(a, b)) sub_epi64(a, cmpgt_epi64(b, c))
cmpgt_epi64(setzero_si256(), add_epi64(sub_epi64(srli_epi64(a, 2), srli_epi64(b, 3)), cmpgt_epi64(a, b)))
cmpgt_epi64(add_epi64(a, b), a) cmpgt_epi64(a, sub_epi64(a, b)) cmpgt_epi32(sub_epi32(a, b), setzero_si256())
and_si256(cmpgt_epi64(a, b), c) andnot_si256(cmpgt_epi64(a, b), c) or_si256(cmpgt_epi64(a, b), cmpgt_epi64(b, c))
xor_si256(cmpgt_epi64(a, b), set1_epi64x(-1)) xor_si256(a, set1_epi64x(-1)) and_si256(a, set1_epi64x(0xffffffffLL))
and_si256(cmpgt_epi32(a, b), c) blendv_epi8(a, b, cmpgt_epi64(a, c)) blendv_epi8(a, b, cmpgt_epi32(a, c))
blend_epi32(a, b, 0xaa) blend_epi32(a, b, 0x35) permute4x64_epi64(a, 0x1b) permute4x64_epi64(a, 0xd8)
permute2x128_si256(a, b, 0x20) permute2x128_si256(a, b, 0x31) sllv_epi64(a, set1_epi64x(5))
srlv_epi64(a, set1_epi64x(64))
srlv_epi64(a, setr_epi64x(1, 2, 3, 64)) sllv_epi32(a, set1_epi32(9)) srlv_epi32(a, set1_epi32(31))
set_epi64x(1, 2, 3, 4) setr_epi32(1, 2, 3, 4, 5, 6, 7, 8) set1_epi32(-5) set1_epi16(7)
permutevar8x32_epi32(a, setr_epi32(7, 0, 6, 1, 5, 2, 4, 3)) inserti128_si256(a, extracti128_si256(b, 1), 0)
castpd_si256(blendv_pd(castsi256_pd(a), castsi256_pd(b), castsi256_pd(c)))
castps_si256(blendv_ps(castsi256_ps(a), castsi256_ps(b), castsi256_ps(c)))
castps_si256(shuffle_ps(castsi256_ps(a), castsi256_ps(b), 0xdd)) castps_si256(movehdup_ps(castsi256_ps(a)))
castps_si256(moveldup_ps(castsi256_ps(a))) set1_epi32(movemask_pd(castsi256_pd(a)))
inserti128_si256(castsi128_si256(castsi256_si128(a)), extracti128_si256(b, 1), 1)
set1_epi32(movemask_ps(castsi256_ps(a)))
"""
WIDE = """
mullo_epi64(a, b) min_epu64(a, b) max_epu64(a, b) min_epu64(a, add_epi64(a, b)) min_epu64(a, sub_epi64(a, b))
min_epu64(sub_epi64(a, b), add_epi64(sub_epi64(a, b), c)) srai_epi64(a, 52) srai_epi64(a, 63) srai_epi64(a, 64)
madd52lo_epu64(a, b, c) madd52hi_epu64(a, b, c) sllv_epi64(a, set1_epi64(17)) srlv_epi64(a, set1_epi64(17))
shrdi_epi64(a, b, 52) shrdi_epi64(a, b, 0) shrdi_epi32(a, b, 5) andnot_si512(set1_epi64(7), a)
and_si512(a, set1_epi64(0xfffffffffffffLL)) xor_si512(a, set1_epi64(-1)) or_si512(slli_epi64(a, 12), srli_epi64(b, 52))
permutex2var_epi64(a, setr_epi64(0, 8, 1, 9, 2, 10, 15, 7), b) permutexvar_epi64(setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), a)
permutex2var_epi32(a, setr_epi32(0, 16, 1, 17, 2, 18, 31, 15, 3, 4, 5, 6, 7, 8, 9, 10), b)
shuffle_i64x2(a, b, 0x88) shuffle_i64x2(a, b, 0xdd) shuffle_i64x2(a, b, 0x1b)
inserti64x4(a, extracti64x4_epi64(b, 1), 0) inserti64x4(a, castsi512_si256(b), 1) set1_epi64(-3)
inserti64x4(castsi256_si512(castsi512_si256(a)), extracti64x4_epi64(b, 1), 1)
inserti64x4(inserti64x4(castsi128_si512(castsi512_si128(a)), castsi512_si256(b), 0), castsi512_si256(c), 1)
mask_blend_epi64(cmplt_epu64_mask(a, b), a, c) mask_blend_epi64(cmpgt_epu64_mask(a, b), a, c)
mask_blend_epi64(cmple_epu64_mask(a, b), a, c) mask_blend_epi64(cmpge_epu64_mask(a, b), a, c)
mask_blend_epi64(cmpeq_epu64_mask(a, b), a, c) mask_blend_epi64(cmpneq_epu64_mask(a, b), a, c)
mask_blend_epi64(cmpeq_epi64_mask(a, b), a, c) mask_blend_epi64(cmpneq_epi64_mask(a, b), a, c)
mask_blend_epi64(cmplt_epi64_mask(a, b), a, c) mask_blend_epi64(cmpgt_epi64_mask(a, b), a, c)
mask_blend_epi64(cmplt_epu64_mask(add_epi64(a, b), b), a, c)
mask_blend_epi64(cmplt_epu64_mask(a, sub_epi64(a, b)), c, b)
mask_blend_epi32(cmplt_epu32_mask(a, b), a, c) mask_blend_epi32(0x5a5a, a, b) mask_blend_epi64(movepi64_mask(a), b, c)
mask_add_epi64(a, cmplt_epu64_mask(a, b), b, c) mask_sub_epi64(a, cmplt_epu64_mask(a, b), b, c)
mask_mov_epi64(a, cmplt_epu64_mask(a, b), c) maskz_mov_epi64(cmplt_epu64_mask(a, b), c) mask_mov_epi32(a, 0xf0, c)
maskz_set1_epi64(cmplt_epu64_mask(a, b), 1) mask_add_epi32(a, cmplt_epu32_mask(a, b), b, c)
mask_shuffle_epi32(a, 0x5555, b, 0xf5) maskz_add_epi64(0x0f, a, b)
mask_blend_epi64((__mmask8)(cmplt_epu64_mask(a, b) & cmplt_epu64_mask(b, c)), a, c)
mask_blend_epi64((__mmask8)(cmplt_epu64_mask(a, b) | cmplt_epu64_mask(b, c)), a, c)
mask_blend_epi64((__mmask8)~cmplt_epu64_mask(a, b), a, c)
mask_add_epi64(a, cmplt_epu64_mask(a, b), a, set1_epi64(-1)) mask_sub_epi64(a, movepi64_mask(b), a, set1_epi64(5))
mask_add_epi64(a, cmple_epu64_mask(a, b), a, set1_epi64(1)) mask_sub_epi32(a, cmplt_epu32_mask(a, b), a, set1_epi32(-1))
mask_sub_epi64(mask_add_epi64(a, movepi64_mask(c), a, b), (__mmask8)(cmplt_epu64_mask(mask_add_epi64(a,
 movepi64_mask(c), a, b), b) & movepi64_mask(c)), mask_add_epi64(a, movepi64_mask(c), a, b), set1_epi64(-1))
mask_blend_epi64((__mmask8)(movepi64_mask(c) & cmplt_epu64_mask(mask_sub_epi64(a, movepi64_mask(c), a, b), b)), a, b)
mask_blend_epi64(movepi64_mask(mask_add_epi64(sub_epi64(srli_epi64(a, 3), srli_epi64(b, 2)), cmplt_epu64_mask(a, b),
 sub_epi64(srli_epi64(a, 3), srli_epi64(b, 2)), set1_epi64(-1))), a, b)
"""


def _expressions(text: str) -> Iterator[str]:
    """Yield the expressions of a text, which spaces outside parentheses separate."""
    depth, start = 0, None
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if start is None and not letter.isspace():
            start = at
        if start is not None and depth == 0 and letter == ")":
            yield " ".join(text[start : at + 1].split())
            start = None


def _in_full(expression: str, bits: int) -> str:
    """Write the names of intrinsics in full: each name before a parenthesis, apart from those of types."""
    written, name = "", ""
    for letter in expression + " ":
        if letter.isalnum() or letter == "_":
            name += letter
            continue
        written += f"_mm{bits}_{name}" if letter == "(" and name else name
        written, name = written + letter, ""
    return written.strip()


CASES = [(256, e) for e in _expressions(BOTH + NARROW)] + [(512, e) for e in _expressions(BOTH + WIDE)]


def _source() -> str:
    functions = []
    for number, (bits, expression) in enumerate(CASES):
        kind = f"__m{bits}i"
        loads = "".join(f"    const {kind} {v} = {LOAD[bits].format(p)};\n" for v, p in zip("abc", "xyw", strict=True))
        stores = STORE[bits].format("z", _in_full(expression, bits))
        unused = "    (void)a; (void)b; (void)c;\n"
        head = f"void case_{number}(uint64_t *z, const uint64_t *x, const uint64_t *y, const uint64_t *w)"
        functions.append(f"TARGET {head}\n{{\n{loads}{unused}    {stores}\n}}\n")
    target = "avx2,avx512f,avx512dq,avx512bw,avx512vl,avx512ifma,avx512vbmi2"
    macro = f'#define TARGET __attribute__((target("{target}")))\n'
    macro += "#define TOP64 ((long long)UINT64_C(0x8000000000000000))\n#define TOP32 ((int)UINT32_C(0x80000000))\n"
    return "#include <immintrin.h>\n#include <stdint.h>\n" + macro + "\n".join(functions)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the C file with a function for each case."""
    file = tmp_path_factory.mktemp("intrinsics") / "cases.c"
    file.write_text(_source(), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def source(path: Path) -> Source:
    """Return the cases as the prover reads them."""
    return read(path, COMPILERS["gcc, x86-64"])


@pytest.fixture(scope="module")
def library(path: Path) -> ctypes.CDLL:
    """Return the compiled cases."""
    built = path.with_suffix(".so")
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-w", "-o", built, path], check=True)
    return ctypes.CDLL(str(built))


def _cpu() -> set[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return set()
    return {flag for line in text.splitlines() if line.startswith("flags") for flag in line.split()}


def _values(words: Words, inputs: dict[int, int]) -> dict[int, int]:
    """Return the values of all variables: those of inputs, and what the equations say of the others."""
    values = dict(inputs)

    def of(polynomial: Any) -> int:
        total = 0
        for monomial, coefficient in polynomial.items():
            term = int(coefficient)
            for number in monomial:
                term *= values[number]
            total += term
        return total

    steps = [(max(o.high, o.low), o) for o in words.operations]
    steps += [(s.result, s) for s in words.selections.values()]  # type: ignore[misc]
    for _, step in sorted(steps, key=lambda pair: pair[0]):
        if hasattr(step, "weight"):
            low = of(words.dividend(step)) % abs(step.weight)
            high = (of(words.dividend(step)) - low) // step.weight
            for number, value in ((step.high, high), (step.low, low)):
                assert values.setdefault(number, value) == value
        else:
            chosen = step.chosen if values[step.flag] else step.other  # type: ignore[attr-defined]
            values[step.result] = of(chosen.polynomial)  # type: ignore[attr-defined]
    for equation in words.checker.equations:
        assert of(equation) == 0
    for number, value in values.items():
        low, high = words.range_of(number)
        assert number == 0 or low <= value <= high
    return values


def _meaning(source: Source, number: int, lanes: int) -> tuple[Words, list[list[int]], list[Any]]:
    """Execute a case on unknown operands; return the words, the variables of the operands, and the result."""
    facts = Facts(2, 2, Execution())
    program, words = Program(source, facts), facts.words
    operands = [[words.variable(f"{name}[{i}]", 0, (1 << 64) - 1) for i in range(lanes)] for name in "xyw"]
    blocks = [program.new_array(name, SIZE, lanes) for name in "zxyw"]
    for block, values in zip(blocks[1:], operands, strict=True):
        for i, value in enumerate(values):
            block.store(words.constant(i), Number(SIZE, value), facts)
    program.call(f"case_{number}", [Pointer(block, words.constant(0)) for block in blocks])
    result = [blocks[0].load(words.constant(i), facts).value.polynomial for i in range(lanes)]
    return words, [[words.number_of(value) for value in values] for values in operands], result


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{bits}-{text}" for bits, text in CASES])
def test_meaning_is_that_of_the_cpu(number: int, source: Source, library: ctypes.CDLL) -> None:
    bits, expression = CASES[number]
    if missing := set(FEATURES[bits]) - _cpu():
        pytest.skip(f"this CPU lacks {', '.join(sorted(missing))}")
    lanes = bits // 64
    words, operands, result = _meaning(source, number, lanes)
    chooser = random.Random(expression)
    for _ in range(ROUNDS):
        rows = [[chooser.choice([chooser.getrandbits(64), chooser.choice(EDGES)]) for _ in range(lanes)] for _ in "xyw"]
        if chooser.random() < 0.3:
            rows[1][0], rows[2][-1] = rows[0][0], rows[1][-1]
        given = {0: 2}
        for numbers, row in zip(operands, rows, strict=True):
            given |= dict(zip(numbers, row, strict=True))
        values = _values(words, given)
        expected = (ctypes.c_uint64 * lanes)()
        getattr(library, f"case_{number}")(expected, *((ctypes.c_uint64 * lanes)(*row) for row in rows))
        for i, polynomial in enumerate(result):
            value = sum(int(c) * _product(values, m) for m, c in polynomial.items())
            assert value == expected[i], (expression, i, rows)


def _product(values: dict[int, int], monomial: tuple[int, ...]) -> int:
    product = 1
    for number in monomial:
        product *= values[number]
    return product


def test_every_row_of_the_tables_has_a_case() -> None:
    text = " ".join(_in_full(expression, bits) for bits, expression in CASES)
    for table in (intrinsics.LANEWISE, intrinsics.CONDITIONS, intrinsics.MOVES, intrinsics.BITWISE):
        missing = [name for name in table if f"_{name}" not in text]
        assert not missing


def test_lanes_above_a_narrower_vector_are_undefined(source: Source) -> None:
    facts = Facts(2, 2, Execution())
    program = Program(source, facts)
    narrow = Lanes(Vector(256), 64, tuple(program.words.constant(i) for i in range(4)))
    wide = intrinsics.call("_mm512_castsi256_si512", [narrow], program)
    assert [lane.low for lane in wide.lanes[:4]] == [0, 1, 2, 3]
    assert all((lane.low, lane.high) == (0, (1 << 64) - 1) for lane in wide.lanes[4:])
    assert not any(facts.is_public(lane.polynomial) for lane in wide.lanes[4:])
    assert len({program.words.number_of(lane) for lane in wide.lanes[4:]}) == 4


def test_an_unknown_intrinsic_is_refused(source: Source) -> None:
    program = Program(source, Facts(2, 2, Execution()))
    for name in ("_mm512_abs_epi64", "_mm256_hadd_epi32", "_mm512_mask_cmplt_epu64_mask"):
        with pytest.raises(ProofError):
            intrinsics.call(name, [], program)
