"""The step from a kernel's source to an object that can be called, for every language."""

from __future__ import annotations

from momagen.emit import Source
from momagen.errors import build_error
from momagen.kinds.registry import kind_of
from momagen.languages import COMPILED
from momagen.runtime.compiled import Compiled, compile_c
from momagen.runtime.compiler import Compiler


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
    run = kind_of(source.spec).runner(target.syntax)
    if run:
        return run(source)  # type: ignore[return-value]
    if target.syntax != COMPILED:
        raise build_error(f"kernels in {target.syntax} cannot be run", f"target {target.name}")
    return compile_c(source, compiler, seconds, native=native, level=level)
