"""Kernels that divide by the last modulus of a basis are proven, and none with a planted fault is."""

from __future__ import annotations

import functools
import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

import momagen as mg
from momagen.prove import kernels
from momagen.prove.bases.claim import Rescaling, rescaling_of
from momagen.prove.bases.rescale import RescaleRun, prove_rescaling
from momagen.prove.kernels import certify, check, prove

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_rescalings.toml").read_text(encoding="utf-8"))["wrong"]
WIDE = [pytest.mark.thorough, pytest.mark.sampled(4)]
Rounding = Literal["nearest", "floor"]


@functools.cache
def _files(count: int, bits: int, rounding: Rounding = "nearest") -> dict[str, str]:
    """Return the files of a generated kernel by name."""
    with tempfile.TemporaryDirectory() as folder:
        mg.rescale(count, modulus_bits=bits, rounding=rounding, target="c").save(folder)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


def _written(files: dict[str, str], folder: Path, *edits: tuple[str, str]) -> Path:
    """Write a kernel with edits of its C source into a folder, and return the path of the source."""
    for name, content in files.items():
        text = content
        for old, new in edits if name.endswith(".c") else ():
            assert old in text, f"the generated source no longer contains {old!r}"
            text = text.replace(old, new)
        (folder / name).write_text(text, encoding="utf-8")
    return next(folder.glob("*.c"))


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
    found = prove(_written(_files(count, bits, rounding), tmp_path))
    assert found.problem == ""
    assert found.claim.startswith(f"For all {count} moduli q[i] with 1 < q[i] < 2^{bits} of which the last, d, has no")


@pytest.mark.thorough
@pytest.mark.sampled(12)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_rescaling_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    problem = prove(_written(_files(2, 50), tmp_path, (wrong["old"], wrong["new"]))).problem
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

    monkeypatch.setitem(kernels.PROVERS, "rescale", (claim_from, prove_rescaling))
    assert "not proven to be the quotient" in prove(_written(_files(2, 50, rounding), tmp_path)).problem


def _with(**changed: int) -> type[Rescaling]:
    return type("Changed", (Rescaling,), changed)


TIGHTER = {
    "the modulus 1 is accepted": _with(least=1),
    "the modulus 2 is refused": _with(least=3),
    "a longer modulus is accepted": _with(greatest=1 << 50),
    "the longest modulus is refused": _with(greatest=(1 << 50) - 2),
}


@pytest.mark.thorough
@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", TIGHTER)
def test_a_tighter_rescaling_is_not_proven(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def claim_from(manifest: dict[str, Any]) -> Rescaling:
        claim = rescaling_of(manifest)
        return TIGHTER[name](claim.name, claim.count, claim.bits, claim.word, claim.is_nearest)

    monkeypatch.setitem(kernels.PROVERS, "rescale", (claim_from, prove_rescaling))
    assert prove(_written(_files(2, 50), tmp_path)).problem


@pytest.mark.thorough
@pytest.mark.sampled(2)
def test_another_quotient_is_not_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claim the quotient plus the inverse of the divisor."""
    face = RescaleRun._face_of_half
    monkeypatch.setattr(RescaleRun, "_face_of_half", lambda run, row: face(run, row) - 1)
    assert "not proven to be the quotient" in prove(_written(_files(2, 50), tmp_path)).problem


@pytest.mark.thorough
@pytest.mark.sampled(2)
def test_a_certificate_proves_a_rescaling_and_no_wrong_one(tmp_path: Path) -> None:
    path = _written(_files(2, 50), tmp_path)
    _, certificate = certify(path)
    assert certificate is not None
    assert check(path, certificate).is_proven
    _written(_files(2, 50), tmp_path, ("mg_restore1(&t3, g_0, x2_0, d_0);", "mg_restore1(&t3, g_0, x1_0, d_0);"))
    assert not check(path, replace(certificate, inputs=prove(path).inputs)).is_proven
