"""From a specification to C text."""

from __future__ import annotations

from collections.abc import Callable

from momagen.kernels.kinds import BLAS
from momagen.kernels.spec import Spec

from .blas import blas_source
from .flow import transform_source
from .polymul import polymul_source
from .sizes import sized_source
from .source import Source

WRITERS: dict[str, Callable[[Spec], Source]] = {
    "ntt": transform_source, "polymul": polymul_source, **dict.fromkeys(BLAS, blas_source)
}  # fmt: skip
"""One writer per kind of kernel."""


def generate(spec: Spec) -> Source:
    """The source and header of the kernel that ``spec`` asks for; the same spec gives the same bytes."""
    return sized_source(spec) if spec.sized else WRITERS[spec.kind](spec)


__all__ = ["WRITERS", "Source", "generate"]
