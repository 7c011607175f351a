"""The plans of JAX kernels: their tables, and the calls of a kernel on arrays of the host or the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words


@dataclass
class ArrayTables:
    """The tables of one modulus.

    Attributes:
        spec: The specification.
        names: The names that the module of the kernel defines.
        tables: The tables that its function ``create`` returned.
        modulus: The modulus.
        root: The root.
    """

    spec: Spec
    names: dict[str, Any]
    tables: dict[str, Any]
    modulus: int
    root: int

    @property
    def words(self) -> int:
        """The number of 64-bit words of a residue."""
        return self.spec.row

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Compute ``count`` transforms, products or elements, and write the results to ``result``.

        Args:
            result: The array for the results, which may be one of ``inputs``.
            *inputs: The operands.
            count: The number of transforms, products or elements.
        """
        if count == 0:
            return
        found = self.names["execute"](self.tables, *self._operands(inputs, count))
        goal = result if result.flags.c_contiguous else np.empty(result.shape, "<u8")
        _write(goal, [np.asarray(word).reshape(-1) for word in found], 2 * self.words)
        if goal is not result:
            result[...] = goal

    def waiting(self, *inputs: Words, count: int) -> Callable[[], object]:
        """Return a function that calls the kernel on vectors on the device, and waits for its results.

        Args:
            *inputs: The operands, which this method copies to the device.
            count: The number of transforms, products or elements.
        """
        import jax

        given, scalars = self._operands(inputs, count), len(self.spec.ranges.scalars)
        own, run = [*given[:scalars], *jax.device_put(given[scalars:])], self.names["execute"]
        wait: Callable[[object], object] = jax.block_until_ready
        return lambda: wait(run(self.tables, *own))

    def _operands(self, inputs: Sequence[Words], count: int) -> list[tuple[Any, ...]]:
        """Return the 32-bit words of the operands."""
        vectors, words = set(self.spec.ranges.vectors), self.names["WORDS"]
        pairs = zip(self.spec.ranges.operands, inputs, strict=True)
        return [self._own(array, self._shape(name in vectors, count), words) for name, array in pairs]

    def _shape(self, vector: bool, count: int) -> tuple[int, ...]:
        """Return the shape of an operand.

        A vector is a batch of transforms or an array of elements; a scalar is one number. The axis of the
        moduli follows the batch of transforms and precedes elements.
        """
        spec, rows = self.spec, (len(self.spec.basis),) * bool(self.spec.basis)
        if not vector:
            return rows
        columns = (spec.columns,) * (spec.columns > 1)
        return (*rows, count) if not spec.n else (count, *rows, spec.n, *columns)

    def _own(
        self, array: Words, shape: tuple[int, ...], count: int
    ) -> tuple[np.ndarray[Any, np.dtype[np.uint32]], ...]:
        """Return the ``count`` 32-bit words of residues, as arrays of this shape."""
        if count == 1 == self.words:
            return (array.astype(np.uint32).reshape(shape),)
        halves = np.ascontiguousarray(array).view("<u4").reshape(-1, 2 * self.words)
        return tuple(np.ascontiguousarray(halves[:, at]).reshape(shape) for at in range(count))


def _write(goal: Words, parts: Sequence[Words], count: int) -> None:
    """Write residues of ``count`` 32-bit words to ``goal``, with the words of each residue next to each other.

    The words above those in ``parts`` are 0.
    """
    if len(parts) == 1 and count == 2:
        goal.reshape(-1)[:] = parts[0]
        return
    halves = goal.reshape(-1).view("<u4").reshape(-1, count)
    halves[:, len(parts) :] = 0
    for at, part in enumerate(parts):
        halves[:, at] = part


@dataclass
class BasisTables(ArrayTables):
    """The tables of several moduli, the smallest of which is ``modulus``.

    Attributes:
        moduli: The moduli.
    """

    moduli: tuple[int, ...] = ()
