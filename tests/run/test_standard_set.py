"""The standard set in ``generated/``: what compilers say of it. `momagen regen --check` compares its bytes."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from momagen.build import Compiler, list_compilers
from momagen.data import folder

COMPILERS = [compiler for compiler in list_compilers() if compiler.kind in ("gcc", "clang")]
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
ABLE = platform.machine() in ("x86_64", "AMD64")
X86 = ["-mavx2", "-mfma", "-mavx512f", "-mavx512dq", "-mavx512ifma", "-mavx512vbmi2"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: str(compiler.command[0]))
@pytest.mark.parametrize("file", sorted(folder("generated").glob("*.c")), ids=lambda file: file.stem)
def test_no_compiler_warns(file: Path, compiler: Compiler) -> None:
    if "_avx" in file.stem and not ABLE:
        pytest.skip(f"compilers for {platform.machine()}")
    flags = [*STRICT, *(X86 if "_avx" in file.stem else [])]
    done = subprocess.run([*compiler.command, *flags, str(file)], capture_output=True, text=True)
    assert not done.returncode, done.stderr
