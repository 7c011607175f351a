"""Kernels that divide by several moduli of a basis are proven, and none with a planted fault is."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.bases import files, written

from momagen.prove import kernels
from momagen.prove.bases.conversions import sums
from momagen.prove.bases.conversions.claim import ModDown, division_of
from momagen.prove.bases.proof import prove_basis
from momagen.prove.kernels import prove

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_divisions.toml").read_text(encoding="utf-8"))["wrong"]
WIDE = [pytest.mark.thorough, pytest.mark.sampled(3)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("count", "bits", "options"),
    [
        pytest.param(4, 50, {"drop": 2, "method": "corrected"}, marks=WIDE),
        pytest.param(4, 50, {"drop": 2, "method": "exact"}, marks=WIDE),
        pytest.param(4, 50, {"drop": 2, "method": "fast"}, marks=WIDE),
    ],
)
def test_a_division_is_proven(count: int, bits: int, options: dict[str, Any], tmp_path: Path) -> None:
    found = prove(written(files("moddown", count, bits, **options), tmp_path))
    assert found.problem == ""
    last = f"of which the last {options['drop']}, the divisors"
    assert found.claim.startswith(f"For all {count} moduli q[i] with 1 < q[i] < 2^{bits} {last}")


@pytest.mark.thorough
@pytest.mark.sampled(25)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_division_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    problem = prove(written(files("moddown", 3, 50, drop=2), tmp_path, (wrong["old"], wrong["new"]))).problem
    assert wrong["problem"] in problem
    assert problem


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed", [{"drop": 1}, {"bits": 49}, {"bits": 51}, {"method": "fast"}, {"method": "exact"}]
)
def test_another_division_is_not_proven(
    changed: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def claim_from(manifest: dict[str, Any]) -> ModDown:
        return replace(division_of(manifest), **changed)

    monkeypatch.setitem(kernels.PROVERS, "moddown", (claim_from, prove_basis))
    assert prove(written(files("moddown", 3, 50, drop=2), tmp_path)).problem


@pytest.mark.slow
def test_a_more_precise_division_is_not_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claim that remainders exceed half of the divisor by at most its part 2^-70; the kernel reaches 2^-69."""
    monkeypatch.setattr(sums, "PRECISION", 70)
    assert "not proven to be precise" in prove(written(files("moddown", 3, 50, drop=2), tmp_path)).problem
