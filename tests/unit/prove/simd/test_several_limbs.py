"""Products of several words or limbs on vectors are proven for the longest moduli, and wrong ones are not.

The operands of products of several words are shifted into buffers.
"""

from __future__ import annotations

import functools
import json
import tempfile
import tomllib
from pathlib import Path

import pytest

import momagen as mg
from momagen.prove.c.source import COMPILERS, read
from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.vectors.proof import all_paths, moduli_of
from momagen.prove.vectors.shifts import ShiftLemmas

pytest.importorskip("pycparser")

BUFFERS, LIMBS = (
    tomllib.loads(Path(__file__).with_name(f"wrong_{what}.toml").read_text(encoding="utf-8"))["wrong"]
    for what in ("buffers", "limbs")
)


@functools.cache
def files(target: str, bits: int) -> dict[str, str]:
    """Return the files of a generated kernel by name."""
    with tempfile.TemporaryDirectory() as folder:
        mg.blas("vmul", modulus_bits=bits, target=target).save(folder)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


def elements(kernel: tuple[str, int], folder: Path, edit: tuple[str, str] = ("", ""), shifts: bool = False) -> int:
    """Prove an edited kernel for its longest moduli, or for all that are shifted, and count elements."""
    for name, content in files(*kernel).items():
        assert edit[0] in content or not name.endswith(".c"), f"the source no longer contains {edit[0]!r}"
        (folder / name).write_text(content.replace(*edit) if name.endswith(".c") else content, encoding="utf-8")
    path = next(folder.glob("*.c"))
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    compiler, macros = next(iter(COMPILERS.items()))
    source = read(path, macros)
    lemmas = ShiftLemmas(source, claim.bits, claim.words, claim.word) if shifts else None
    return all_paths(source, claim, moduli_of(claim)[0], compiler, lemmas=lemmas)["elements"]


@pytest.mark.slow
@pytest.mark.parametrize("shifts", [False, True])
@pytest.mark.parametrize(("target", "bits"), [("mqx", 124), ("avx512ifma", 60), ("avx512ifma", 124)])
def test_products_are_proven(target: str, bits: int, shifts: bool, tmp_path: Path) -> None:
    assert elements((target, bits), tmp_path, shifts=shifts) > 2


@pytest.mark.thorough
@pytest.mark.sampled(22)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in BUFFERS])
def test_a_wrong_buffer_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ProofError) as refusal:
        elements(("mqx", 124), tmp_path, (wrong["old"], wrong["new"]), shifts=True)
    assert wrong["problem"] in str(refusal.value)


@pytest.mark.thorough
@pytest.mark.sampled(25)
@pytest.mark.parametrize("wrong", [pytest.param(w, id=f"{w['name']}, {w['bits']} bits") for w in LIMBS])
def test_a_wrong_product_of_limbs_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ProofError) as refusal:
        elements(("avx512ifma", int(wrong["bits"])), tmp_path, (wrong["old"], wrong["new"]))
    assert wrong.get("problem", "an element of the result is not proven") in str(refusal.value)
