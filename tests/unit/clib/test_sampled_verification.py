"""Emulated transforms of any size are verified at two sizes, and the report, the table and the file say so."""

from __future__ import annotations

from pathlib import Path

import pytest

import momagen as mg
from momagen.api import Kernel
from momagen.cli import main
from momagen.clib import library
from momagen.errors import MomagenError
from momagen.verify.effort import sample_of

pytestmark = pytest.mark.compiles
KERNELS = ["ntt:n=any,max_n=128,bits=60,negacyclic", "vadd:bits=60"]
ONLY = "n = 16 and 64 only"


@pytest.fixture(autouse=True)
def _emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this CPU lack every target."""
    monkeypatch.setattr(Kernel, "emulated", True)


def test_a_sample_names_its_sizes_until_all_are_verified() -> None:
    made = library("mine", KERNELS, targets=["c"])
    ntt, vadd = made.verify(all_sizes=False)
    path = f"src/{ntt.kernel}.c"
    assert ntt.ok and ntt.sizes == (16, 64) and ONLY in str(ntt) and f", {ONLY}" in made.files[path]
    assert vadd.ok and not vadd.sizes and "only" not in str(vadd)
    whole = made.verify()[0]
    assert whole.ok and not whole.sizes and whole.vectors > ntt.vectors and ONLY not in str(whole)
    assert "Verified against gmpy2 with" in made.files[path] and ONLY not in made.files[path]


def test_a_sample_of_shorter_transforms_is_the_longest() -> None:
    assert sample_of((8, 4, 2)) == (8,) and sample_of((128, 64, 32, 16)) == (16, 64)


@pytest.mark.parametrize("kernel", [mg.ntt(16, bits=60), mg.ntt("any", max_n=32, bits=60)], ids=["one size", "shorter"])
def test_a_kernel_has_the_sizes_that_are_asked_for(kernel: Kernel) -> None:
    with pytest.raises(MomagenError, match="numbers of points that a kernel of any size supports, got 64"):
        kernel.verify(sizes=[64])


@pytest.mark.parametrize("every", [False, True])
def test_the_command_samples_unless_all_sizes_are_asked_for(
    every: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["lib", KERNELS[0], "--targets", "c", "--output", str(tmp_path / "mine"), "--json"]
    assert main([*line, *["--verify-all"] * every]) == 0
    assert ('"sizes": []' in capsys.readouterr().out) == every
