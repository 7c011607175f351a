"""Products by Montgomery's method from halves of words are proven, and none with a planted fault is."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.proofs import generated, planted

from momagen.prove.kernels import prove

AVX512, C64 = "frommont_59b_avx512", "frommont_29b_c64"
PROVEN = [("frommont", 59, "avx512"), ("tomont", 60, "avx512"), ("frommont", 29, "c64"), ("frommont", 20, "c32")]
FAULTS = [
    (AVX512, "_mm512_srli_epi64(t5, 32)", "_mm512_srli_epi64(t5, 31)", "wrong shift of a low half"),
    (AVX512, "_mm512_and_si512(t13, _mm512_set1_epi64((long long)UINT64_C(0xffffffff)))", "t13", "missing mask"),
    (AVX512, "UINT64_C(0xffffffff)", "UINT64_C(0x7fffffff)", "mask of 31 bits"),
    (AVX512, "_mm512_srli_epi64(t15, 32)", "_mm512_srli_epi64(t15, 33)", "wrong shift of a carry"),
    (AVX512, "_mm512_mul_epu32(t2, t3)", "_mm512_mul_epu32(t1, t3)", "wrong half"),
    (AVX512, "_mm512_add_epi64(t11, t16)", "t11", "dropped carry"),
    (AVX512, "_mm512_mask_blend_epi64(t21, t20, t22)", "_mm512_mask_blend_epi64(t21, t22, t20)", "blend exchanged"),
    (AVX512, "_mm512_sub_epi64(_mm512_set1_epi64((long long)UINT64_C(0x0)), t19)", "t19", "sign lost"),
    (AVX512, "i < 5", "i < 4", "inverse modulo a smaller power"),
    (AVX512, "qi_0 = _mm512_set1_epi64((long long)c[1])", "qi_0 = _mm512_set1_epi64((long long)c[0])", "q as inverse"),
    (C64, "t1 >> 32", "t1 >> 31", "wrong shift of a factor"),
    (C64, "(uint64_t)(uint32_t)t2", "(uint64_t)(uint32_t)t1", "wrong half of a factor"),
    (C64, "t3 >> 32", "t3 >> 33", "wrong shift of a low half"),
    (C64, "t4 + t5", "t4", "dropped low half"),
    (C64, "t6 >> 32", "t6 >> 31", "twice the quotient"),
    (C64, "(uint64_t)(UINT64_C(0x0) < t7)", "(uint64_t)(UINT64_C(0x0) <= t7)", "0 reduced to q"),
    (C64, "i < 5", "i < 4", "inverse modulo a smaller power"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all kernels of this file."""
    return generated(tmp_path_factory.mktemp("kernels"), PROVEN)


@pytest.mark.parametrize(("kind", "bits", "target"), PROVEN)
def test_a_product_from_halves_is_proven(kind: str, bits: int, target: str, folder: Path) -> None:
    result = prove(folder / f"{kind}_{bits}b_{target}.c")
    assert result.is_proven, result.problem
    assert result.elements


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "old", "new", "what"), FAULTS, ids=[f"{f[0]} {f[-1]}" for f in FAULTS])
def test_a_wrong_product_from_halves_is_refused(
    name: str, old: str, new: str, what: str, folder: Path, tmp_path: Path
) -> None:
    assert not prove(planted(folder, name, old, new, tmp_path)).is_proven, what
