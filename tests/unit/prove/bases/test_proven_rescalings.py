"""Kernels that divide by the last modulus of a basis are proven, and none with a planted fault is."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from support.bases import files, written

from momagen.prove import kernels
from momagen.prove.bases.claim import Rescaling, rescaling_of
from momagen.prove.bases.proof import prove_basis
from momagen.prove.bases.rescale import RescaleRun
from momagen.prove.kernels import certify, check, prove

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_rescalings.toml").read_text(encoding="utf-8"))["wrong"]
WIDE = [pytest.mark.thorough, pytest.mark.sampled(7)]
Rounding = Literal["nearest", "floor"]


@pytest.mark.parametrize(
    ("count", "bits", "rounding"),
    [
        (2, 50, "nearest"),
        pytest.param(2, 50, "floor", marks=WIDE),
        *(pytest.param(3, bits, "nearest", marks=WIDE) for bits in (8, 20, 33, 60, 62)),
        pytest.param(5, 50, "nearest", marks=WIDE),
    ],
)
def test_a_rescaling_is_proven(count: int, bits: int, rounding: Rounding, tmp_path: Path) -> None:
    found = prove(written(files("rescale", count, bits, rounding=rounding), tmp_path))
    assert found.problem == ""
    assert found.claim.startswith(f"For all {count} moduli q[i] with 1 < q[i] < 2^{bits} of which the last, d, has no")


@pytest.mark.thorough
@pytest.mark.sampled(20)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_rescaling_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    problem = prove(written(files("rescale", 2, 50), tmp_path, (wrong["old"], wrong["new"]))).problem
    assert wrong["problem"] in problem
    assert problem


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize("rounding", ["nearest", "floor"])
def test_the_other_rounding_is_not_proven(
    rounding: Rounding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def claim_from(manifest: dict[str, Any]) -> Rescaling:
        return replace(rescaling_of(manifest), is_nearest=rounding == "floor")

    monkeypatch.setitem(kernels.PROVERS, "rescale", (claim_from, prove_basis))
    kernel = files("rescale", 2, 50, rounding=rounding)
    assert "not proven to be the quotient" in prove(written(kernel, tmp_path)).problem


def _with(**changed: int) -> type[Rescaling]:
    return type("Changed", (Rescaling,), changed)


TIGHTER = {
    "the modulus 1 is accepted": _with(least=1),
    "the modulus 2 is refused": _with(least=3),
    "a longer modulus is accepted": _with(greatest=1 << 50),
    "the longest modulus is refused": _with(greatest=(1 << 50) - 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TIGHTER)
def test_a_tighter_rescaling_is_not_proven(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def claim_from(manifest: dict[str, Any]) -> Rescaling:
        claim = rescaling_of(manifest)
        return TIGHTER[name](claim.name, claim.count, claim.bits, claim.word, claim.is_nearest)

    monkeypatch.setitem(kernels.PROVERS, "rescale", (claim_from, prove_basis))
    assert prove(written(files("rescale", 2, 50), tmp_path)).problem


@pytest.mark.thorough
@pytest.mark.sampled(2)
def test_another_quotient_is_not_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claim the quotient plus the inverse of the divisor."""
    face = RescaleRun._face_of_half
    monkeypatch.setattr(RescaleRun, "_face_of_half", lambda run, row: face(run, row) - 1)
    assert "not proven to be the quotient" in prove(written(files("rescale", 2, 50), tmp_path)).problem


@pytest.mark.slow
def test_a_certificate_proves_a_rescaling_and_no_wrong_one(tmp_path: Path) -> None:
    path = written(files("rescale", 2, 50), tmp_path)
    _, certificate = certify(path)
    assert certificate is not None
    assert check(path, certificate).is_proven
    edit = "mg_restore1(&t3, g_0, x2_0, d_0);", "mg_restore1(&t3, g_0, x1_0, d_0);"
    written(files("rescale", 2, 50), tmp_path, edit)
    assert not check(path, replace(certificate, inputs=prove(path).inputs)).is_proven
