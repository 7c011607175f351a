"""Integers as rows of machine words: little-endian uint64 arrays of shape (..., words)."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from momagen.errors import MomagenError, quoted, shorten

Words = npt.NDArray[np.uint64]
_LITTLE = np.dtype("<u8")
_BYTES = 8
_CHUNK = 1 << 16  # values whose bytes objects live at once


def words_per(bits: int, word: int = 64) -> int:
    """Return the number of words of ``word`` bits that hold ``bits`` bits; both are at least 1.

    Raises:
        MomagenError: One of them is smaller.
    """
    if bits < 1 or word < 1:
        raise MomagenError("at least 1 bit in words of at least 1 bit", f"{bits} bits in words of {word}", "width")
    return -(-bits // word)


def to_words(values: Iterable[int], count_words: int) -> Words:
    """Return ``values`` as a new array of shape (len, count_words), with the least significant word first.

    Args:
        values: Integers (Python, gmpy2 or NumPy) with 0 ≤ v < 2^(64·count_words).
        count_words: The number of words of a value, at least 1.

    Raises:
        MomagenError: A value is not an integer, is negative or too wide; the message states the index of the first one.
    """
    if count_words < 1:
        raise MomagenError("at least 1 word per value", count_words, "words per value")
    items, data, size = list(values), bytearray(), _BYTES * count_words
    try:
        for start in range(0, len(items), _CHUNK):
            data += b"".join([operator.index(v).to_bytes(size, "little") for v in items[start : start + _CHUNK]])
    except (OverflowError, TypeError):
        raise _unfit(items, count_words) from None
    return np.frombuffer(data, _LITTLE).astype(np.uint64, copy=False).reshape(len(items), count_words)


def _unfit(items: Sequence[object], count_words: int) -> MomagenError:
    """Return the error for the first value that does not fit."""
    limit = 1 << 64 * count_words
    at = next(i for i, v in enumerate(items) if not _is_residue(v, limit))
    return MomagenError(f"an integer from 0 to 2^{64 * count_words} - 1", _described(items[at]), f"value {at}")


def _is_residue(value: object, limit: int) -> bool:
    """Return whether a value is an integer from 0 to limit - 1."""
    if isinstance(value, bool):
        return False
    try:
        return 0 <= operator.index(value) < limit  # type: ignore[arg-type]
    except TypeError:
        return False


def _described(value: object) -> str:
    """Return a value as an error shows it."""
    if isinstance(value, bool):
        return repr(value)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return quoted(value)
    return str(number) if number.bit_length() <= 256 else f"an integer of {number.bit_length()} bits"


def from_words(array: Words) -> list[int]:
    """Return the integers in a uint64 array of shape (…, words), with the leading axes flattened in C order.

    The array may have any strides.

    Raises:
        MomagenError: The array has another dtype, or no axis of words.
    """
    _check_array(array, "array of words")
    size = _BYTES * array.shape[-1]
    data = np.ascontiguousarray(array, _LITTLE).tobytes()
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]


def _check_array(array: Words, where: str) -> None:
    """Check the dtype and the shape of an array of words.

    Raises:
        MomagenError: They are wrong.
    """
    if array.dtype != np.uint64 or array.ndim == 0 or array.shape[-1] == 0:
        raise MomagenError("a uint64 array of shape (..., words)", f"{array.dtype} of shape {array.shape}", where)


def check_residues(values: Words | Iterable[int], q: int, where: str = "residues") -> None:
    """Check that 0 ≤ v < q for all values, which are a uint64 array of shape (…, words) or integers.

    Raises:
        MomagenError: A value is out of range; the message states its index on the leading axes, and the value.
    """
    check_below(values, q, f"residues below the modulus {shorten(q, 40)}", where)


def check_below(values: Words | Iterable[int], top: int, expected: str, where: str) -> None:
    """Check that 0 ≤ v < top as :func:`check_residues` does; ``expected`` describes such values.

    Raises:
        MomagenError: A value is out of range.
    """
    bad = _first_bad_row(values, top, where) if isinstance(values, np.ndarray) else _first_bad(values, top)
    if bad is not None:
        index, value = bad
        raise MomagenError(expected, _described(value), f"{where}{index}")


def check_one(value: object, top: int, expected: str, where: str) -> None:
    """Check that a value is an integer with 0 ≤ value < top; ``expected`` describes such values.

    Raises:
        MomagenError: It is not.
    """
    if not _is_residue(value, top):
        raise MomagenError(expected, _described(value), where)


def _first_bad(values: Iterable[int], q: int) -> tuple[str, object] | None:
    """Return the index and the value of the first integer that is out of range, or None."""
    return next(((f"[{i}]", v) for i, v in enumerate(values) if not _is_residue(v, q)), None)


def _first_bad_row(array: Words, q: int, where: str) -> tuple[str, object] | None:
    """Return the index and the value of the first row that is out of range, or None."""
    _check_array(array, where)
    bad = _at_least(array, q)
    if not bad.any():
        return None
    index = tuple(map(int, np.unravel_index(int(bad.argmax()), bad.shape)))
    return f"{list(index)}" if index else "", from_words(array[index])[0]


def _at_least(array: Words, q: int) -> npt.NDArray[np.bool_]:
    """Return whether value ≥ q for each row, an array of shape (…).

    The comparison proceeds from the lowest word up; a higher word decides unless it is equal.
    """
    words = array.shape[-1]
    if q.bit_length() > 64 * words:
        return np.zeros(array.shape[:-1], np.bool_)
    result = np.ones(array.shape[:-1], np.bool_)
    for word, bound in zip(np.moveaxis(array, -1, 0), to_words([q], words)[0], strict=True):
        result = (word > bound) | ((word == bound) & result)
    return result
