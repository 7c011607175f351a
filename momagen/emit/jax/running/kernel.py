"""The runner of JAX kernels, which executes a module and keeps its tables as plans."""

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
"""The name that reports show in place of a compiler."""


@dataclass(frozen=True)
class ArrayKernel:
    """The module of a kernel, which is a :class:`momagen.runtime.runner.Runner`.

    Attributes:
        spec: The specification.
        name: The name of the kernel.
        moduli: A description of the moduli that it supports.
        text: The text of the module.
        compiler: The name that reports show in place of a compiler.
        missing: The features that are emulated, of which there are none.
    """

    spec: Spec
    name: str
    moduli: str
    text: str = field(repr=False)
    compiler: str = RUNNING
    missing: tuple[str, ...] = ()

    @cached_property
    def names(self) -> dict[str, Any]:
        """The names that the module defines, with their values.

        Raises:
            MomagenError: JAX is missing.
        """
        return run_text(self.name, self.text, self.spec.target)

    def plan(self, modulus: int, root: int) -> ArrayTables:
        """Return the tables for one modulus and root.

        Raises:
            MomagenError: The kernel does not support this modulus, or the root has another order.
        """
        tables = self._created(modulus, root, "create", *[modulus, root][: 1 + (self.spec.n > 0)])
        return ArrayTables(self.spec, self.names, tables, modulus, root)

    def basis_plan(self) -> BasisTables:
        """Return the tables for all moduli of the basis.

        Raises:
            MomagenError: The kernel does not support a modulus, or a root has another order.
        """
        moduli, roots = self.spec.basis, self.spec.told_roots
        for q, root in zip(moduli, roots, strict=True):
            self.plan(q, root)  # raises an error that names the modulus at fault
        tables = self._created(moduli[0], roots[0], "create_all", *[moduli, roots][: 1 + (self.spec.n > 0)])
        return BasisTables(self.spec, self.names, tables, min(moduli), roots[0], moduli)

    def _created(self, modulus: int, root: int, name: str, *given: object) -> dict[str, Any]:
        """Return the tables that a function of the module computes, or raise the error for its return code."""
        try:
            return created(self.names, name, *given)
        except ValueError as error:
            raise refusal(self, str(error), modulus, root) from None


def run_jax(source: Source) -> ArrayKernel:
    """Return the kernel whose module is ``source``, ready to be called.

    Raises:
        MomagenError: JAX is missing.
    """
    kernel = ArrayKernel(source.spec, source.name, source.moduli, source.source)
    _ = kernel.names  # imports JAX
    return kernel
