"""Kernels whose calls leave a buffer to each other are proven for all outcomes of exchanges, and wrong ones are not."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from support.transforms import files, product_files, written

from momagen.prove.kernels import prove

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_buffers.toml").read_text(encoding="utf-8"))["wrong"]


@pytest.mark.parametrize(
    ("is_negacyclic", "is_inverse"),
    [
        pytest.param(False, False, marks=pytest.mark.thorough),
        pytest.param(True, False, marks=pytest.mark.thorough),
        pytest.param(False, True, marks=pytest.mark.thorough),
        (True, True),
    ],
)
def test_a_transform_in_natural_order_is_proven(is_negacyclic: bool, is_inverse: bool, tmp_path: Path) -> None:
    found = files(8, 60, is_negacyclic, is_inverse, order="natural")
    assert "take_room" in found[next(name for name in found if name.endswith(".c"))]
    result = prove(written(found, tmp_path))
    assert result.problem == ""
    assert "in natural order" in result.claim


@pytest.mark.thorough
@pytest.mark.parametrize("is_negacyclic", [False, True])
def test_a_product_of_polynomials_is_proven(is_negacyclic: bool, tmp_path: Path) -> None:
    result = prove(written(product_files(4, 60, is_negacyclic), tmp_path))
    assert result.problem == ""
    assert f"modulo X^4 {'+' if is_negacyclic else '-'} 1" in result.claim


@pytest.mark.thorough
@pytest.mark.sampled(8)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_use_of_a_buffer_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    path = written(product_files(4, 60), tmp_path, (wrong["old"], wrong["new"]))
    assert wrong["problem"] in prove(path).problem
