"""Operands of calls as rows of words, read from arrays of words or of integers, nested sequences, and bytes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from momagen.errors import MomagenError, shorten
from momagen.kinds.modular.spec import Spec
from momagen.params import check_below, check_one, to_words
from momagen.params.words import Words
from momagen.runtime.compiled import address, addressof, view

from .integers import check_unmasked, masked, nested
from .own_words import NATIVE, OwnWords, is_words

LITTLE = np.dtype("<u8")
WORD = NATIVE.itemsize
ROWS, FLAT, OBJECTS, LISTS, BYTES, BYTEARRAY = "rows", "flat", "objects", "lists", "bytes", "bytearray"
"""The forms of operands, which are also those of results (see ``answers``).

They are arrays of words, with an axis of words or (if a residue is one word) without; arrays of Python integers; nested
sequences; and little-endian bytes.
"""


NOTHING = np.empty(0, NATIVE)
Operand = tuple[Words, int | bytes, str]
"""An operand that was read.

It has residues as an aligned and contiguous array of shape (…, words), their address, and their form.

A scalar may instead be given by its bytes, which replace the address.
"""


class Reader:
    """A reader of the operand ``name`` of a kernel: vectors of n numbers in its range, or n rows of columns.

    If n is 0, vectors have any length.

    Attributes:
        name: The name of the operand.
        n: The number of points, or 0.
        top: The number above the range.
        tops: The same number for each modulus.
        residues: A description of the numbers, as a noun phrase.
        own: The dtype of the words of an array.
        words: The number of these words in a residue.
        expected: A description of the operands that are accepted, as a noun phrase.
    """

    kinds = ", integers of shape {}, or bytes"
    """The text in ``expected`` that names the kinds of operands other than arrays of words."""

    def __init__(self, spec: Spec, modulus: int, name: str, own: OwnWords | None = None) -> None:
        ranges = spec.ranges
        factor = ranges.operands[name]
        times = f"{factor} times " * (factor > 1)
        what = f"residues below {times}the modulus {shorten(modulus, 40)}"
        self.residues = what if factor else f"numbers below {ranges.bound(0)}"
        self.name, self.n, self.top = name, spec.n, ranges.top(factor, modulus)
        self.tops, self._copies = [self.top], own
        self.own: np.dtype[Any] = own.dtype if own else NATIVE
        self.words = own.words if own else spec.row
        self._inner = self._axes_of(spec)
        self._tail = (*self._inner, self.words)
        self._axes = -len(self._tail)
        self._flat = self.words == 1
        self._least = 2 if self._tail == (1,) else len(self._tail)
        self._align = self.own.itemsize
        self._last: tuple[tuple[int, ...], str] = ((), "")
        shapes, flat = self._shapes()
        self.expected = f"a {self.own} array of shape {shapes}{'' if own else self.kinds.format(flat)}"

    def _axes_of(self, spec: Spec) -> tuple[int, ...]:
        """Return the last axes of a vector, without the axis of words."""
        return spec.axes

    def _shapes(self) -> tuple[str, str]:
        """Return the shapes of arrays of words and of integers, as texts."""
        flat = f"({', '.join(['…', *map(str, self._inner)])})"
        return f"(…, {', '.join(map(str, self._tail))}){f' or {flat}' * self._flat}", flat

    def add_kind(self, other: Reader) -> None:
        """Add arrays of the words of ``other`` to the text ``expected``."""
        (mine, _), (theirs, _) = self._shapes(), other._shapes()
        both = self.expected.replace(f"a {self.own}", f"a {other.own} or {self.own}", 1)
        self.expected = both if mine == theirs else f"{other.expected}, {self.expected}"

    def read(self, value: object) -> Operand:
        """Return ``value`` as an operand with the correct kind and shape; the range is not checked (see :meth:`blame`).

        Raises:
            MomagenError: The kind or shape is wrong, or the words cannot hold an integer.
        """
        if type(value) is np.ndarray and value.dtype == self.own:
            shape = value.shape
            known, form = self._last
            if shape != known:
                form = self.form(shape)
                self._last = shape, form
            try:
                at = addressof(view(value))  # type: ignore[arg-type]
            except (TypeError, ValueError):  # strided, read-only or empty
                return self._read(value)
            if form and not at % self._align:
                return value if form == ROWS else value[..., None], at, form
        return self._read(value)

    def _read(self, value: object) -> Operand:
        """Return any ``value`` as an operand; this is the slow path of :meth:`read`."""
        if self._copies:
            return self._of_words(np.asarray(value))
        match value:
            case np.ma.MaskedArray():
                raise masked(self.name)
            case np.ndarray():
                return self._array(np.asarray(value))
            case bytes() | bytearray():
                return self._bytes(value)
            case memoryview():
                return self._bytes(value) if value.format in "Bbc" else self._array(np.asarray(value))
            case Sequence() if not isinstance(value, str):
                return self._numbers(self._nested(value), LISTS)
        raise self._refused(f"a {type(value).__name__}")

    def scalar(self, value: object) -> Operand:
        """Return one residue, which is passed as an integer or as its words, as an array of shape (words,).

        Raises:
            MomagenError: It is neither, or is out of range.
        """
        if type(value) is int and 0 <= value < self.top and sys.byteorder == "little":
            return NOTHING, value.to_bytes(8 * self.words, "little"), ROWS
        if isinstance(value, np.ma.MaskedArray):
            raise masked(self.name)
        if isinstance(value, np.ndarray) and value.ndim == 1 and is_words(value):
            if value.shape != (self.words,):
                expected = f"an integer or an array of its {self.words} words"
                raise MomagenError(expected, f"shape {value.shape}", self.name)
            rows = np.array(value, NATIVE)
        else:
            check_one(value, self.top, self.residues, self.name)
            rows = to_words([value], self.words)[0]  # type: ignore[list-item]
        return rows, address(rows), ROWS

    @property
    def scalar_shape(self) -> tuple[int, ...]:
        """The shape of a scalar's words."""
        return (self.words,)

    def in_range(self, value: object) -> Words:
        """Return the words of a scalar for a caller that calls no C function, which would check its range.

        Raises:
            MomagenError: It is not a scalar, or is out of range.
        """
        operand = written_out(self.scalar(value), self.scalar_shape)
        self.blame(value, operand)
        return operand[0]

    def blame(self, value: object, operand: Operand) -> None:
        """Raise the error for the first number in ``operand`` that is out of range, which names its index in ``value``.

        Raises:
            MomagenError: A number is out of range.
        """
        rows, _, form = operand
        if form == LISTS:
            self._blame_listed(self._nested(value))  # type: ignore[arg-type]
        check_below(self._wide(rows), self.top, self.residues, self.name)

    def _wide(self, rows: Words) -> Words:
        """Return ``rows`` in 64-bit words."""
        return self._copies.widened(rows) if self._copies else rows

    def _array(self, array: npt.NDArray[Any]) -> Operand:
        """Return a NumPy array as an operand."""
        if array.dtype == NATIVE or is_words(array):
            return self._of_words(array)
        if array.dtype.kind == "O" and _ends(array.shape, self._inner) and array.ndim:
            return self._numbers(array, OBJECTS)
        flat = array.ndim and _ends(array.shape, self._inner)
        if array.dtype.kind not in "iu" or not (flat or self.words == 1):
            raise self._refused(f"{array.dtype} of shape {array.shape}")
        return self._of_words(self._unsigned(array)) if self.words == 1 else self._extended(self._unsigned(array))

    def form(self, shape: tuple[int, ...]) -> str:
        """Return the form of an array of words by its shape: with an axis of words, without, or "" if it is wrong."""
        if shape[self._axes :] == self._tail and len(shape) >= self._least:
            return ROWS
        return FLAT if self._flat and shape and shape[len(shape) - len(self._inner) :] == self._inner else ""

    def _of_words(self, array: npt.NDArray[Any]) -> Operand:
        """Return an array of words as an operand."""
        form = self.form(array.shape)
        if not form:
            hint = "use x.astype(object) if each element is a residue" if _ends(array.shape, self._inner) else ""
            raise self._refused(f"shape {array.shape}", hint)
        return _placed(array if form == ROWS else array[..., None], form, self.own)

    def _unsigned(self, array: npt.NDArray[Any]) -> Words:
        """Return integers of another dtype as 64-bit words.

        Raises:
            MomagenError: A number is negative.
        """
        negative = array < 0 if array.dtype.kind == "i" else np.zeros(0, bool)
        if negative.any():
            at = np.unravel_index(int(negative.argmax()), array.shape)
            raise MomagenError(self.residues, array[at], f"{self.name}{list(map(int, at))}")
        return array.astype(NATIVE)

    def _extended(self, array: Words) -> Operand:
        """Return numbers of one word as residues of several words."""
        rows = np.zeros((*array.shape, self.words), NATIVE)
        rows[..., 0] = array
        return _placed(rows, OBJECTS)

    def _nested(self, values: Sequence[Any]) -> npt.NDArray[Any]:
        """Return nested sequences as an array of objects.

        Raises:
            MomagenError: The shape is wrong, or an element is a masked array.
        """
        check_unmasked(values, self.name)
        array = nested(values, self._refused)
        if not array.ndim or not _ends(array.shape, self._inner):
            raise self._refused(f"a sequence of shape {array.shape}")
        return array

    def _numbers(self, array: npt.NDArray[Any], form: str) -> Operand:
        """Return an array of Python integers as an operand.

        Raises:
            MomagenError: An element is not an integer, or the words cannot hold it.
        """
        numbers = array.ravel().tolist()
        if bool in {*map(type, numbers)}:
            self._blame_listed(array, nested=form == LISTS)
        try:
            rows = to_words(numbers, self.words).reshape(*array.shape, self.words)
        except MomagenError:
            self._blame_listed(array, nested=form == LISTS)
            raise
        return _placed(rows, form)

    def _blame_listed(self, array: npt.NDArray[Any], *, nested: bool = True) -> None:
        """Raise the error for the first incorrect element of ``array``."""
        for place in np.ndindex(array.shape):
            index = "".join(f"[{i}]" for i in place) if nested else str(list(place))
            check_one(array[place], self.top, self.residues, self.name + index)

    def _bytes(self, value: bytes | bytearray | memoryview) -> Operand:
        """Return little-endian bytes as an operand.

        Raises:
            MomagenError: The number of bytes is wrong.
        """
        data, size = bytes(value) if isinstance(value, memoryview) else value, 8 * self.words * prod(self._inner)
        if len(data) % size or (self.n and not data):
            expected = f"a multiple of {size} bytes, with {8 * self.words} for each number"
            raise MomagenError(expected, f"{len(data)} bytes", self.name)
        count = len(data) // size
        shape = (count, *self._tail) if count != 1 or not self.n else self._tail
        rows = np.frombuffer(data, LITTLE) if data else np.empty(0, NATIVE)
        return _placed(rows.reshape(shape), BYTEARRAY if isinstance(value, bytearray) else BYTES)

    def _refused(self, got: str, hint: str = "") -> MomagenError:
        """Return the error for an operand of the wrong kind or shape."""
        return MomagenError(self.expected, got, self.name, hint)


def _placed(rows: npt.NDArray[Any], form: str, words: np.dtype[Any] = NATIVE) -> Operand:
    """Return ``rows``, or a copy that C code can read, as an operand."""
    found = np.require(rows, words, ("C_CONTIGUOUS", "ALIGNED"))
    return found, address(found), form


def written_out(operand: Operand, shape: tuple[int, ...]) -> Operand:
    """Return the operand; a scalar that was read as bytes becomes an array of words of that shape."""
    _, place, form = operand
    return (np.frombuffer(place, NATIVE).reshape(shape), place, form) if isinstance(place, bytes) else operand


def _ends(shape: tuple[int, ...], inner: tuple[int, ...]) -> bool:
    """Return whether ``shape`` ends with ``inner``."""
    return len(shape) >= len(inner) and shape[len(shape) - len(inner) :] == inner
