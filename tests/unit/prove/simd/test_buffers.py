"""Products of several words on vectors, whose operands are shifted into buffers, are proven; wrong ones are not."""

from __future__ import annotations

import json
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

WRONG = tomllib.loads(Path(__file__).with_name("wrong_buffers.toml").read_text(encoding="utf-8"))["wrong"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the files of the generated kernel by name."""
    folder = tmp_path_factory.mktemp("kernel")
    mg.blas("vmul", modulus_bits=124, target="mqx").save(folder)
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def elements(files: dict[str, str], folder: Path, old: str = "", new: str = "") -> int:
    """Prove the edited kernel for the longest moduli that are shifted, and return how many elements were checked."""
    for name, content in files.items():
        assert old in content or not name.endswith(".c"), f"the generated source no longer contains {old!r}"
        text = content.replace(old, new) if old and name.endswith(".c") else content
        (folder / name).write_text(text, encoding="utf-8")
    path = next(folder.glob("*.c"))
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    compiler, macros = next(iter(COMPILERS.items()))
    source = read(path, macros)
    lemmas = ShiftLemmas(source, claim.bits, claim.words, claim.word)
    return all_paths(source, claim, moduli_of(claim)[0], compiler, lemmas=lemmas)["elements"]


@pytest.mark.slow
def test_buffers_are_proven(files: dict[str, str], tmp_path: Path) -> None:
    assert elements(files, tmp_path) > 2


@pytest.mark.thorough
@pytest.mark.sampled(22)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_buffer_is_not_proven(wrong: dict[str, str], files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ProofError) as refusal:
        elements(files, tmp_path, wrong["old"], wrong["new"])
    assert wrong["problem"] in str(refusal.value)
