"""The execution of kernels that are not machine code: their plans run them, and Python checks their operands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from momagen.api.calls.call import KernelRun
from momagen.api.calls.operands import Operand, Reader, written_out
from momagen.api.calls.own_words import NATIVE, OwnWords
from momagen.api.calls.shapes import counts_of, splits
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words
from momagen.runtime.compiled import address
from momagen.runtime.runner import RunnerPlan


class PlanRun:
    """A callable that checks operands in 64-bit words and runs a plan on them."""

    def __init__(self, spec: Spec, plan: RunnerPlan, readers: Sequence[Reader]) -> None:
        self._plan, self._readers, self._counts = plan, readers, counts_of(spec)
        self._scalars, self._splits = len(spec.ranges.scalars), splits(spec)
        self._unit = spec.elements

    def __call__(self, result: Words, start: int, operands: Sequence[object], given: list[Operand]) -> None:
        """Check and run, as :class:`momagen.api.calls.call.KernelRun` specifies.

        Args:
            result: The array for the result.
            start: The address of ``result``, which is not used.
            operands: The operands as they were passed.
            given: The operands as they were read.

        Raises:
            MomagenError: A number is out of its range.
        """
        numbers = [written_out(each, reader.scalar_shape) for reader, each in zip(self._readers, given, strict=True)]
        for reader, value, found in zip(self._readers, operands, numbers, strict=True):
            reader.blame(value, found)
        rows = [rows for rows, _, _ in numbers]
        batches, each = self._counts(rows[-1].shape)
        if not self._splits:
            self._plan.execute(result, *rows, count=batches * each // self._unit)
            return
        scalars, goals = rows[: self._scalars], _parts(result, batches)
        for goal, *vectors in zip(goals, *(_parts(x, batches) for x in rows[self._scalars :]), strict=True):
            self._plan.execute(goal, *scalars, *vectors, count=each)


class CopiedRun:
    """A callable that runs a kernel on copies, in 64-bit words, of arrays of the kernel's own words."""

    def __init__(self, run: KernelRun, own: OwnWords, scalars: int) -> None:
        self._run, self._own, self._scalars = run, own, scalars

    def __call__(self, result: Words, start: int, operands: Sequence[object], given: list[Operand]) -> None:
        """Check and run, as :class:`momagen.api.calls.call.KernelRun` specifies.

        Args:
            result: The array for the result.
            start: The address of ``result``, which is not used.
            operands: The operands as they were passed.
            given: The operands as they were read.

        Raises:
            MomagenError: A number is out of its range.
        """
        own, copies = self._own, given[: self._scalars]
        for rows, _, form in given[self._scalars :]:
            wide = own.widened(rows)
            copies.append((wide, address(wide), form))
        found = np.empty((*result.shape[:-1], own.row), NATIVE)
        self._run(found, address(found), operands, copies)
        result[...] = own.narrowed(found)


def _parts(array: Words, batches: int) -> list[Words]:
    """Return views of equal parts of a contiguous array, residue after residue."""
    flat = array.reshape(-1, array.shape[-1])
    size = len(flat) // batches if batches else 0
    return [flat[at * size : (at + 1) * size] for at in range(batches)]
