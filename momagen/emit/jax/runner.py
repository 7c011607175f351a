"""JAX modules that can be called: a module that is run, and plans that are its tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from momagen.errors import MomagenError
from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.params.words import Words

from ..codes import refusal
from ..source import Source

RUNNING = "xla"
"""Stands where another kernel names its compiler."""


@dataclass(frozen=True)
class ArrayKernel:
    """A kernel's module, run when it is first asked for; a :class:`momagen.build.runner.Runner`."""

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
        found: dict[str, Any] = {}
        try:
            exec(compile(self.text, f"{self.name}.py", "exec"), found)
        except ImportError as error:
            place = f"target {self.spec.target}"
            raise MomagenError("JAX, which the extra “jax” installs", str(error), place) from None
        return found

    def plan(self, modulus: int, root: int) -> ArrayTables:
        """Tables for one modulus and root.

        Raises:
            MomagenError: the kernel does not serve this modulus, or the root is wrong.
        """
        return ArrayTables(self, modulus, root)


class ArrayTables:
    """The tables of one modulus."""

    def __init__(self, kernel: ArrayKernel, modulus: int, root: int) -> None:
        self.spec, self.words, self.modulus, self.root = kernel.spec, kernel.spec.row, modulus, root
        given, create = (modulus, root) if self.spec.n else (modulus,), kernel.names["create"]
        try:
            self._tables = create(*given)
        except ValueError as error:
            raise refusal(kernel, str(error), modulus, root) from None
        self._execute, self._count = kernel.names["execute"], kernel.names["WORDS"]

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Write ``count`` transforms or residues to ``result``, which may be one of ``inputs``."""
        if count == 0:
            return
        vectors = set(self.spec.ranges.vectors)
        pairs = zip(self.spec.ranges.operands, inputs, strict=True)
        own = [self._own(array, name in vectors) for name, array in pairs]
        found = self._execute(self._tables, *own)
        goal = np.zeros((result.size // self.words, 2 * self.words), "<u4")
        goal[:, : self._count] = np.stack([np.asarray(word).reshape(-1) for word in found], axis=1)
        result.reshape(-1, self.words)[:] = goal.view("<u8")

    def _own(self, array: Words, vector: bool) -> tuple[np.ndarray[Any, np.dtype[np.uint32]], ...]:
        halves = np.ascontiguousarray(array).view("<u4").reshape(-1, 2 * self.words)
        shape = (-1, self.spec.elements) if vector and self.spec.kind not in BLAS else (-1,) if vector else ()
        return tuple(np.ascontiguousarray(halves[:, at]).reshape(shape) for at in range(self._count))


def run_jax(source: Source) -> ArrayKernel:
    """The kernel whose module is ``source``, ready to be called where JAX is."""
    return ArrayKernel(source.spec, source.name, source.moduli, source.source)
