"""Vector kernels are proven, and no kernel with a planted fault is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.proofs import generated, planted

from momagen.prove.c.source import COMPILERS, read
from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.kernels import prove
from momagen.prove.vectors.proof import all_paths

pytestmark = pytest.mark.compiles
KINDS = [(kind, target) for kind in ("vadd", "vsub") for target in ("avx2", "avx512", "avx512ifma")]
PROVEN = [(kind, target, 60) for kind, target in KINDS] + [("axpy", "c", 60)]
PROVEN += [(kind, f"{target}_words32", 30) for kind, target in KINDS]
PROVEN += [(kind, target, 124) for kind, target in KINDS] + [("vadds", "avx512", 124), ("vneg", "avx2", 124)]
PROVEN += [(kind, target, bits) for kind in ("vadd", "vsub") for target, bits in (("c64", 124), ("c32", 60))]
PROVEN += [("scal", "c", 124), ("axpy", "c", 124), ("axpy", "avx512ifma", 60), ("scal", "c64", 29)]
FAULTS = [
    ("vadd", "avx2", "_mm256_cmpgt_epi64(q_0, t1)", "_mm256_cmpgt_epi64(t1, q_0)", "comparison exchanged"),
    ("vadd", "avx2", "_mm256_xor_si256(t2, _mm256_set1_epi64x(-1))", "t2", "mask inverted"),
    ("vadd", "avx2", "_mm256_and_si256(t3, q_0)", "_mm256_and_si256(q_0, q_0)", "q always subtracted"),
    ("vadd", "avx2", "(const __m256i *)(x + 0)", "(const __m256i *)(x + 1)", "load from the next element"),
    ("vadd", "avx2", "(const __m256i *)(y + 0)", "(const __m256i *)(x + 0)", "load from another array"),
    ("vadd", "avx2", "(const __m256i *)(x + 0)", "((const __m256i *)x + 0)", "pointer to vectors moved"),
    ("vadd", "avx2", "(z + 0), t4", "(z + 0), _mm256_permute4x64_epi64(t4, 0xb4)", "lanes exchanged"),
    ("vadd", "avx2", "(__m256i *)(z + 0)", "(__m256i *)(z + 4)", "store at the next vector"),
    ("vadd", "avx2", "        z += 4;\n", "", "the result does not move"),
    ("vadd", "avx2", "whole_4 = n / 4", "whole_4 = n / 3", "too many vectors"),
    ("vadd", "avx2", "n -= whole_4 * 4", "n -= whole_4 * 3", "too many elements are left"),
    ("vadd", "avx512", "_mm512_min_epu64(t1, t2)", "_mm512_min_epu64(t1, t1)", "minimum of the wrong pair"),
    ("vadd", "avx512", "_mm512_min_epu64(t1, t2)", "_mm512_max_epu64(t1, t2)", "maximum"),
    ("vadd", "avx512", "_mm512_add_epi64(x_0, y_0)", "_mm512_add_epi32(x_0, y_0)", "lanes of 32 bits"),
    ("vadd", "avx512", "_mm512_sub_epi64(t1, q_0)", "_mm512_sub_epi64(q_0, t1)", "operands exchanged"),
    ("vadd", "avx512", "(const void *)(y + 0)", "(const void *)(y + 8)", "load past the end"),
    ("vadd", "avx512", "epi64((long long)c[0])", "epi64((int)c[0])", "modulus truncated"),
    ("vsub", "avx512", "_mm512_add_epi64(t1, q_0)", "_mm512_add_epi64(t1, x_0)", "wrong operand"),
    ("vsub", "avx512", "_mm512_min_epu64(t1, t2)", "_mm512_min_epu32(t1, t2)", "minimum of 32-bit lanes"),
    ("vsub", "avx512", "(const void *)(x + 0)", "(const void *)(z + 0)", "load from the result"),
    ("vsub", "avx2", "_mm256_cmpgt_epi64(_mm256_setzero_si256(), t1)", "_mm256_cmpgt_epi64(t1, _mm256_setzero_si256())",
     "sign inverted"),
    ("vsub", "avx2", "_mm256_cmpgt_epi64(_mm256_setzero_si256(), t1)", "_mm256_cmpgt_epi32(_mm256_setzero_si256(), t1)",
     "signs of 32-bit lanes"),
    ("vsub", "avx2", "_mm256_add_epi64(t1, _mm", "_mm256_sub_epi64(t1, _mm", "q subtracted"),
]
TWO_WORDS = [
    ("vadd_124b_c64", "(uint64_t)(t1 < x_0)", "(uint64_t)(x_0 < t1)", "carry by the wrong comparison"),
    ("vadd_124b_c64", "(uint64_t)(t1 < q_0)", "(uint64_t)(t1 <= q_0)", "borrow of equal words"),
    ("vadd_124b_c64", "t7 >> 63", "t7 >> 62", "wrong bit as the sign"),
    ("vadd_124b_c64", "t4 - q_1 - t6", "t4 - q_1 + t6", "borrow added"),
    ("vadd_124b_c64", "mg_select(t8, t1, t5)", "mg_select(t8, t5, t1)", "one word chosen the wrong way"),
    ("vsub_124b_c64", "(uint64_t)(t5 < t1)", "(uint64_t)(t5 < x_0)", "carry of another sum"),
    ("vsub_124b_c64", "x_1 - y_1 - t2", "x_1 - y_1", "dropped borrow"),
    ("vadd_60b_c32", "t5 >> 63", "t5 >> 31", "borrow from another bit"),
    ("vadd_60b_c32", "(uint64_t)t4 - q_1 - t6", "(uint64_t)t4 - q_1", "dropped borrow of half words"),
    ("vsub_60b_c32", "(uint64_t)x_0 - y_0", "(uint64_t)(x_0 - y_0)", "difference in half a word"),
    ("vadd_124b_avx2", "_mm256_cmpgt_epi64(t5, t6)", "_mm256_cmpgt_epi64(t6, t5)", "lanes compared wrongly"),
    ("vadd_124b_avx2", "_mm256_cmpgt_epi64(t13, t6)", "_mm256_cmpgt_epi64(q_0, t6)", "one side without offset"),
    ("vadd_124b_avx2", "_mm256_sub_epi64(t6, t13)", "_mm256_sub_epi64(t6, q_0)", "offset kept"),
    ("vadd_124b_avx2", "_mm256_sub_epi64(t12, q_1), t14)", "_mm256_sub_epi64(t12, q_1), t7)", "borrow of another sum"),
    ("vadd_124b_avx2", "_mm256_unpackhi_epi64(t19, t18)", "_mm256_unpackhi_epi64(t18, t19)", "words exchanged"),
    ("vadd_124b_avx512", "_mm512_mask_sub_epi64(t7, t5, t7, mg_ones())", "_mm512_mask_add_epi64(t7, t5, t7, mg_ones())",
     "carry subtracted"),
    ("vadd_124b_avx512", "_mm512_mask_add_epi64(t10, t9, t10, mg_ones())", "t10", "dropped borrow of lanes"),
    ("vadd_124b_avx512", "_mm512_mask_sub_epi64(t4, t12, t4, q_0)", "_mm512_mask_sub_epi64(t4, t9, t4, q_0)",
     "words chosen by different masks"),
    ("vsub_124b_avx512", "(t10 & t8)", "t10", "carry of a sum that is not taken"),
    ("vsub_124b_avx512", "_mm512_mask_sub_epi64(t12, t11, t12, mg_ones())",
     "_mm512_mask_sub_epi64(t12, t10, t12, mg_ones())", "mask of another condition"),
    ("vsub_124b_avx512", "_mm512_mask_add_epi64(t6, t5, t6, mg_ones())", "_mm512_mask_add_epi64(t6, t5, t2, mg_ones())",
     "sum of another operand"),
    ("vsub_124b_avx512", "_mm512_cmplt_epu64_mask(t9, q_0)", "_mm512_cmplt_epu64_mask(t4, q_0)", "carry of a summand"),
]
TWO_WORDS += [
    ("scal_124b_c", "mg_add2(&t6, t3, t4, &t7, t2, UINT64_C(0x0));", "t6 = t3; t7 = t2;", "dropped word of a product"),
    ("scal_124b_c", "const uint64_t u_0 = c[8];", "const uint64_t u_0 = c[4];", "another constant"),
    ("scal_124b_c", "mg_reduce2(&t28, t24, t27, &t29, t25, t26);", "t28 = t24; t29 = t25;", "one reduction missing"),
    ("scal_124b_c", "divide(c + 2, 4, 256, c)", "divide(c + 1, 4, 256, c)", "quotient over the divisor"),
    ("scal_124b_c", "divide(c + 2, 4, 256, c)", "divide(c + 2, 4, 255, c)", "quotient of another power"),
    ("scal_124b_c", "(t33 < q_0)", "(t33 <= q_0)", "wrong comparison in the set-up"),
    ("scal_29b_c64", "u_0 >> 32", "u_0 >> 34", "too short a quotient"),
    ("scal_29b_c64", "t2 >> 32", "t2 >> 31", "twice the quotient"),
    ("scal_29b_c64", "(t6 < t7)", "(t7 < t6)", "wrong comparison with 2q"),
    ("scal_29b_c64", "(uint64_t)(uint32_t)x_0 * (uint32_t)t1", "x_0 * u_0", "product of words that are too long"),
    ("scal_29b_c64", "t3 * q_0", "t3 * a_0", "another factor"),
    ("scal_29b_c64", "mg_select(t12, t10, t11)", "t10", "missing reduction"),
    ("scal_124b_c", "mg_adc(t40, t25, UINT64_C(0x0), &t42)", "mg_adc(0, t25, UINT64_C(0x0), &t42)", "lost carry"),
]
PRODUCT_FAULTS = [
    ("_mm256_srli_epi64(t12, 32)", "_mm256_srli_epi64(t12, 31)", "wrong shift"),
    ("_mm256_slli_epi64(t18, 6)", "_mm256_slli_epi64(t18, 7)", "wrong shift of the high word"),
    ("_mm256_slli_epi64(t12, 32), 0xaa)", "_mm256_slli_epi64(t12, 32), 0x55)", "wrong half of the low word"),
    ("_mm256_add_epi64(t16, t17)", "_mm256_add_epi64(t16, t16)", "dropped carry"),
    ("_mm256_mul_epu32(t1, y_0)", "_mm256_mul_epu32(x_0, y_0)", "wrong half"),
    ("_mm256_and_si256(t8, _mm256_set1_epi64x((long long)UINT64_C(0xffffffff)))", "t8", "missing mask"),
    ("_mm256_srli_epi64(t40, 1)", "_mm256_srli_epi64(t40, 2)", "wrong shift of the quotient"),
    ("_mm256_sub_epi64(t53, q_0)", "_mm256_add_epi64(t53, q_0)", "q added"),
    ("_mm256_castsi256_pd(t54), _mm256_castsi256_pd(t53)", "_mm256_castsi256_pd(t53), _mm256_castsi256_pd(t54)",
     "choice exchanged"),
    ("_mm256_mul_epu32(t42, q_0)", "_mm256_mul_epu32(t42, mu_0)", "wrong constant"),
    ("(__m256i *)(z + 4), t112", "(__m256i *)(z + 4), t56", "result of another vector"),
    ("(const __m256i *)(y + 8)", "(const __m256i *)(y + 12)", "operand of another vector"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all kernels of this file."""
    rows = [(kind, bits, target) for kind, target, bits in [*PROVEN, ("vmul", "avx2", 60)]]
    return generated(tmp_path_factory.mktemp("kernels"), rows)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("kind", "target", "bits"), PROVEN)
