"""From a specification to text in the language of its target."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.kernels.spec import Spec
from momagen.targets import load_target

from .kernel import kernel
from .sizes import sized_source
from .source import Source


def generate(spec: Spec) -> Source:
    """The source and header of the kernel that ``spec`` asks for; the same spec gives the same bytes."""
    syntax = load_target(spec.target).syntax
    if syntax != "c" and spec.sized:
        raise MomagenError(f"a transform of one size in {syntax}", "one of any size", "target")
    return sized_source(spec) if spec.sized else kernel(spec)


__all__ = ["Source", "generate"]
