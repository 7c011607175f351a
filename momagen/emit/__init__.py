"""From a specification to text in the language of its target."""

from __future__ import annotations

from momagen.errors import MomagenError, among
from momagen.kernels.spec.spec import Spec
from momagen.targets import load_target

from .basis import basis_source
from .kernel import kernel
from .sizes import sized_source
from .source import Source

PRINTED = {"c": (32, 64), "python": (64,)}
"""The words that languages print, by syntax: C's narrower ones would be sums of ints, of 32 bits and signed."""


def generate(spec: Spec) -> Source:
    """The source and header of the kernel that ``spec`` asks for; the same spec gives the same bytes."""
    target = load_target(spec.target)
    syntax = target.syntax
    if syntax not in PRINTED:
        raise among("a syntax among", PRINTED, syntax, f"target {target.name}")
    if target.word not in PRINTED[syntax]:
        expected = f"words of {' or '.join(map(str, PRINTED[syntax]))} bits in {syntax}"
        raise MomagenError(expected, f"{target.word} bits", f"target {target.name}")
    if syntax != "c" and spec.sized:
        raise MomagenError(f"a transform of one size in {syntax}", "one of any size", "target")
    if syntax != "c" and spec.basis:
        raise MomagenError(f"one modulus in {syntax}", f"{len(spec.basis)} moduli", "target")
    if spec.basis:
        return basis_source(spec)
    return sized_source(spec) if spec.sized else kernel(spec)


__all__ = ["Source", "generate"]
