"""Calls of a kernel whose words are shorter than those of Python's arrays: arrays of its own words go as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from momagen.api.calls.answers import check_apart
from momagen.api.calls.call import PlainCaller
from momagen.build.border import Own
from momagen.build.compiled import Compiled, Plan
from momagen.errors import MomagenError


class NarrowCaller(PlainCaller):
    """Calls a kernel of 16- or 32-bit words, one a residue."""

    def __init__(self, compiled: Compiled, plan: Plan) -> None:
        super().__init__(compiled, plan)
        self._own, self._tables, self._spec = np.dtype(f"u{compiled.spec.arith.word // 8}"), plan, compiled.spec
        self._inner = (*[self._spec.n] * (self._spec.n > 0), *[self._spec.columns] * (self._spec.columns > 1))

    def __call__(self, operands: Sequence[Any], out: Any) -> Any:
        """The result; of arrays of the kernel's words one of these, without a copy of any. Errors as of
        :class:`momagen.api.calls.call.Caller`."""
        vectors = operands[self._scalars :]
        if len(operands) != len(self._names) or not all(map(self._is_own, vectors)):
            return super().__call__(operands, out)
        shape = vectors[0].shape
        for name, each in zip(self._names[self._scalars :], vectors, strict=True):
            if each.shape != shape:
                raise MomagenError(f"the shape of {self._names[self._scalars]}, {shape}", each.shape, name)
        result = np.empty(shape, self._own) if out is None else self._place(out, shape)
        for name, each in zip(self._names[self._scalars :], vectors, strict=True):
            check_apart(each, each, result, name)
        numbers = [read(value) for read, value in zip(self._read, operands[: self._scalars], strict=False)]
        scalars = [self._tables.border.own(_words(rows, place)) for rows, place, _ in numbers]
        for reader, each in zip(self._readers[self._scalars :], vectors, strict=True):
            if each.size and int(each.max()) >= reader.top:
                at = np.unravel_index(int((each >= reader.top).argmax()), shape)
                raise MomagenError(reader.residues, int(each[at]), f"{reader.name}{list(map(int, at))}")
        self._tables.execute_own(result, *scalars, *vectors, count=result.size // self._spec.elements)
        return result

    def _is_own(self, value: object) -> bool:
        """Whether it is a contiguous array of the kernel's words, one a residue."""
        if type(value) is not np.ndarray or value.dtype != self._own or not value.flags.c_contiguous or not value.ndim:
            return False
        return value.flags.aligned and value.shape[value.ndim - len(self._inner) :] == self._inner

    def _place(self, out: Any, shape: tuple[int, ...]) -> Own:
        """``out``, which is to hold the result."""
        if not (self._is_own(out) and out.shape == shape and out.flags.writeable):
            got = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else f"a {type(out).__name__}"
            raise MomagenError(f"a writeable contiguous {self._own} array of shape {shape}", got, "out")
        return out  # type: ignore[no-any-return]


def _words(rows: Any, place: int | bytes) -> Any:
    """A scalar as an array of words."""
    return np.frombuffer(place, np.uint64) if isinstance(place, bytes) else rows
