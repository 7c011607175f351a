"""The results of calls: an array that the caller passes, or a new object in the form of the operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from momagen.errors import MomagenError, build_error
from momagen.params import from_words
from momagen.params.words import Words

from .integers import masked
from .operands import BYTEARRAY, BYTES, FLAT, LISTS, LITTLE, OBJECTS, ROWS, Operand
from .own_words import NATIVE, is_words


def _objects(rows: Words) -> npt.NDArray[Any]:
    """Return rows of words as an array of Python integers."""
    numbers = np.empty(rows.shape[:-1], object)
    numbers.reshape(-1)[:] = from_words(rows)
    return numbers


def _bytes(rows: Words) -> bytes:
    """Return rows of words as little-endian bytes."""
    return rows.astype(LITTLE, copy=False).tobytes()


ANSWERS: dict[str, Callable[[Words], Any]] = {
    ROWS: lambda rows: rows, FLAT: lambda rows: rows[..., 0], OBJECTS: _objects,
    LISTS: lambda rows: _objects(rows).tolist(), BYTES: _bytes, BYTEARRAY: lambda rows: bytearray(_bytes(rows)),
}  # fmt: skip
"""The conversions from rows of words to every form of a result."""


def answer(rows: Words, vectors: list[Operand]) -> Any:
    """Return ``rows`` in the form of the first of ``vectors`` that is not a list."""
    form = vectors[0][2]
    if form == LISTS:
        form = next((other for _, _, other in vectors if other != LISTS), LISTS)
    return ANSWERS[form](rows)


def place(out: object, shape: tuple[int, ...], words: np.dtype[Any] = NATIVE) -> Words:
    """Return ``out`` as a view of ``shape``, which is (…, words).

    Args:
        out: The array that the caller passed.
        shape: The shape of the result. If it has one word per residue, ``out`` may lack the axis of words.
        words: The dtype of the words.

    Raises:
        MomagenError: ``out`` is not an array of these words, is masked or read-only, or has another shape.
    """
    if type(out) is np.ndarray and out.dtype == words and out.flags.writeable:
        if out.shape == shape:
            return out
        if out.shape == shape[:-1] and shape[-1] == 1:
            return out[..., None]
    shapes = f"{shape}" + f" or {shape[:-1]}" * (shape[-1] == 1)
    if isinstance(out, np.ma.MaskedArray):
        raise masked("out")
    if not isinstance(out, np.ndarray) or not is_words(out, words) or not out.flags.writeable:
        raise MomagenError(f"a writeable {words} array of shape {shapes}", _described(out), "out")
    if out.shape == shape:
        return out
    if out.shape == shape[:-1] and shape[-1] == 1:
        return out[..., None]
    raise MomagenError(f"shape {shapes}", f"shape {out.shape}", "out")


def unequal(names: Sequence[str], vectors: Sequence[Words]) -> MomagenError:
    """Return the error that names the first of ``vectors`` whose shape differs from that of the first one.

    C code reads as many residues from every vector as the first one has, so each vector must have its shape.
    """
    shape = vectors[0].shape
    name, other = next((name, each.shape) for name, each in zip(names, vectors, strict=True) if each.shape != shape)
    return MomagenError(f"the shape of {names[0]}, {shape[:-1]}", other[:-1], name)


def direct(rows: Words, words: np.dtype[Any] = NATIVE) -> bool:
    """Return whether C code can write ``words`` to ``rows``."""
    return rows.dtype == words and rows.flags.carray


def is_clear(value: Any, rows: Words, begin: int | bytes, out: int, size: int) -> bool:
    """Return whether an operand was read without a copy and shares no memory with the result; False means that it may.

    Args:
        value: The operand as it was passed.
        rows: The contiguous array that was read from it.
        begin: The address of ``rows``.
        out: The address of the result.
        size: The size of the result in bytes.
    """
    if isinstance(begin, bytes) or (rows is not value and not (type(value) is np.ndarray and _views(rows, value))):
        return False
    return begin + rows.nbytes <= out or out + size <= begin


def _views(rows: Words, value: npt.NDArray[Any]) -> bool:
    """Return whether ``rows``, which was read from ``value``, is not a copy."""
    return rows.base is value or (rows.base is not None and rows.base is value.base)


def overlapping(operand: str) -> MomagenError:
    """Return the error for a result array ``out`` that partially overlaps an operand."""
    remedy = f"use {operand} itself, or an array that shares no memory with it"
    return build_error(f"`out` partially overlaps {operand}", "out", remedy)


def check_apart(value: Any, rows: Words, out: npt.NDArray[Any], where: str) -> None:
    """Check that an operand does not partially overlap ``out``; the same view of the same memory is allowed.

    Args:
        value: The operand as it was passed.
        rows: The operand as it was read.
        out: The array for the result.
        where: The name of the operand.

    Raises:
        MomagenError: The two overlap partially.
    """
    if value is out:
        return
    given = value if isinstance(value, np.ndarray) else rows
    if np.may_share_memory(given, out) and _overlap(given, out):
        raise overlapping(where)


def _overlap(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> bool:
    """Return whether two arrays share memory without being the same rows."""
    return _place(x) != _place(y) and np.shares_memory(x, y)


def _place(x: npt.NDArray[Any]) -> tuple[int, list[tuple[int, int]]]:
    """Return the position of an array's elements: its address, and the lengths and strides of axes longer than 1."""
    return x.ctypes.data, [axis for axis in zip(x.shape, x.strides, strict=True) if axis[0] > 1]


def _described(out: object) -> str:
    """Return a description of the array that was passed as ``out``."""
    if not isinstance(out, np.ndarray):
        return f"a {type(out).__name__}"
    return f"{'' if out.flags.writeable else 'read-only '}{out.dtype} of shape {out.shape}"
