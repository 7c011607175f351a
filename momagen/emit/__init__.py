"""From a specification to C text."""

from __future__ import annotations

from collections.abc import Callable

from momagen.errors import MomagenError
from momagen.kernels.kinds import BLAS
from momagen.kernels.spec import Spec
from momagen.targets import load_target

from .blas import blas_source
from .kernel import kernel
from .sizes import sized_source
from .source import Source

WRITERS: dict[str, Callable[[Spec], Source]] = {
    "ntt": kernel, "polymul": kernel, **dict.fromkeys(BLAS, blas_source)
}  # fmt: skip
"""One writer per kind of kernel."""


def generate(spec: Spec) -> Source:
    """The source and header of the kernel that ``spec`` asks for; the same spec gives the same bytes."""
    syntax = load_target(spec.target).syntax
    if syntax != "c" and (spec.sized or spec.kind in BLAS):
        got = "a transform of any size" if spec.sized else spec.kind
        raise MomagenError(f"a transform or a product of polynomials in {syntax}", got, "target")
    return sized_source(spec) if spec.sized else WRITERS[spec.kind](spec)


__all__ = ["WRITERS", "Source", "generate"]
