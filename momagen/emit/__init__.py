"""From a specification to C text."""

from __future__ import annotations

from collections.abc import Callable

from momagen.kernels.spec import Spec

from .ntt import ntt_source
from .source import Source

WRITERS: dict[str, Callable[[Spec], Source]] = {"ntt": ntt_source}
"""One writer per kind of kernel."""


def generate(spec: Spec) -> Source:
    """The source and header of the kernel that ``spec`` asks for; the same spec gives the same bytes."""
    return WRITERS[spec.kind](spec)


__all__ = ["WRITERS", "Source", "generate"]
