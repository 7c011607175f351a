"""The faults that scripts/prove_faults.py plants: there are some of each class, and each of them changes its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pycparser")
from prove_faults import BODIES, CLAIMS, CLASSES, KERNELS, faults_of

import momagen as mg

ANYWHERE = ("constants", "operators")
"""The classes of which a program for B512 has faults, too."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("kind", "parameters"), KERNELS, ids=str)
def test_each_class_has_faults_that_change_the_file(kind: str, parameters: dict[str, Any], tmp_path: Path) -> None:
    mg.kernel(kind, **parameters).save(tmp_path)
    files = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    is_program = parameters["target"] == "b512"
    for share in (*CLASSES, CLAIMS):
        found = faults_of(files, share)
        assert found or share in (BODIES, "tables", "types", "steps") or (is_program and share not in ANYWHERE)
        assert all(fault.text != files[fault.file] for fault in found)


@pytest.mark.parametrize("kind", ["vadd", "ntt", "rescale"])
def test_changed_claims_request_other_kernels(kind: str, tmp_path: Path) -> None:
    own = next(parameters for name, parameters in KERNELS if name == kind)
    mg.kernel(kind, **own).save(tmp_path)
    (manifest,) = tmp_path.glob("*.json")
    before = json.loads(manifest.read_text(encoding="utf-8"))
    found = [json.loads(fault.text) for fault in faults_of({manifest.name: json.dumps(before)}, CLAIMS)]
    assert len(found) > 4 and all(each["spec"] != before["spec"] for each in found)
