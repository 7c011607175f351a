"""Comparisons of numbers of several words are proven, and none with a planted fault is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.proofs import generated, planted

from momagen.prove.c.source import COMPILERS, read
from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.kernels import certify, check
from momagen.prove.vectors.proof import all_paths

PROVEN = [("cmpadd", 83, "c"), ("cmpadd", 83, "c64"), ("cmpadd", 159, "c64"), ("cmpadd", 70, "avx512ifma")]
PROVEN += [("cmpadd", 941, "avx512"), ("cmpsub", 130, "c64"), ("cmpsub", 586, "c")]
AVX512 = "cmpadd_nle_941b_avx512"
C64, IFMA, SUB = "cmpadd_nle_83b_c64", "cmpadd_nle_70b_avx512ifma", "cmpsub_nle_130b_c64"
FAULTS = [
    (C64, "(uint64_t)(t1 < x_0)", "(uint64_t)(x_0 < t1)", "carry by the wrong comparison"),
    (C64, "x_1 + diff_1 + t2", "x_1 + diff_1", "dropped carry"),
    (C64, "(uint64_t)(bound_0 < x_0)", "(uint64_t)(x_0 < bound_0)", "low words compared wrongly"),
    (C64, "(uint64_t)(bound_1 < x_1)", "(uint64_t)(x_1 < bound_1)", "high words compared wrongly"),
    (C64, "t7 | t8", "t7", "borrow of equal high words dropped"),
    (C64, "t7 | t8", "t7 & t8", "both borrows needed"),
    (C64, "(uint64_t)(t5 < t6)", "(uint64_t)(t6 < t5)", "borrow by the wrong comparison"),
    (C64, "mg_select(t9, t1, x_0)", "mg_select(t9, x_0, t1)", "one word chosen the wrong way"),
    (C64, "mg_select(t9, t1, x_0)", "mg_select(t7, t1, x_0)", "words chosen by different flags"),
    (C64, "z[0] = t11", "z[0] = t10", "words exchanged"),
    (IFMA, "_mm512_cmplt_epu64_mask(bound_1, t2)", "_mm512_cmplt_epu64_mask(bound_1, t1)", "another word compared"),
    (IFMA, "(__mmask8)(t10 | t11)", "(__mmask8)(t10 & t11)", "masks joined by and"),
    (IFMA, "(__mmask8)(t10 | t11)", "t11", "dropped mask"),
    (IFMA, "_mm512_mask_sub_epi64(t5, t4, t5, mg_ones())", "_mm512_mask_sub_epi64(t5, t7, t5, mg_ones())",
     "carry by another mask"),
    (IFMA, "_mm512_mask_blend_epi64(t12, t1, t3)", "_mm512_mask_blend_epi64(t12, t3, t1)", "blend exchanged"),
    (IFMA, "_mm512_unpacklo_epi64(t14, t13)", "_mm512_unpacklo_epi64(t13, t14)", "words exchanged in lanes"),
    (IFMA, "_mm512_maskz_set1_epi64(t7, 1)", "_mm512_maskz_set1_epi64(t7, 2)", "borrow of 2"),
    (SUB, "t6 | t7", "t6", "dropped borrow of equal words"),
    (SUB, "x_2 - diff_2 - t8", "x_2 - diff_2 - t7", "another borrow"),
    (SUB, "t9 >> 63", "t9 >> 62", "wrong bit as the sign"),
    (SUB, "t14 | t16", "t14", "dropped carry"),
    (SUB, "t31 | t32", "t31 & t32", "both borrows needed"),
    (SUB, "(uint64_t)(bound_2 < x_2)", "(uint64_t)(bound_2 < diff_2)", "another number compared"),
    (SUB, "mg_select(t33, t21, x_1)", "mg_select(t10, t21, x_1)", "words chosen by different flags"),
    (SUB, "mg_select(t10, t15, t5)", "mg_select(t10, t5, t15)", "one word reduced the wrong way"),
    (AVX512, "_mm256_loadu_si256((const void *)(x + 60)), 1)", "_mm256_loadu_si256((const void *)(x + 60)), 0)",
     "undefined lanes above half a vector"),
    (AVX512, "(const void *)(x + 60)", "(const void *)(x + 45)", "half a vector of another element"),
    (AVX512, "_mm512_castsi512_si256(t205)", "_mm512_extracti64x4_epi64(t205, 1)", "other half stored"),
    (AVX512, "_mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), t3)", "_mm512_setr_epi64(0, 1, 8, 9, 4, 5, 13, 12), t3)",
     "lanes permuted"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all kernels of this file."""
    return generated(tmp_path_factory.mktemp("kernels"), PROVEN)


def _prove(folder: Path, name: str, old: str, new: str, to: Path) -> None:
    """Prove an edited kernel for all moduli at once."""
    source = planted(folder, name, old, new, to)
    claim = claim_of(json.loads(source.with_suffix(".json").read_text(encoding="utf-8")))
    compiler, macros = next(iter(COMPILERS.items()))
    all_paths(read(source, macros), claim, (claim.least, claim.greatest), compiler)


@pytest.mark.parametrize(("kind", "bits", "target"), PROVEN)
def test_a_comparison_of_words_is_proven(kind: str, bits: int, target: str, folder: Path, tmp_path: Path) -> None:
    _prove(folder, f"{kind}_nle_{bits}b_{target}", "z", "z", tmp_path)


def test_a_certificate_proves_a_comparison_of_words(folder: Path) -> None:
    path = folder / f"{SUB}.c"
    result, certificate = certify(path)
    assert certificate is not None, result.problem
    assert check(path, certificate).problem == ""


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("name", "old", "new", "what"), FAULTS, ids=[f"{f[0]} {f[-1]}" for f in FAULTS])
def test_a_wrong_comparison_of_words_is_refused(
    name: str, old: str, new: str, what: str, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(ProofError):
        _prove(folder, name, old, new, tmp_path)
