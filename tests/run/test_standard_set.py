"""A standard set of kernels, ``standard_set.toml``: no compiler warns of any."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from momagen.cuda.nvrtc import compile_cuda, nvrtc_version
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import SHIPPED
from momagen.languages import B512, CUDA, JAX
from momagen.regen.kernels import files, specifications
from momagen.runtime import Compiler, list_compilers

COMPILERS = [compiler for compiler in list_compilers() if compiler.kind in ("gcc", "clang")]
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
ABLE = platform.machine() in ("x86_64", "AMD64")
X86 = ["-mavx2", "-mfma", "-mavx512f", "-mavx512dq", "-mavx512ifma", "-mavx512vbmi2"]
EMULATED = ["-Wno-pedantic"]
"""The emulation of MQX uses unsigned __int128, which ISO C does not have."""
KEPT = Path(__file__).parents[2] / "generated"
SET = specifications(Path(__file__).with_name("standard_set.toml"))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: str(compiler.command[0]))
@pytest.mark.parametrize("spec", SET, ids=lambda spec: spec.name)
def test_no_compiler_warns(spec: Spec, compiler: Compiler, tmp_path: Path) -> None:
    if needs_x86(spec) and not ABLE:
        pytest.skip(f"compilers for {platform.machine()}")
    for name, text in files(spec).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    flags = [*STRICT, *(X86 if needs_x86(spec) else []), *(EMULATED if str(spec.target) == "mqx" else [])]
    line = [*compiler.command, *flags, str(tmp_path / f"{spec.name}.c")]
    done = subprocess.run(line, capture_output=True, text=True)
    assert not done.returncode, done.stderr


def test_kept_kernels_stay_few() -> None:
    """``generated/`` is for reading: below 1.6 megabytes, and every kernel in C in it is compiled above."""
    assert sum(path.stat().st_size for path in KEPT.iterdir()) < 1_600_000
    kept = specifications(KEPT / "manifest.toml")
    assert {str(spec.kind) for spec in kept} == {*SHIPPED}
    assert {spec.name for spec in kept if syntax(spec) not in (CUDA, B512, JAX)} < {spec.name for spec in SET}


@pytest.mark.skipif(nvrtc_version() is None, reason="NVRTC is missing")
def test_kept_kernels_for_gpus_compile_without_a_warning() -> None:
    found = [spec for spec in specifications(KEPT / "manifest.toml") if syntax(spec) == CUDA]
    for spec in found:
        log = compile_cuda((KEPT / f"{spec.name}.cu").read_text(encoding="utf-8"), "sm_90").log
        assert "warning" not in log.lower(), log
    assert found


def needs_x86(spec: Spec) -> bool:
    """Return whether the kernel uses vectors of x86 CPUs."""
    return str(spec.target).startswith(("avx", "mqx"))


def syntax(spec: Spec) -> str:
    return spec.target.syntax
