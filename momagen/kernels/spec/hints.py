"""What another option would gain, for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from momagen.rewrite import form_of

if TYPE_CHECKING:
    from momagen.kernels.spec.spec import Spec


def hints(spec: Spec) -> Iterator[str]:
    """That rules would use the form of the modulus if it were baked in, where they make another product of it."""
    if "bake" in spec.options or spec.basis or spec.native:
        return
    baked = replace(spec, options={**spec.options, "bake": "yes"})
    if baked.arith.kind != spec.arith.kind:
        yield f"with its modulus baked in (bake = yes) rules use the form of q = {form_of(spec.modulus)}"
