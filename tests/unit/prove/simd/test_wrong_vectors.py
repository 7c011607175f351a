"""Wrong element-wise kernels on vectors are refused for the expected reason."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import momagen as mg
from momagen.prove.kernels import prove

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_vectors.toml").read_text(encoding="utf-8"))["wrong"]


@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_kernel_is_not_proven(wrong: dict[str, Any], tmp_path: Path) -> None:
    kind, bits, target = wrong["kernel"]
    mg.blas(kind, modulus_bits=bits, target=target).save(tmp_path)
    (path,) = tmp_path.glob("*.c")
    text = path.read_text(encoding="utf-8")
    assert wrong["old"] in text
    path.write_text(text.replace(wrong["old"], wrong["new"]), encoding="utf-8")
    assert wrong["problem"] in prove(path).problem
