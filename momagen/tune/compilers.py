"""What makes candidates callable: C compilers, or for arrays XLA."""

from __future__ import annotations

from momagen.bench.measure.machine import families
from momagen.build import Compiler, find_compiler
from momagen.emit.jax.running.module import compiled_by
from momagen.kernels.spec.spec import Spec
from momagen.languages import JAX
from momagen.targets import load_target

AnyCompiler = Compiler | str
"""A C compiler, or the name of what compiles arrays."""


def usual_compiler(spec: Spec, named: str | None = None) -> AnyCompiler:
    """The one of ``spec`` where nothing else is found: for arrays XLA, which has no other beside it.

    Args:
        named: the C compiler that the user named.

    Raises:
        MomagenError: no C compiler works, or JAX is missing.
    """
    return compiled_by(spec.target) if on_arrays(spec) else find_compiler(named)


def other_compilers(usual: AnyCompiler) -> dict[str, AnyCompiler]:
    """The best C compilers of the other families than that of the usual one."""
    if isinstance(usual, str):
        return {}
    return {kind: found for kind, found in families().items() if kind != usual.kind}


def on_arrays(spec: Spec) -> bool:
    """Whether the kernel is a module for JAX."""
    return load_target(spec.target).syntax == JAX
