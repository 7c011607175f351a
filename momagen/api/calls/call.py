"""Calls of one kernel.

Everything that its specification determines is computed once; each call reads, checks and runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words
from momagen.runtime.compiled import address

from .answers import answer, check_apart, direct, is_clear, place, unequal
from .operands import FLAT, ROWS, Operand, Reader
from .shapes import result_of


class KernelRun(Protocol):
    """A function that runs a kernel on operands whose kinds and shapes are correct."""

    def __call__(self, result: Words, start: int, operands: Sequence[object], given: list[Operand]) -> None:
        """Check the ranges of operands and write the kernel's result to ``result``.

        Args:
            result: The array for the result.
            start: The address of ``result``.
            operands: The operands as they were passed.
            given: The operands as they were read.

        Raises:
            MomagenError: A number is out of its range, in which case nothing is written, or there is not enough memory.
        """


class Caller:
    """A caller of a kernel on operands that ``readers`` read; several threads may use it.

    Attributes:
        readers: One reader for each operand, scalars first.
        run: The function that runs the kernel.
    """

    def __init__(self, spec: Spec, readers: Sequence[Reader], run: KernelRun) -> None:
        self.readers, self.run, self._spec = readers, run, spec
        self._scalars, self._names = len(spec.ranges.scalars), tuple(each.name for each in readers)
        self._read = [each.scalar if name in spec.ranges.scalars else each.read
                      for name, each in zip(self._names, readers, strict=True)]  # fmt: skip
        self._shape_of_result = result_of(spec)
        self._words = readers[-1].own

    def __call__(self, operands: Sequence[Any], out: Words | None) -> Any:
        """Return the result, which is written to ``out`` if that is an array.

        Args:
            operands: The scalars, then the vectors.
            out: The array for the result, or None.

        Raises:
            MomagenError: The number, kind or shape of the operands is wrong, a value is out of its range, or ``out``
                has another kind or shape or partially overlaps an operand.
        """
        if len(operands) != len(self._read):
            raise self._miscounted(len(operands))
        given = [read(value) for read, value in zip(self._read, operands, strict=True)]
        vectors = given[self._scalars :]
        first, _, form = vectors[0]
        shape = first.shape
        for other, _, _ in vectors[1:]:
            if other.shape != shape:
                raise unequal(self._names[self._scalars :], [rows for rows, _, _ in vectors])
        if self._shape_of_result:
            shape = self._shape_of_result(shape)
        if out is not None:
            return self._into(out, shape, operands, given)
        result = np.empty(shape, self._words)
        self.run(result, address(result), operands, given)
        return result if form == ROWS else result[..., 0] if form == FLAT else answer(result, vectors)

    def _into(self, out: Words, shape: tuple[int, ...], operands: Sequence[Any], given: list[Operand]) -> Any:
        """Write the result, whose shape is ``shape``, to ``out``, and return ``out``."""
        there = place(out, shape, self._words)
        start, size = (address(there), there.nbytes) if direct(there, self._words) else (None, 0)
        for at in range(self._scalars, len(given)):  # scalars are copied, so they cannot overlap
            rows, begin, _ = given[at]
            if start is None or not is_clear(operands[at], rows, begin, start, size):
                check_apart(operands[at], rows, out, self._names[at])
        if start is not None:
            self.run(there, start, operands, given)
            return out
        result = np.empty(shape, self._words)
        self.run(result, address(result), operands, given)
        there[...] = result
        return out

    def _miscounted(self, got: int) -> MomagenError:
        """Return the error for a wrong number of operands."""
        count, names = len(self._names), ", ".join(self._names)
        return MomagenError(f"{count} operand{'s' * (count > 1)} ({names})", got, self._spec.name)
