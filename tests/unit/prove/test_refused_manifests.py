"""A proof refuses a file that is no manifest of a kernel with the error of a user, as the command line does."""

from __future__ import annotations

from pathlib import Path

import pytest

from momagen.errors import MomagenError
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
