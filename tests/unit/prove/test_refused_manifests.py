"""A proof refuses a file that is no manifest of a kernel with the error of a user, as the command line does."""

from __future__ import annotations

from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.prove.bases.claim import key_switch_of
from momagen.prove.checker import ProofError
from momagen.prove.claims import sizes_of
from momagen.prove.kernels import prove

pytest.importorskip("pycparser")

REFUSED = {
    "[]": "f.json: expected the manifest of a kernel with its “name” and “spec”, got []",
    "3": "f.json: expected the manifest of a kernel with its “name” and “spec”, got 3",
    "{}": "f.json: expected the manifest of a kernel with its “name” and “spec”, got {}",
    '{"name": "f", "spec": 3}': "“name” and “spec”, got {'name': 'f', 'spec': 3}",
    '{"name": [], "spec": {}}': "“name” and “spec”, got {'name': [], 'spec': {}}",
    '{"name"': "f.json: expected a manifest in JSON, got",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_file_that_is_no_manifest_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("", encoding="utf-8")
    (tmp_path / "f.json").write_text(text, encoding="utf-8")
    with pytest.raises(MomagenError) as refusal:
        prove(tmp_path / "f.c")
    assert REFUSED[text] in str(refusal.value)


def test_a_missing_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match="expected a saved kernel"):
        prove(tmp_path / "f.c")


@pytest.mark.parametrize(("target", "bits"), [("c", 64), ("c32", 62), ("c64", 1)])
def test_a_modulus_that_is_longer_than_a_residue_is_refused(target: str, bits: int) -> None:
    spec = {"modulus": hex((1 << 64) + 13), "bits": bits, "target": target}
    with pytest.raises(ProofError, match="the manifest states a modulus of 65 bits"):
        sizes_of(spec)


def test_moduli_of_a_basis_that_are_longer_than_a_word_are_refused() -> None:
    spec = {"target": "c", "threads": 0, "moduli": ["0x7", hex((1 << 64) + 13)], "digits": 2, "outputs": 2}
    with pytest.raises(ProofError, match="the manifest states moduli of 65 bits"):
        key_switch_of({"name": "f", "words": 1, "spec": {**spec, "input_factor": 1}})
