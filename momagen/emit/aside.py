"""What the report says where an option keeps a kernel from the way that its target takes by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from momagen.kernels.options import TILING
from momagen.kernels.spec import Spec

from .tile_choice import TAKEN

WAYS = {"steps": "one limb", "tiles": "reduced-radix digits", "words": "whole words"}
"""The ways of a transform, for people."""
WISHES = frozenset({"digits", "quotients", *TAKEN, *TILING})
"""Options that may ask for one of them."""


def aside(spec: Spec, own: str, way: Callable[[Spec], str]) -> list[str]:
    """The note, or none; ``way`` says by which of ``WAYS`` a specification goes, this one by its ``own``."""
    asked = [f"{option} {value}" for option, value in sorted(spec.options.items()) if option in WISHES]
    others = {option: value for option, value in spec.options.items() if option not in WISHES}
    usual = way(replace(spec, options=others))
    return [f"limbs: {WAYS[own]} instead of {WAYS[usual]}, for {', '.join(asked)}"] * (own != usual)
