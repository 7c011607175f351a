"""The import statements of a module."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.lower.arrays.codelets import ArrayCodelets


@dataclass(frozen=True)
class ModuleImports:
    """The import statements of a module besides those of JAX and NumPy.

    Attributes:
        own: The imports of the standard library.
        others: The imports of parts of JAX.
    """

    own: list[str]
    others: list[str]


def imports_of(codelets: ArrayCodelets, *, fused: bool = False, materialised: bool = False) -> ModuleImports:
    """Return the imports that a module needs.

    Args:
        codelets: The codelets of the module.
        fused: Whether it has Pallas kernels.
        materialised: Whether some of its words are materialised, that is, computed once for all their uses.
    """
    own = ["import functools"] * fused + ["import math"]
    own += ["from itertools import zip_longest"] * (codelets.target.word == 64)
    others = ["from jax import lax"] + ["from jax.experimental import pallas as pl"] * fused
    return ModuleImports(own, others + ["from jax.experimental.xla_metadata import set_xla_metadata"] * materialised)
