"""Products on vectors are proven for all shifts of the modulus at once, and no product with a wrong shift is."""

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

WRONG = tomllib.loads(Path(__file__).with_name("wrong_vector_shifts.toml").read_text(encoding="utf-8"))["wrong"]


@functools.cache
def files() -> dict[str, str]:
    """Return the files of the generated kernel by name."""
    with tempfile.TemporaryDirectory() as folder:
        mg.blas("vmul", modulus_bits=60, target="avx2").save(folder)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


def elements(folder: Path, old: str = "", new: str = "", power: bool = False) -> int:
    """Prove the edited kernel for moduli that are shifted, and return how many elements were checked."""
    for name, content in files().items():
        assert old in content or not name.endswith(".c"), f"the generated source no longer contains {old!r}"
        text = content.replace(old, new, 1) if old and name.endswith(".c") else content
        (folder / name).write_text(text, encoding="utf-8")
    path = next(folder.glob("*.c"))
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    compiler, macros = next(iter(COMPILERS.items()))
    source = read(path, macros)
    lemmas = ShiftLemmas(source, claim.bits, claim.words, claim.word)
    return all_paths(source, claim, moduli_of(claim)[power], compiler, lemmas=lemmas)["elements"]


@pytest.mark.slow
@pytest.mark.parametrize("power", [False, True])
def test_all_shifts_are_proven_at_once(power: bool, tmp_path: Path) -> None:
    assert elements(tmp_path, power=power) > 60


@pytest.mark.thorough
@pytest.mark.sampled(10)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_shift_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ProofError) as refusal:
        elements(tmp_path, wrong["old"], wrong["new"])
    assert wrong["problem"] in str(refusal.value)
