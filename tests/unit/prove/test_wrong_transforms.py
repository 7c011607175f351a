"""Wrong transforms, each as edits of a generated kernel."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.transforms import files, written

from momagen.prove.kernels import prove

pytest.importorskip("pycparser")

TABLES = ("wrong_transforms.toml", "wrong_sources.toml", "wrong_widths.toml", "wrong_word_transforms.toml")
WRONG = [
    wrong
    for table in TABLES
    for wrong in tomllib.loads(Path(__file__).with_name(table).read_text(encoding="utf-8"))["wrong"]
]


@pytest.mark.thorough
@pytest.mark.sampled(8)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_transform_is_not_proven(wrong: dict[str, Any], tmp_path: Path) -> None:
    edits = [(edit["old"], edit["new"]) for edit in wrong["edits"]]
    found = files(wrong.get("n", 16), wrong.get("bits", 60), target=wrong.get("target", "c"))
    assert wrong["problem"] in prove(written(found, tmp_path, *edits)).problem
