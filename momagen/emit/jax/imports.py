"""What a module imports."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.lower.arrays.codelets import ArrayCodelets


@dataclass(frozen=True)
class ModuleImports:
    """Lines of it: from Python itself, and beside JAX and NumPy."""

    own: list[str]
    others: list[str]


def imports_of(codelets: ArrayCodelets, *, fused: bool = False, materialised: bool = False) -> ModuleImports:
    """Those that the helpers of a module need; ``fused``: with kernels of Pallas; ``materialised``: with
    words that are materialised."""
    own = ["import functools"] * fused + ["import math"]
    own += ["from itertools import zip_longest"] * (codelets.target.word == 64)
    others = ["from jax import lax"] + ["from jax.experimental import pallas as pl"] * fused
    return ModuleImports(own, others + ["from jax.experimental.xla_metadata import set_xla_metadata"] * materialised)
