"""Kernels that compute the inner products of key switching are proven, and none with a planted fault is."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.bases import files, written

from momagen.prove import kernels
from momagen.prove.bases.claim import KeySwitch, key_switch_of
from momagen.prove.bases.proof import prove_basis
from momagen.prove.kernels import prove

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_key_switches.toml").read_text(encoding="utf-8"))["wrong"]
WIDE = [pytest.mark.thorough, pytest.mark.sampled(8)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("count", "bits", "digits", "options"),
    [
        pytest.param(2, 50, 3, {}, marks=WIDE),
        *(pytest.param(2, bits, 2, {}, marks=WIDE) for bits in (31, 40, 60)),
        pytest.param(3, 50, 4, {}, marks=WIDE),
        pytest.param(1, 50, 2, {"outputs": 1}, marks=WIDE),
        pytest.param(2, 50, 2, {"input_factor": 4}, marks=WIDE),
    ],
)
def test_a_key_switch_is_proven(
    count: int, bits: int, digits: int, options: dict[str, int], tmp_path: Path
) -> None:
    found = prove(written(files("keyswitch", count, bits, digits=digits, **options), tmp_path))
    assert found.problem == ""
    assert found.claim.startswith(f"For all {count} moduli q[i] with 1 < q[i] < 2^{bits}, {digits} digits and every n")


@pytest.mark.thorough
@pytest.mark.sampled(13)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_key_switch_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    problem = prove(written(files("keyswitch", 2, 50), tmp_path, (wrong["old"], wrong["new"]))).problem
    assert wrong["problem"] in problem
    assert problem


@pytest.mark.slow
@pytest.mark.parametrize("changed", [{"outputs": 1}, {"bits": 49}, {"bits": 51}])
def test_another_key_switch_is_not_proven(
    changed: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def claim_from(manifest: dict[str, Any]) -> KeySwitch:
        return replace(key_switch_of(manifest), **changed)

    monkeypatch.setitem(kernels.PROVERS, "keyswitch", (claim_from, prove_basis))
    assert prove(written(files("keyswitch", 2, 50), tmp_path)).problem
