"""A user's numbers as rows of words and back: uint64 arrays of any layout, or nested sequences of integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from momagen.errors import MomagenError, shorten
from momagen.kernels.spec import Spec
from momagen.params import check_below, check_one, from_words, to_words
from momagen.params.words import Words

NATIVE = np.dtype(np.uint64)
FLAT, ROWS, INTEGERS = "flat", "rows", "integers"
"""Forms: a uint64 array without an axis of words (one word per residue), with one, or nested sequences of integers."""


class Operand(NamedTuple):
    """Residues as an array of shape (…, words), aligned and contiguous, and the form that they came in."""

    rows: Words
    form: str


@dataclass(frozen=True)
class Reader:
    """What a kernel takes as one operand: polynomials or spectra of ``n`` numbers (n = 0: any number) below ``top``.

    Attributes:
        residues: what those numbers are, as a noun phrase.
    """

    n: int
    words: int
    top: int
    residues: str

    def read(self, value: object, where: str) -> Operand:
        """``value`` checked: its kind, its shape, and every residue.

        Raises:
            MomagenError: naming the first value that is not a residue by its index.
        """
        if isinstance(value, np.ndarray):
            operand = self._array(value, where)
        elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
            operand = self._integers(value, where)
        else:
            raise MomagenError(self.expected, f"a {type(value).__name__}", where)
        return operand

    def scalar(self, value: object, where: str) -> Words:
        """One residue, an integer or its words, as an array of shape (1, words)."""
        if isinstance(value, np.ndarray) and value.ndim == 1 and _is_words(value):
            rows = np.require(value, NATIVE).reshape(1, -1)
            if rows.shape[1] != self.words:
                raise MomagenError(f"an integer or {self.words} words", f"shape {value.shape}", where)
            self._check(rows[0], where)
            return rows.copy()
        check_one(value, self.top, self.residues, where)
        return to_words([value], self.words)  # type: ignore[list-item]

    @property
    def expected(self) -> str:
        """What is right, as a noun phrase."""
        lengths = f"{self.n}, " if self.n else ""
        flat = f" or (…, {self.n})" * bool(self.n) if self.words == 1 else ""
        return f"a uint64 array of shape (…, {lengths}{self.words}){flat}, or a sequence of integers"

    def _check(self, values: Words | Sequence[int], where: str) -> None:
        check_below(values, self.top, self.residues, where)

    @property
    def _inner(self) -> tuple[int, ...]:
        return (self.n,) if self.n else ()

    def _array(self, array: npt.NDArray[Any], where: str) -> Operand:
        if not _is_words(array):
            raise MomagenError(self.expected, f"{array.dtype} of shape {array.shape}", where)
        inner = self._inner
        form = ROWS if _ends(array.shape, (*inner, self.words)) else FLAT
        if form == FLAT and (self.words > 1 or not _ends(array.shape, inner)):
            raise MomagenError(self.expected, f"shape {array.shape}", where)
        rows = np.require(array if form == ROWS else array[..., None], NATIVE, ("C_CONTIGUOUS", "ALIGNED"))
        self._check(rows if form == ROWS else rows[..., :1], where)
        return Operand(rows, form)

    def _integers(self, values: Sequence[Any], where: str) -> Operand:
        try:
            array = np.array(values, dtype=object)
        except ValueError:
            raise MomagenError(self.expected, "sequences of different lengths", where) from None
        if not array.ndim or not _ends(array.shape, self._inner):
            raise MomagenError(self.expected, f"a sequence of shape {array.shape}", where)
        for place in np.ndindex(array.shape[:-1]):
            self._check(array[place].tolist(), where + "".join(f"[{i}]" for i in place))
        return Operand(to_words(array.ravel().tolist(), self.words).reshape(*array.shape, self.words), INTEGERS)


def reader(spec: Spec, name: str, q: int) -> Reader:
    """What reads the operand ``name`` of a kernel, in its range for the modulus q."""
    factor = spec.ranges.operands[name]
    times = f"{factor} times " * (factor > 1)
    what = f"residues below {times}the modulus {shorten(q, 40)}" if factor else f"numbers below {spec.ranges.bound(0)}"
    return Reader(spec.n, spec.arith.words, spec.ranges.top(factor, q), what)


def answer(rows: Words, form: str) -> Words | list[Any]:
    """``rows`` in the form that the operand came in."""
    if form != INTEGERS:
        return rows if form == ROWS else rows[..., 0]
    numbers = np.empty(rows.shape[:-1], object)
    numbers.reshape(-1)[:] = from_words(rows)
    return numbers.tolist()  # type: ignore[no-any-return]


def target_rows(out: object, shape: tuple[int, ...]) -> Words:
    """``out``, an array for results of ``shape`` (…, words), as a view of that shape.

    Raises:
        MomagenError: no uint64 array, read-only, or of another shape.
    """
    shapes = f"{shape}" + f" or {shape[:-1]}" * (shape[-1] == 1)
    if not isinstance(out, np.ndarray) or not _is_words(out) or not out.flags.writeable:
        raise MomagenError(f"a writeable uint64 array of shape {shapes}", _described(out), "out")
    if out.shape == shape:
        return out
    if out.shape == shape[:-1] and shape[-1] == 1:
        return out[..., None]
    raise MomagenError(f"shape {shapes}", f"shape {out.shape}", "out")


def direct(rows: Words) -> bool:
    """Whether C code can write to ``rows``."""
    return rows.dtype == NATIVE and rows.dtype.isnative and rows.flags.c_contiguous and rows.flags.aligned


def check_apart(value: object, out: object, where: str) -> None:
    """Refuse an operand that shares some of its memory with ``out``; the same view of the same memory may be both.

    Raises:
        MomagenError: the two overlap partly.
    """
    if isinstance(value, np.ndarray) and isinstance(out, np.ndarray) and _overlap(value, out):
        expected = f"{where} itself, or an array that shares no memory with it"
        raise MomagenError(expected, f"one that overlaps {where} in part", "out")


def _overlap(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> bool:
    """Whether two arrays share memory, but not as one and the same rows."""
    return _place(x) != _place(y) and np.shares_memory(x, y)


def _place(x: npt.NDArray[Any]) -> tuple[int, list[tuple[int, int]]]:
    """Where its elements stand: the address, and the axes that go anywhere."""
    return x.ctypes.data, [axis for axis in zip(x.shape, x.strides, strict=True) if axis[0] > 1]


def _is_words(array: npt.NDArray[Any]) -> bool:
    return array.dtype.kind == "u" and array.dtype.itemsize == NATIVE.itemsize


def _ends(shape: tuple[int, ...], inner: tuple[int, ...]) -> bool:
    return shape[len(shape) - len(inner) :] == inner if len(shape) >= len(inner) else False


def _described(out: object) -> str:
    if not isinstance(out, np.ndarray):
        return f"a {type(out).__name__}"
    return f"{'' if out.flags.writeable else 'read-only '}{out.dtype} of shape {out.shape}"
