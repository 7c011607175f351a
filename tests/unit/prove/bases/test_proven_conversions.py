"""Kernels that convert residues between bases are proven, and none with a planted fault is."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.bases import files, written

from momagen.prove import kernels
from momagen.prove.bases.conversions.claim import Conversion, conversion_of
from momagen.prove.bases.proof import prove_basis
from momagen.prove.kernels import prove

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_conversions.toml").read_text(encoding="utf-8"))["wrong"]
WIDE = [pytest.mark.thorough, pytest.mark.sampled(5)]


@pytest.mark.parametrize(
    ("count", "goals", "bits", "options"),
    [
        pytest.param(2, 1, 50, {}, marks=WIDE),
        pytest.param(3, 2, 50, {"positive": True}, marks=WIDE),
        pytest.param(3, 2, 50, {"method": "fast"}, marks=WIDE),
        pytest.param(3, 2, 50, {"method": "corrected"}, marks=WIDE),
        pytest.param(3, 2, 50, {"scaled": True}, marks=WIDE),
    ],
)
def test_a_conversion_is_proven(
    count: int, goals: int, bits: int, options: dict[str, Any], tmp_path: Path
) -> None:
    found = prove(written(files("convert", count, bits, to=goals, **options), tmp_path))
    assert found.problem == ""
    odd = "" if "method" in options else "odd "
    assert found.claim.startswith(f"For all {count} {odd}moduli q[i] of which no two have a common factor, all {goals}")


@pytest.mark.thorough
@pytest.mark.sampled(30)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_conversion_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    problem = prove(written(files("convert", 2, 50, to=1), tmp_path, (wrong["old"], wrong["new"]))).problem
    assert wrong["problem"] in problem
    assert problem


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed",
    [{"is_positive": True}, {"is_scaled": True}, {"bits": 49}, {"bits": 51}, {"method": "fast"}, {"goals": 2}],
)
def test_another_conversion_is_not_proven(
    changed: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def claim_from(manifest: dict[str, Any]) -> Conversion:
        return replace(conversion_of(manifest), **changed)

    monkeypatch.setitem(kernels.PROVERS, "convert", (claim_from, prove_basis))
    assert prove(written(files("convert", 2, 50, to=1), tmp_path)).problem
