"""What compiles the text of a kernel, in each language, without running it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from every_kernel import Text

from momagen.cuda.nvrtc import architectures, compile_cuda
from momagen.emit.jax.running.module import run_text
from momagen.languages import B512, COMPILED, CUDA, JAX
from momagen.rpu.isa.kernel_text import read_kernel
from momagen.runtime.compiled import stand_ins
from momagen.runtime.compiler import find_compiler
from momagen.runtime.features import missing_features
from momagen.targets import Target, load_target

STRICT = (
    "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-memset-elt-size",
    "-Wno-unknown-warning-option", "-O0",
)  # fmt: skip
NVRTC_ARCHITECTURE = "sm_90"
"""For targets of any GPU, and of those for which the NVRTC here does not compile."""


def _in_c(text: Text, target: Target, folder: Path) -> None:
    """Compile C, with plain C for the instructions that this CPU lacks, as verification does."""
    missing = missing_features(target.features)
    headers = {f"{text.name}.h": text.header} | (stand_ins(target, missing) if missing else {})
    for name, content in {f"{text.name}.c": text.source, **headers}.items():
        (folder / name).write_text(content, encoding="utf-8")
    flags = ["-DMOMAGEN_STANDINS"] if missing else [*target.flags]
    command = [*find_compiler().command, *STRICT, *flags, "-c", f"{text.name}.c", "-o", "kernel.o"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


def _in_cuda(text: Text, target: Target, folder: Path) -> None:
    known = target.architecture in architectures()
    arch = target.architecture if known else NVRTC_ARCHITECTURE
    assert compile_cuda(text.source, arch.replace("sm", "compute")).ptx


def _in_jax(text: Text, target: Target, folder: Path) -> None:
    assert callable(run_text(text.name, text.source, target.name)["execute"])


def _in_python(text: Text, target: Target, folder: Path) -> None:
    names: dict[str, object] = {}
    exec(compile(text.source, f"{text.name}.py", "exec"), names)
    assert callable(names["execute"])


def _in_b512(text: Text, target: Target, folder: Path) -> None:
    assert read_kernel(text.source, text.name).program


COMPILERS: dict[str, Callable[[Text, Target, Path], None]] = {
    COMPILED: _in_c, CUDA: _in_cuda, JAX: _in_jax, "python": _in_python, B512: _in_b512,
}  # fmt: skip
"""By the syntax of a target."""


def demand_compiled(text: Text, target: str, folder: Path) -> None:
    """Compile ``text`` by the compiler of the target's language.

    Raises:
        AssertionError: the C compiler refuses.
        MomagenError: another compiler refuses.
    """
    read = load_target(target)
    COMPILERS[read.syntax](text, read, folder)
