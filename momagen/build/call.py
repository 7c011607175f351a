"""From a kernel's text to something callable, whatever its language."""

from __future__ import annotations

from collections.abc import Callable

from momagen.build.compiled import Compiled, compile_c
from momagen.build.compiler import Compiler
from momagen.build.runner import Runner
from momagen.emit import Source
from momagen.emit.jax.running.kernel import run_jax
from momagen.emit.python.runner import run_module
from momagen.errors import among
from momagen.languages import B512, COMPILED, JAX
from momagen.targets import load_target


def _run_cuda(source: Source) -> Runner:
    """Imported when it is asked for: it needs NVRTC."""
    from momagen.cuda.runner import run_cuda

    return run_cuda(source)


def _run_b512(source: Source) -> Runner:
    """Imported when it is asked for."""
    from momagen.simulate.runner import run_b512

    return run_b512(source)


RUNNERS: dict[str, Callable[[Source], Runner]] = {
    B512: _run_b512, "cuda": _run_cuda, JAX: run_jax, "python": run_module,
}  # fmt: skip
"""What makes something to call of a kernel, by its syntax, where that is no compiler of C."""


def compile_kernel(
    source: Source, compiler: Compiler | str | None = None, seconds: float | None = None, *, native: bool = False,
    level: str = "",
) -> Compiled:  # fmt: skip
    """Compile and load ``source``; if the CPU lacks features of the target, use stand-ins for the intrinsics.

    Args:
        source: the generated source.
        compiler: the C compiler (default: the first that works).
        seconds: the time limit of the compilation.
        native: compile without stand-ins in any case, to inspect the machine code.
        level: the optimisation level of an emulated kernel (default: according to its length).

    Raises:
        MomagenError: there is no compiler, it rejects the source or takes longer than ``seconds``, or features are
            missing for which there are no stand-ins.
    """
    target = load_target(source.spec.target)
    if target.syntax in RUNNERS:
        return RUNNERS[target.syntax](source)  # type: ignore[return-value]
    if target.syntax != COMPILED:
        where = f"target {target.name}"
        raise among("one of the languages that can be run:", [COMPILED, *RUNNERS], target.syntax, where)
    return compile_c(source, compiler, seconds, native=native, level=level)
