"""Calls of one kernel: what its specification decides is worked out once, and each call reads, checks and runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from momagen.build.compiled import Compiled, Plan, address, failed
from momagen.build.runner import Runner, RunnerPlan
from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.params.words import Words

from .answers import answer, check_apart, direct, place
from .checked import CheckedCall
from .operands import NATIVE, ROWS, Operand, Reader, written_out


class Caller:
    """Calls a compiled kernel with one plan; several threads may use it.

    Attributes:
        reader: what reads an operand. own: the words that it gives, and of results.
    """

    reader: type[Reader] = Reader
    own: np.dtype[Any] = NATIVE

    def __init__(self, compiled: Compiled, plan: Plan) -> None:
        self._read_as(compiled.spec, plan.modulus)
        self._checked = CheckedCall(compiled, plan, [each.top for each in self._readers])
        self._call, self._kernel = self._checked.call, self._checked.this

    def _read_as(self, spec: Spec, modulus: int) -> None:
        self._name, self._words, self._names = spec.name, spec.row, tuple(spec.ranges.operands)
        self._readers = [self.reader(spec, modulus, name) for name in self._names]
        self._scalars, self._grows = len(spec.ranges.scalars), spec.results // spec.elements
        self._read = [each.scalar if at < self._scalars else each.read for at, each in enumerate(self._readers)]
        self._axis = -2 - (spec.columns > 1)
        self._missing = (None,) * (3 - len(self._names))

    def __call__(self, operands: Sequence[Any], out: Words | None) -> Any:
        """The result, in ``out`` where that is an array.

        Raises:
            MomagenError: another number, kind or shape of operands, a value out of its range, or an ``out`` of another
                kind or shape or that overlaps one of them in part.
        """
        if len(operands) != len(self._names):
            wanted = f"{len(self._names)} operand{'s' * (len(self._names) > 1)} ({', '.join(self._names)})"
            raise MomagenError(wanted, len(operands), self._name)
        given = [read(value) for read, value in zip(self._read, operands, strict=True)]
        rows, _, form = given[self._scalars]
        shape = rows.shape
        if given[-1][0].shape != shape:
            names = self._names[self._scalars :]
            raise MomagenError(f"the shape of {names[0]}, {shape[:-1]}", given[-1][0].shape[:-1], names[-1])
        if self._grows > 1:
            shape = (*shape[: self._axis], shape[self._axis] * self._grows, *shape[self._axis + 1 :])
        if out is None:
            result = np.empty(shape, self.own)
            self._run(operands, given, result, address(result))
            return result if form == ROWS else answer(result, given[self._scalars :])
        there = place(out, shape, self.own)
        start, size = (address(there), there.nbytes) if direct(there, self.own) else (None, 0)
        for at in range(self._scalars, len(given)):  # scalars are copies
            rows, begin, _ = given[at]
            if start is None or operands[at] is not rows or isinstance(begin, bytes) or abs(begin - start) < size:
                check_apart(operands[at], rows, out, self._names[at])
        if start is not None:
            self._run(operands, given, there, start)
        else:
            result = np.empty(shape, self.own)
            self._run(operands, given, result, address(result))
            there[...] = result
        return out

    def within(self, at: int, rows: Words) -> Callable[[], bool]:
        """The check alone: whether the contiguous ``rows`` are in the range of operand ``at``."""
        return self._checked.within(at, address(rows), rows.size // self._words)

    def _run(self, operands: Sequence[Any], given: list[Operand], result: Words, start: int) -> None:
        """Write the kernel's result to ``result``, which begins at ``start``."""
        places = [place for _, place, _ in given]
        code = self._call(self._kernel, result.size // self._words // self._grows, start, *places, *self._missing)
        if code:
            self._refuse(code, operands, given)

    def _refuse(self, code: int, operands: Sequence[Any], given: list[Operand]) -> None:
        if code > 0:
            raise failed(code)
        at = -1 - code
        self._readers[at].blame(operands[at], given[at])
        raise MomagenError("operands that nothing changes during a call", "others", self._names[at])


class PlainCaller(Caller):
    """Calls a kernel that is no machine code, or has other words than arrays have: operands are checked here."""

    def __init__(self, compiled: Runner, plan: RunnerPlan) -> None:
        self._read_as(compiled.spec, plan.modulus)
        self._plan, self._unit = plan, self._words * compiled.spec.elements

    def within(self, at: int, rows: Words) -> Callable[[], bool]:
        return lambda: True

    def _run(self, operands: Sequence[Any], given: list[Operand], result: Words, start: int) -> None:
        numbers = [*map(written_out, given)]
        for reader, value, found in zip(self._readers, operands, numbers, strict=True):
            reader.blame(value, found)
        self._plan.execute(result, *(rows for rows, _, _ in numbers), count=result.size // self._unit // self._grows)
