"""Libraries with kernels for GPUs beside ISA variants: files, names, and the one line that refuses."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import momagen as mg
from momagen.clib import Library
from momagen.errors import MomagenError

KERNELS = ["ntt:n=16,bits=64,name=ntt", "vmul:bits=64,name=mul"]


@pytest.fixture(scope="module")
def ring() -> Library:
    return mg.library("ring", KERNELS, targets=["c", "cuda"])


def test_every_kernel_is_there_for_the_gpu(ring: Library) -> None:
    assert [each.source.name for each in ring.gpus] == ["ring_ntt_cuda", "ring_mul_cuda"]
    assert [variant.name for variant in ring.variants] == ["c"]
    for each in ring.gpus:
        text, header = ring.files[f"src/{each.source.name}.cu"], ring.files[f"include/{each.source.name}.h"]
        assert f'#include "{each.source.name}.h"' in text
        assert f"{each.source.name}_create(" in header
        assert f"src/{each.source.name}.cu" in ring.files["CMakeLists.txt"]
        assert f'#include "{each.source.name}.h"' in ring.files["include/ring_cuda.h"]
    assert [kernel.target.syntax for kernel in ring.kernels()] == ["c", "c", "cuda", "cuda"]


def test_without_a_gpu_nothing_speaks_of_one(ring: Library) -> None:
    alone = mg.library("ring", KERNELS, targets=["c"])
    both = dict(ring.files)
    assert not alone.gpus and not [path for path, text in alone.files.items() if "cuda" in (path + text).lower()]
    same = [path for path in alone.files if alone.files[path] == both[path]]
    assert len(alone.files) - len(same) == 5  # CMakeLists.txt, README.md, config.cmake.in, the manifest, ring.toml
    assert alone.header == ring.header


def test_it_is_made_again_from_its_file(ring: Library, tmp_path: Path) -> None:
    ring.save(tmp_path / "ring")
    again = mg.library(tmp_path / "ring" / "ring.toml")
    assert again.files == ring.files
    some = mg.library("ring", [KERNELS[0], {"kind": "vmul", "bits": 64, "name": "mul", "targets": ["c"]}],
                      targets=["c", "cuda"])  # fmt: skip
    assert [each.name for each in some.gpus] == ["ntt"]
    some.save(tmp_path / "some")
    assert mg.library(tmp_path / "some" / "ring.toml").files == some.files


@pytest.mark.compiles
def test_c_and_cpp_take_the_headers_of_all(ring: Library, tmp_path: Path) -> None:
    ring.save(tmp_path / "ring")
    found = [tool for tool in ("gcc", "g++") if shutil.which(tool)]
    if not found:
        pytest.skip("there is no gcc")
    for tool, name in zip(found, ("main.c", "main.cpp"), strict=False):
        (tmp_path / name).write_text(
            "#include <ring.h>\n#include <ring_cuda.h>\n"
            "int main(void) { return RING_NTT_CUDA_OK + RING_OK + (RING_NTT_CUDA_N != RING_NTT_N); }\n"
        )
        command = [tool, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path / 'ring' / 'include'}", name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("targets", "message"), [
    (["cuda"], r"expected at least one target in C in addition to those for GPUs, got only cuda \(use `momagen"),
    (["c", "cuda", "cuda"], "expected every target once, got cuda twice"),
    (["c", "cudo"], "cudo"),
])  # fmt: skip
def test_it_refuses(targets: list[str], message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        mg.library("ring", KERNELS, targets=targets)


def test_a_kernel_has_an_isa_variant() -> None:
    row = {"kind": "vmul", "bits": 64, "targets": ["cuda"]}
    with pytest.raises(MomagenError, match="expected at least one target in C in addition to those for GPUs, got"):
        mg.library("ring", [row], targets=["c", "cuda"])
