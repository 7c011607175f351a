"""The step from a kernel's source to an object that can be called, for every language."""

from __future__ import annotations

from collections.abc import Callable

from momagen.emit import Source
from momagen.emit.jax.running.kernel import run_jax
from momagen.emit.python.runner import run_module
from momagen.errors import among
from momagen.languages import B512, COMPILED, JAX
from momagen.runtime.compiled import Compiled, compile_c
from momagen.runtime.compiler import Compiler
from momagen.runtime.runner import Runner


def _run_cuda(source: Source) -> Runner:
    """Return the callable CUDA kernel; its module is imported here, because it needs NVRTC."""
    from momagen.cuda.runner import run_cuda

    return run_cuda(source)


def _run_b512(source: Source) -> Runner:
    """Return the callable kernel for Ring Processing Units; its module is imported here."""
    from momagen.simulate.runner import run_b512

    return run_b512(source)


RUNNERS: dict[str, Callable[[Source], Runner]] = {
    B512: _run_b512, "cuda": _run_cuda, JAX: run_jax, "python": run_module,
}  # fmt: skip
"""The functions that return a callable kernel, by the language of the target, except for C."""


def compile_kernel(
    source: Source, compiler: Compiler | str | None = None, seconds: float | None = None, *, native: bool = False,
    level: str = "",
) -> Compiled:  # fmt: skip
    """Compile and load ``source``, with stand-ins for the intrinsics if the CPU lacks features of the target.

    Args:
        source: The generated source.
        compiler: The compiler (default: the one that momagen finds).
        seconds: The time limit of compilation in seconds.
        native: Whether to omit stand-ins, for code that is inspected and not run.
        level: The optimisation level of an emulated kernel (default: by the number of elements).

    Raises:
        MomagenError: There is no compiler, it fails or takes too long, or the CPU lacks features for which there are no
            stand-ins.
    """
    target = source.spec.target
    if target.syntax in RUNNERS:
        return RUNNERS[target.syntax](source)  # type: ignore[return-value]
    if target.syntax != COMPILED:
        where = f"target {target.name}"
        raise among("one of the languages that can be run:", [COMPILED, *RUNNERS], target.syntax, where)
    return compile_c(source, compiler, seconds, native=native, level=level)
