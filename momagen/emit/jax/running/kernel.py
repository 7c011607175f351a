"""Kernels for JAX that can be called: a module that is run, and plans that are its tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from momagen.kinds.modular.spec import Spec

from ...codes import refusal
from ...source import Source
from .module import created, run_text
from .tables import ArrayTables, BasisTables

RUNNING = "xla"
"""Stands where another kernel names its compiler."""


@dataclass(frozen=True)
class ArrayKernel:
    """A kernel's module; a :class:`momagen.runtime.runner.Runner`."""

    spec: Spec
    name: str
    moduli: str
    text: str = field(repr=False)
    compiler: str = RUNNING
    missing: tuple[str, ...] = ()

    @cached_property
    def names(self) -> dict[str, Any]:
        """What the module defines.

        Raises:
            MomagenError: JAX is missing.
        """
        return run_text(self.name, self.text, self.spec.target)

    def plan(self, modulus: int, root: int) -> ArrayTables:
        """Tables for one modulus and root.

        Raises:
            MomagenError: the kernel does not serve this modulus, or the root is wrong.
        """
        tables = self._created(modulus, root, "create", *[modulus, root][: 1 + (self.spec.n > 0)])
        return ArrayTables(self.spec, self.names, tables, modulus, root)

    def basis_plan(self) -> BasisTables:
        """Tables for all moduli of the basis.

        Raises:
            MomagenError: as :meth:`plan`.
        """
        moduli, roots = self.spec.basis, self.spec.told_roots
        for q, root in zip(moduli, roots, strict=True):
            self.plan(q, root)  # tells which is refused
        tables = self._created(moduli[0], roots[0], "create_all", *[moduli, roots][: 1 + (self.spec.n > 0)])
        return BasisTables(self.spec, self.names, tables, min(moduli), roots[0], moduli)

    def _created(self, modulus: int, root: int, name: str, *given: object) -> dict[str, Any]:
        try:
            return created(self.names, name, *given)
        except ValueError as error:
            raise refusal(self, str(error), modulus, root) from None


def run_jax(source: Source) -> ArrayKernel:
    """The kernel whose module is ``source``, ready to be called.

    Raises:
        MomagenError: JAX is missing.
    """
    kernel = ArrayKernel(source.spec, source.name, source.moduli, source.source)
    _ = kernel.names  # asks for JAX
    return kernel
