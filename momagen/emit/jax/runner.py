"""JAX modules that can be called: a module that is run, and plans that are its tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def run_text(name: str, text: str, target: str) -> dict[str, Any]:
    """What the module ``text`` defines.

    Raises:
        MomagenError: JAX is missing.
    """
    found: dict[str, Any] = {}
    try:
        exec(compile(text, f"{name}.py", "exec"), found)
    except ImportError as error:
        raise _missing(error, target) from None
    return found


def _missing(error: ImportError, target: str) -> MomagenError:
    return MomagenError("JAX, which the extra “jax” installs", str(error), f"target {target}")


def compiled_by(target: str) -> str:
    """What compiles arrays here, with its version and the device: "XLA of jax 0.8.1 for cpu".

    Raises:
        MomagenError: JAX is missing.
    """
    try:
        import jax
    except ImportError as error:
        raise _missing(error, target) from None
    return f"XLA of jax {jax.__version__} for {jax.devices()[0].device_kind}"


def created(names: dict[str, Any], name: str, *given: object) -> dict[str, Any]:
    """The tables that a module's function ``name`` makes: arrays, also where JAX is tracing."""
    import jax

    with jax.ensure_compile_time_eval():
        made: dict[str, Any] = names[name](*given)
    return made


@dataclass(frozen=True)
class ArrayKernel:
    """A kernel's module; a :class:`momagen.build.runner.Runner`."""

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
        return ArrayTables(self, tables, modulus, root)

    def basis_plan(self) -> BasisTables:
        """Tables for all moduli of the basis.

        Raises:
            MomagenError: as :meth:`plan`.
        """
        moduli, roots = self.spec.basis, self.spec.told_roots
        for q, root in zip(moduli, roots, strict=True):
            self.plan(q, root)  # tells which is refused
        tables = self._created(moduli[0], roots[0], "create_all", *[moduli, roots][: 1 + (self.spec.n > 0)])
        return BasisTables(self, tables, min(moduli), roots[0], moduli)

    def _created(self, modulus: int, root: int, name: str, *given: object) -> dict[str, Any]:
        try:
            return created(self.names, name, *given)
        except ValueError as error:
            raise refusal(self, str(error), modulus, root) from None


@dataclass
class ArrayTables:
    """The tables of one modulus."""

    kernel: ArrayKernel
    tables: dict[str, Any]
    modulus: int
    root: int

    @property
    def spec(self) -> Spec:
        return self.kernel.spec

    @property
    def words(self) -> int:
        return self.spec.row

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Write ``count`` transforms or residues to ``result``, which may be one of ``inputs``."""
        if count == 0:
            return
        found = self.kernel.names["execute"](self.tables, *self._operands(inputs, count))
        goal = result if result.flags.c_contiguous else np.empty(result.shape, "<u8")
        _write(goal, [np.asarray(word).reshape(-1) for word in found], 2 * self.words)
        if goal is not result:
            result[...] = goal

    def waiting(self, *inputs: Words, count: int) -> Callable[[], object]:
        """A call of the kernel on vectors that are on the device before, which ends when its results are there."""
        import jax

        given, scalars = self._operands(inputs, count), len(self.spec.ranges.scalars)
        own, run = [*given[:scalars], *jax.device_put(given[scalars:])], self.kernel.names["execute"]
        wait: Callable[[object], object] = jax.block_until_ready
        return lambda: wait(run(self.tables, *own))

    def _operands(self, inputs: Sequence[Words], count: int) -> list[tuple[Any, ...]]:
        """Their words of 32 bits."""
        vectors, words = set(self.spec.ranges.vectors), self.kernel.names["WORDS"]
        pairs = zip(self.spec.ranges.operands, inputs, strict=True)
        return [self._own(array, self._shape(name in vectors, count), words) for name, array in pairs]

    def _shape(self, vector: bool, count: int) -> tuple[int, ...]:
        """Of an operand: a batch of transforms, a vector, or a number; behind the axis of moduli where there is one."""
        spec, rows = self.spec, (len(self.spec.basis),) * bool(self.spec.basis)
        if not vector:
            return rows
        columns = (spec.columns,) * (spec.columns > 1)
        return (*rows, count) if spec.kind in BLAS else (count, *rows, spec.n, *columns)

    def _own(
        self, array: Words, shape: tuple[int, ...], count: int
    ) -> tuple[np.ndarray[Any, np.dtype[np.uint32]], ...]:
        if count == 1 == self.words:
            return (array.astype(np.uint32).reshape(shape),)
        halves = np.ascontiguousarray(array).view("<u4").reshape(-1, 2 * self.words)
        return tuple(np.ascontiguousarray(halves[:, at]).reshape(shape) for at in range(count))


def _write(goal: Words, parts: Sequence[Words], count: int) -> None:
    """32-bit words of residues, of which ``goal`` has ``count``, word after word: as one array where there is one."""
    if len(parts) == 1 and count == 2:
        goal.reshape(-1)[:] = parts[0]
        return
    halves = goal.reshape(-1).view("<u4").reshape(-1, count)
    halves[:, len(parts) :] = 0
    for at, part in enumerate(parts):
        halves[:, at] = part


@dataclass
class BasisTables(ArrayTables):
    """Those of several moduli; ``modulus`` is the smallest."""

    moduli: tuple[int, ...] = ()


def run_jax(source: Source) -> ArrayKernel:
    """The kernel whose module is ``source``, ready to be called.

    Raises:
        MomagenError: JAX is missing.
    """
    kernel = ArrayKernel(source.spec, source.name, source.moduli, source.source)
    _ = kernel.names  # asks for JAX
    return kernel
