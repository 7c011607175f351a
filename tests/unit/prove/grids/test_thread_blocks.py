"""Transforms for CUDA are proven, and texts with races or wrong barriers and launches are refused for this reason."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.grids import shapes_of
from support.transforms import files, written

import momagen as mg
from momagen.prove.c.checks.text import read_text
from momagen.prove.c.cuda.source import device_text, parse_device
from momagen.prove.certificates.guide import SEARCH
from momagen.prove.grids.launches import launches_of
from momagen.prove.grids.threads.claim import grid_transform_of
from momagen.prove.grids.threads.proof import narrowed_to_long
from momagen.prove.kernels import certify, check, prove
from momagen.prove.transforms.claim import Moduli

pytest.importorskip("pycparser")

FAULTS = {
    name: tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))["wrong"]
    for name in ("wrong_thread_blocks", "wrong_long_thread_blocks")
}
WRONG, LONG = FAULTS.values()
SLOW = pytest.mark.thorough, pytest.mark.sampled(5)


@pytest.mark.parametrize(
    "wrong", [pytest.param(each, id=each["name"], marks=SLOW if at % 8 else ()) for at, each in enumerate(WRONG)]
)
def test_a_wrong_transform_on_threads_is_not_proven(wrong: dict[str, Any], tmp_path: Path) -> None:
    found = prove(written(files(8, 28, target="cuda"), tmp_path, *map(tuple, wrong["edits"])))
    assert wrong["problem"] in found.problem


@pytest.mark.parametrize(
    "wrong", [pytest.param(each, id=each["name"], marks=SLOW if at % 7 else ()) for at, each in enumerate(LONG)]
)
def test_a_wrong_transform_of_two_words_is_not_proven(wrong: dict[str, Any], tmp_path: Path) -> None:
    found = prove(written(files(2, 60, target="cuda"), tmp_path, *map(tuple, wrong["edits"])))
    assert wrong["problem"] in found.problem


@pytest.mark.thorough
@pytest.mark.sampled(12)
@pytest.mark.parametrize(("is_negacyclic", "is_inverse"), [(False, False), (True, True), (True, False), (False, True)])
@pytest.mark.parametrize(("n", "bits"), [(2, 31), (8, 28), (8, 31), (64, 31), (2, 60)])
def test_a_transform_on_threads_is_proven(
    n: int, bits: int, is_negacyclic: bool, is_inverse: bool, tmp_path: Path
) -> None:
    result = prove(written(files(n, bits, is_negacyclic, is_inverse, target="cuda"), tmp_path))
    assert result.problem == ""
    assert "No two threads access the same word" in result.claim
    assert result.compilers == ("NVRTC",)


@pytest.mark.slow
def test_a_certificate_of_threads_proves_its_kernel_only(tmp_path: Path) -> None:
    path = written(files(8, 28, target="cuda"), tmp_path)
    result, certificate = certify(path)
    assert result.is_proven
    assert certificate is not None
    assert check(path, certificate).problem == ""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("4220,", "4216,", 1), encoding="utf-8")
    assert check(path, certificate).problem


@pytest.mark.parametrize(("n", "bits"), [(8, 28), (64, 31)])
def test_the_launches_of_a_transform_are_those_of_the_python_driver(n: int, bits: int) -> None:
    program = mg.ntt(n, modulus_bits=bits, target="cuda").generated.program
    text = next(text for name, text in files(n, bits, target="cuda").items() if name.endswith(".cu"))
    found = launches_of(text)
    assert shapes_of(found.setup) == shapes_of(program.setup)
    assert shapes_of(found.run) == shapes_of(program.run)
    assert [row.operands for row in found.run] == [tuple(launch.operands) for launch in program.run]
    assert (found.constants, found.tables, found.powers) == (program.constants, program.tables, program.powers)


def test_names_of_faults_on_threads_are_unique() -> None:
    for faults in FAULTS.values():
        assert len({wrong["name"] for wrong in faults}) == len(faults)


@pytest.mark.parametrize(("bits", "least"), [(31, "2"), (60, "2^32"), (124, "2^96")])
def test_the_claim_of_long_moduli_says_which_are_supported(bits: int, least: str, tmp_path: Path) -> None:
    path = written(files(2, bits, target="cuda"), tmp_path)
    claim = grid_transform_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")), read_text(path))
    narrowed = narrowed_to_long(parse_device(device_text(path)), claim, "", SEARCH)
    assert f"For every odd q with {least} < q < 2^{bits}, " in narrowed.text()
    assert narrowed.moduli == Moduli(3 if bits == 31 else 1 << int(least[2:]), (1 << bits) - 1, 1)
