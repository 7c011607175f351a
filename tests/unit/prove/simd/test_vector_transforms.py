"""Transforms on vectors are proven for every modulus and root, and wrong ones are refused for the expected reason."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.transforms import files, written

from momagen.prove.kernels import prove

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_vector_transforms.toml").read_text(encoding="utf-8"))["wrong"]


@pytest.mark.thorough
@pytest.mark.sampled(8)
@pytest.mark.parametrize("n", [8, 16, 32, 64])
@pytest.mark.parametrize("is_inverse", [False, True])
@pytest.mark.parametrize("is_negacyclic", [False, True])
def test_a_transform_is_proven(n: int, is_inverse: bool, is_negacyclic: bool, tmp_path: Path) -> None:
    bits, target = 50, "avx512ifma"
    result = prove(written(files(n, bits, is_negacyclic, is_inverse, target), tmp_path))
    assert result.problem == ""
    assert f"q < 2^{bits}" in result.claim
    assert result.elements == 2 * n, "all compilers see forms that are proven to be the same"


@pytest.mark.thorough
@pytest.mark.sampled(12)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_transform_is_not_proven(wrong: dict[str, Any], tmp_path: Path) -> None:
    found = files(64, wrong["bits"], is_inverse=wrong.get("inverse", False), target=wrong["target"])
    assert wrong["problem"] in prove(written(found, tmp_path, (wrong["old"], wrong["new"]))).problem
