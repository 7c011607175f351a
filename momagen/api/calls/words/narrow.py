"""Calls of a kernel whose words are shorter than those of Python's arrays: arrays of its own words go as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from momagen.api.calls.call import PlainCaller
from momagen.api.calls.operands import ROWS, Operand, Reader, is_words
from momagen.build.compiled import Compiled, Plan, address
from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.params.words import Words

Vectors = Sequence[Any]


def own_words(spec: Spec) -> np.dtype[Any]:
    """The dtype of the words of the kernel ``spec``."""
    return np.dtype(f"u{spec.arith.word // 8}")


def all_own(vectors: Vectors, words: np.dtype[Any]) -> bool:
    """Whether all are arrays of ``words``, in any byte order, and without masks."""
    arrays = [each for each in vectors if isinstance(each, np.ndarray) and not isinstance(each, np.ma.MaskedArray)]
    return len(arrays) == len(vectors) and all(is_words(each, words) for each in arrays)


class OwnReader(Reader):
    """What such a kernel takes of arrays of its own words, one a residue."""

    def __init__(self, spec: Spec, modulus: int, name: str) -> None:
        super().__init__(spec, modulus, name)
        self._own = own_words(spec)
        self.expected = f"a {self._own} array{self.expected.removeprefix('a uint64 array').partition(', integers')[0]}"

    def read(self, value: Any) -> Operand:
        """``value``, an array of the kernel's words, as rows of one word. Errors as of :class:`Reader`."""
        form = self.form(value.shape)
        if not form:
            raise MomagenError(self.expected, f"shape {value.shape}", self.name)
        rows = np.require(value if form == ROWS else value[..., None], self._own, ("C", "A", "E"))
        return rows, address(rows), form

    def blame(self, value: object, operand: Operand) -> None:
        """Refuse the first of the numbers in ``operand`` that is out of range, as :class:`Reader` does."""
        rows = operand[0]
        if rows.size and int(rows.max()) >= self.top:
            at = np.unravel_index(int((rows >= self.top).argmax()), rows.shape)
            raise MomagenError(self.residues, int(rows[at]), f"{self.name}{[*map(int, at[:-1])]}")


class OwnCaller(PlainCaller):
    """Calls such a kernel on arrays of its own words."""

    reader = OwnReader

    def __init__(self, compiled: Compiled, plan: Plan) -> None:
        self.own, self._tables = own_words(compiled.spec), plan
        super().__init__(compiled, plan)

    def _run(self, operands: Vectors, given: list[Operand], result: Words, start: int) -> None:
        for reader, value, found in zip(self._readers[self._scalars :], operands[self._scalars :],
                                        given[self._scalars :], strict=True):  # fmt: skip
            reader.blame(value, found)
        scalars = [self._tables.border.own(_words(rows, place)) for rows, place, _ in given[: self._scalars]]
        vectors = [rows for rows, _, _ in given[self._scalars :]]
        self._tables.execute_own(result, *scalars, *vectors, count=result.size // self._unit // self._grows)


class NarrowCaller(PlainCaller):
    """Calls a kernel of 16- or 32-bit words, one a residue: on arrays of these, and on all else by copies."""

    def __init__(self, compiled: Compiled, plan: Plan) -> None:
        super().__init__(compiled, plan)
        self._on_own = OwnCaller(compiled, plan)
        for each in self._readers:
            each.expected = each.expected.replace("a uint64", f"a {self._on_own.own} or uint64", 1)

    def __call__(self, operands: Vectors, out: Any) -> Any:
        """The result; of arrays of the kernel's words one of these. Errors as of
        :class:`momagen.api.calls.call.Caller`."""
        vectors = operands[self._scalars :]
        own = vectors and all_own(vectors, self._on_own.own)
        return self._on_own(operands, out) if own else super().__call__(operands, out)


def _words(rows: Any, place: int | bytes) -> Any:
    """A scalar as an array of words."""
    return np.frombuffer(place, np.uint64) if isinstance(place, bytes) else rows
