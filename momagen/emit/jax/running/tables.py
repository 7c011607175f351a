"""Plans of kernels for JAX: their tables, and what runs a kernel on arrays of the host or of the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words


@dataclass
class ArrayTables:
    """The tables of one modulus, for the kernel whose module defines ``names``."""

    spec: Spec
    names: dict[str, Any]
    tables: dict[str, Any]
    modulus: int
    root: int

    @property
    def words(self) -> int:
        return self.spec.row

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Write ``count`` transforms or residues to ``result``, which may be one of ``inputs``."""
        if count == 0:
            return
        found = self.names["execute"](self.tables, *self._operands(inputs, count))
        goal = result if result.flags.c_contiguous else np.empty(result.shape, "<u8")
        _write(goal, [np.asarray(word).reshape(-1) for word in found], 2 * self.words)
        if goal is not result:
            result[...] = goal

    def waiting(self, *inputs: Words, count: int) -> Callable[[], object]:
        """A call of the kernel on vectors that are on the device before, which ends when its results are there."""
        import jax

        given, scalars = self._operands(inputs, count), len(self.spec.ranges.scalars)
        own, run = [*given[:scalars], *jax.device_put(given[scalars:])], self.names["execute"]
        wait: Callable[[object], object] = jax.block_until_ready
        return lambda: wait(run(self.tables, *own))

    def _operands(self, inputs: Sequence[Words], count: int) -> list[tuple[Any, ...]]:
        """Their words of 32 bits."""
        vectors, words = set(self.spec.ranges.vectors), self.names["WORDS"]
        pairs = zip(self.spec.ranges.operands, inputs, strict=True)
        return [self._own(array, self._shape(name in vectors, count), words) for name, array in pairs]

    def _shape(self, vector: bool, count: int) -> tuple[int, ...]:
        """Of an operand: a batch of transforms, a vector, or a number; behind the axis of moduli where there is one."""
        spec, rows = self.spec, (len(self.spec.basis),) * bool(self.spec.basis)
        if not vector:
            return rows
        columns = (spec.columns,) * (spec.columns > 1)
        return (*rows, count) if not spec.n else (count, *rows, spec.n, *columns)

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
