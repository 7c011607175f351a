"""Kernels whose machine code is proven as gcc makes it, from the command line."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import pytest
from support import proofs

from momagen.cli import main

pytestmark = [
    pytest.mark.compiles,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the machine code is for x86-64"),
]


@pytest.mark.parametrize("level", ["O3", pytest.param("O2", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("kind", "bits"),
    [
        ("vmul", 60),
        ("vsub", 252),
        *(pytest.param("vmul", bits, marks=pytest.mark.slow) for bits in (124, 252)),
        *(pytest.param(kind, bits, marks=pytest.mark.slow) for kind in ("vadd", "vsub") for bits in (60, 124)),
    ],
)
def test_machine_code_of_gcc_is_proven(
    kind: str, bits: int, level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = proofs.written(kind, bits, proofs.source(kind, bits), tmp_path)
    assert main(["prove", str(path), "--machine", "--compiler", "gcc", "--level", level, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert f"the machine code of {kind}_{bits}b_c_execute as made by gcc" in found["machine"]
    assert f"-{level} " in found["machine"]


def test_machine_code_of_an_inner_product_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = proofs.written("dot", 60, proofs.source("dot", 60), tmp_path)
    assert main(["prove", str(path), "--machine", "--compiler", "gcc"]) == 1
    assert "machine code of such kernels is not supported yet" in capsys.readouterr().out


@pytest.mark.parametrize("option", [["--level", "O2"], ["--compiler", "gcc"]])
def test_an_option_for_machine_code_needs_machine_code(
    option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = proofs.written("vadd", 60, proofs.source("vadd", 60), tmp_path)
    assert main(["prove", str(path), *option]) == 2
    assert "--machine with --level and --compiler" in capsys.readouterr().err
