"""Products in limbs of 52 bits are proven for every modulus of up to 50 bits, and none with a planted fault is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from momagen.cli import main
from momagen.prove.c.source import COMPILERS, read
from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.quotients import Powers, UndecidedPowerError
from momagen.prove.vectors.proof import all_paths

NAME = "vmul_50b_avx512ifma"
FAULTS = [
    ("_mm512_madd52hi_epu64(t1, y_0, nu_0)", "_mm512_madd52lo_epu64(t1, y_0, nu_0)", "low half of a product"),
    ("_mm512_madd52hi_epu64(t1, y_0, nu_0)", "_mm512_madd52hi_epu64(t1, y_0, mu_0)", "other limb of the constant"),
    ("_mm512_madd52hi_epu64(t1, y_0, nu_0)", "t1", "dropped limb of the constant"),
    ("_mm512_madd52lo_epu64(t2, t4, n_0)", "_mm512_madd52lo_epu64(t1, t4, n_0)", "another sum"),
    ("_mm512_madd52lo_epu64(t2, t4, n_0)", "_mm512_madd52lo_epu64(t2, t4, q_0)", "q instead of its negative"),
    ("_mm512_and_si512(t5, _mm512_set1_epi64((long long)UINT64_C(0xfffffffffffff)))", "t5", "missing mask"),
    ("(t5, _mm512_set1_epi64((long long)UINT64_C(0xfffffffffffff)))",
     "(t5, _mm512_set1_epi64((long long)UINT64_C(0x3ffffffffffff)))", "mask of 50 bits"),
    ("_mm512_min_epu64(t6, t7)", "t6", "missing reduction"),
    ("(z + 0), t8)", "(z + 0), _mm512_shuffle_epi32(t8, 0x4e))", "lanes exchanged"),
    ("(z + 8), t16)", "(z + 8), t8)", "result of another vector"),
    ("group < n / 4", "group < n / 3", "too many groups"),
    ("n %= 4", "n %= 8", "too many vectors are left"),
    ("barrett_constant(mu2, 1, 52, c)", "barrett_constant(mu2, 1, 51, c)", "quotient of a smaller power"),
    ("barrett_constant(nu3, 1, 104, c)", "barrett_constant(nu3, 1, 105, c)", "low limb of another quotient"),
    ("c[3] = nu3[0] & UINT64_C(0xfffffffffffff)", "c[3] = nu3[0] & UINT64_C(0xffffffffffff)", "limb of 48 bits"),
    ("c[1] = n1[0] & UINT64_C(0xfffffffffffff)", "c[1] = n1[0] & UINT64_C(0x7ffffffffffff)", "limb of 51 bits"),
]  # fmt: skip
FAULTS_OF_POWERS = {
    "constant that is two less": ("mu[w] = mu[w] - less;", "mu[w] = mu[w] - 2 * less;"),
    "quotient of a smaller power": ("barrett_constant(mu2, 1, 52, c)", "barrett_constant(mu2, 1, 51, c)"),
    "low limb without its upper bits": ("c[3] = nu3[0] & UINT64_C(0xfffffffffffff)", "c[3] = nu3[0] & 7"),
    "dropped limb of the constant": ("_mm512_madd52hi_epu64(t1, y_0, nu_0)", "t1"),
    "missing reduction": ("_mm512_min_epu64(t6, t7)", "t6"),
}
ALL, LONG = (2, (1 << 50) - 1), (1 << 41, 1 << 49)
"""The moduli, and the powers of two that do not divide 2^40, the upper word of 2^104."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the files of the kernel by their suffixes."""
    folder = tmp_path_factory.mktemp("kernel")
    command = ["blas", "vmul", "--modulus-bits", "50", "--target", "avx512ifma", "--output", str(folder)]
    assert main([*command, "--no-verify", "--no-bench"]) == 0
    return {path.suffix: path.read_text(encoding="utf-8") for path in folder.glob(f"{NAME}.*")}


def _prove(
    files: dict[str, str], old: str, new: str, moduli: tuple[int, int], folder: Path, powers: Powers = Powers.SOME
) -> int:
    """Prove an edited kernel for a range of moduli, and count elements."""
    assert old in files[".c"]
    for suffix, text in files.items():
        (folder / f"{NAME}{suffix}").write_text(text.replace(old, new) if suffix == ".c" else text, encoding="utf-8")
    compiler, macros = next(iter(COMPILERS.items()))
    claim = claim_of(json.loads(files[".json"]))
    source = read(folder / f"{NAME}.c", macros)
    return all_paths(source, claim, moduli, compiler, powers=powers)["elements"]


@pytest.mark.parametrize(
    ("moduli", "powers"),
    [(ALL, Powers.NONE), ((1 << 37, 1 << 37), Powers.SOME), ((2, 1 << 40), Powers.ALL), (LONG, Powers.ALL)],
)
def test_products_are_proven(files: dict[str, str], moduli: tuple[int, int], powers: Powers, tmp_path: Path) -> None:
    assert _prove(files, "z", "z", moduli, tmp_path, powers) > 100


def test_a_range_of_powers_is_divided_where_a_remainder_changes(files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(UndecidedPowerError) as error:
        _prove(files, "z", "z", ALL, tmp_path, Powers.ALL)
    assert error.value.end == LONG[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("old", "new", "what"), FAULTS, ids=[fault[-1] for fault in FAULTS])
def test_a_fault_in_limbs_is_refused(old: str, new: str, what: str, files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ProofError):
        _prove(files, old, new, ALL, tmp_path, Powers.NONE)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("moduli", [(2, 1 << 40), LONG])
@pytest.mark.parametrize("fault", FAULTS_OF_POWERS, ids=list(FAULTS_OF_POWERS))
def test_a_fault_is_refused_for_all_powers_of_two(
    fault: str, moduli: tuple[int, int], files: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(ProofError, match="below q"):
        _prove(files, *FAULTS_OF_POWERS[fault], moduli, tmp_path, Powers.ALL)


def test_the_constant_of_a_power_of_two_is_one_less(files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ProofError, match="below q"):
        _prove(files, "mu[w] = mu[w] - less;", "mu[w] = mu[w];", (4, 4), tmp_path)
