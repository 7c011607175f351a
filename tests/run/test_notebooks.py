"""docs/notebooks: every cell runs, and what is kept beside the cells is small, whole and nobody's own.

`jupyter execute --inplace docs/notebooks/*.ipynb` runs them anew.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
LARGEST = 100_000
"""Bytes of a notebook with its outputs."""


def outputs(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [output for cell in content["cells"] for output in cell.get("outputs", [])]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_kept(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    ran = [cell["execution_count"] for cell in content["cells"] if cell["cell_type"] == "code"]
    assert ran == list(range(1, len(ran) + 1)), "executed from top to bottom, once"
    assert len(text) <= LARGEST and not [o for o in outputs(content) if o["output_type"] == "error"]
    shown = json.dumps(outputs(content))
    assert not re.search(r"/(home|root|tmp|work|Users|var|usr)/", shown) and "stderr" not in shown


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (extra “test”)")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (extra “test”)")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed (extra “test”)")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    kept = {cell["id"] for cell in notebook.cells if cell.cell_type == "code" and cell.outputs}
    before = {c["id"] for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c.get("outputs")}
    assert kept == before and len(kept) > 5


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["first_kernel", "how_a_kernel_is_made", "how_fast_and_why"]
