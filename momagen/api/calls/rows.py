"""Calls of a kernel of several moduli: vectors have a row for each, and every row its own range."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from momagen.build.runner import RunnerPlan
from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.params import check_below
from momagen.params.words import Words

from .answers import answer, check_apart, place
from .operands import NATIVE, Operand, Reader


class RowsReader(Reader):
    """What such a kernel takes as the operand ``name``: an array (…, moduli, n, words), or (…, moduli, n); of columns
    with an axis of them behind n.

    Of element-wise kernels n is any length; a scalar is a number for each modulus, (moduli, words) or (moduli,).
    """

    def __init__(self, spec: Spec, name: str) -> None:
        super().__init__(spec, spec.modulus, name)
        self.rows = [Reader(spec, q, name) for q in spec.basis]
        self.scalar_rows = name in spec.ranges.scalars
        self._count = len(spec.basis)
        self._inner = (self._count, *self._inner) if self.n else (self._count,) if self.scalar_rows else ()
        self._tail = (*self._inner, self.words)
        self._axes = -len(self._tail)
        self._least = len(self._tail) + (self._tail == (1,))
        shape = ", ".join(map(str, [self._count] * (not self._inner) + ["n"] * (not self._inner) + [*self._inner]))
        lead = "" if self.scalar_rows else "…, "
        flat = f" or ({lead}{shape})" * (self.words == 1)
        self.expected = f"a uint64 array of shape ({lead}{shape}, {self.words}){flat}, integers ({lead}{shape})"

        self.axis = -2 if self.scalar_rows else -3 - (spec.across > 1)

    def read(self, value: object) -> Operand:
        rows, at, form = super().read(value)
        if not self._inner and (rows.ndim < 3 or rows.shape[-3] != self._count):
            raise self._refused(f"shape {rows.shape[:-1]}")
        return rows, at, form

    def scalar(self, value: object) -> Operand:
        """Return one number for each modulus."""
        return self.read(value)

    def _bytes(self, value: bytes | bytearray | memoryview) -> Operand:
        raise self._refused(f"{type(value).__name__}, which has no axes")

    def blame(self, value: object, operand: Operand) -> None:
        """Refuse the first number that is out of its row's range."""
        rows, _, _ = operand
        for at, (each, row) in enumerate(zip(self.rows, np.moveaxis(rows, self.axis, 0), strict=True)):
            check_below(row, each.top, each.residues, f"{self.name}[…, {at}, …]")


class RowsCaller:
    """Calls a kernel of several moduli with its plan; several threads may use it."""

    def __init__(self, spec: Spec, plan: RunnerPlan) -> None:
        self._spec, self._plan, self._scalars = spec, plan, len(spec.ranges.scalars)
        self._readers = [RowsReader(spec, name) for name in spec.ranges.operands]

    def __call__(self, operands: Sequence[Any], out: Words | None) -> Any:
        """The result, in ``out`` where that is an array; errors as :class:`momagen.api.calls.call.Caller` has them."""
        names = [reader.name for reader in self._readers]
        if len(operands) != len(names):
            wanted = f"{len(names)} operand{'s' * (len(names) > 1)} ({', '.join(names)})"
            raise MomagenError(wanted, len(operands), self._spec.name)
        given = [reader.read(value) for reader, value in zip(self._readers, operands, strict=True)]
        for reader, value, found in zip(self._readers, operands, given, strict=True):
            reader.blame(value, found)
        vectors = [rows for rows, _, _ in given[self._scalars :]]
        shape = vectors[0].shape
        if vectors[-1].shape != shape:
            raise MomagenError(f"the shape of {names[self._scalars]}, {shape[:-1]}", vectors[-1].shape[:-1], names[-1])
        there = None if out is None else place(out, shape)
        if out is not None:
            for at in range(self._scalars, len(given)):
                check_apart(operands[at], given[at][0], out, names[at])
        result = np.empty(shape, NATIVE)
        self._run(result, [rows for rows, _, _ in given])
        if there is None:
            return answer(result, given[self._scalars :])
        there[...] = result
        return out

    def _run(self, result: Words, given: Sequence[Words]) -> None:
        """One call for all transforms; of element-wise kernels one for each vector of the leading axes."""
        words, inner = self._plan.words, result.shape[self._readers[-1].axis :]
        if self._spec.n:
            self._plan.execute(result, *given, count=result.size // prod(inner))
            return
        scalars, vectors = given[: self._scalars], [rows.reshape(-1, *inner) for rows in given[self._scalars :]]
        for at, row in enumerate(result.reshape(-1, *inner)):
            self._plan.execute(row, *scalars, *(rows[at] for rows in vectors), count=row.size // words // inner[0])