def test_kernels_are_proven_for_every_modulus(kind: str, target: str, bits: int, folder: Path) -> None:
    result = prove(folder / f"{kind}_{bits}b_{target}.c")
    assert result.is_proven, result.problem
    assert result.elements


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("kind", "target", "old", "new", "what"), FAULTS, ids=[f[-1] for f in FAULTS])
def test_a_fault_is_refused(
    kind: str, target: str, old: str, new: str, what: str, folder: Path, tmp_path: Path
) -> None:
    result = prove(planted(folder, f"{kind}_60b_{target}", old, new, tmp_path))
    assert not result.is_proven, what


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "old", "new", "what"), TWO_WORDS, ids=[f[-1] for f in TWO_WORDS])
def test_a_fault_in_several_words_is_refused(
    name: str, old: str, new: str, what: str, folder: Path, tmp_path: Path
) -> None:
    assert not prove(planted(folder, name, old, new, tmp_path)).is_proven, what


def _prove_at_60_bits(path: Path) -> None:
    manifest = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    compiler, macros = next(iter(COMPILERS.items()))
    all_paths(read(path, macros), claim_of(manifest), ((1 << 59) + 1, (1 << 60) - 1), compiler)


def test_products_are_proven_at_one_length(folder: Path) -> None:
    _prove_at_60_bits(folder / "vmul_60b_avx2.c")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("old", "new", "what"), PRODUCT_FAULTS, ids=[f[-1] for f in PRODUCT_FAULTS])
def test_a_fault_in_a_product_is_refused(old: str, new: str, what: str, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ProofError):
        _prove_at_60_bits(planted(folder, "vmul_60b_avx2", old, new, tmp_path))
