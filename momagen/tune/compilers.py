"""The compilers of candidates: C compilers, or XLA for kernels on arrays."""

from __future__ import annotations

from momagen.bench.measure.machine import families
from momagen.emit.jax.running.module import compiled_by
from momagen.kinds.modular.spec import Spec
from momagen.languages import MachineModel
from momagen.runtime import Compiler, find_compiler

AnyCompiler = Compiler | str
"""A C compiler, or the name of the compiler of kernels on arrays."""


def usual_compiler(spec: Spec, named: str | None = None) -> AnyCompiler:
    """Return the default compiler for ``spec``; kernels on arrays have XLA only.

    Args:
        spec: The specification.
        named: The C compiler that the user named.

    Raises:
        MomagenError: No C compiler works, or JAX is not installed.
    """
    return compiled_by(spec.target) if on_arrays(spec) else find_compiler(named)


def other_compilers(usual: AnyCompiler) -> dict[str, AnyCompiler]:
    """Return the best C compiler of each family other than that of the usual compiler, by family."""
    if isinstance(usual, str):
        return {}
    return {kind: found for kind, found in families().items() if kind != usual.kind}


def on_arrays(spec: Spec) -> bool:
    """Return whether the kernel is a module for JAX."""
    return spec.target.machine is MachineModel.ARRAYS
