"""Integers and residues that users pass in arrays or in nested sequences; masks and fractions are rejected."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from momagen.errors import MomagenError

MOST_AXES = 64
"""The largest number of axes of a NumPy array."""
UNEQUAL = "sequences of different lengths"


def masked(where: str) -> MomagenError:
    """Return the error for a masked array, whose mask a kernel would drop."""
    return MomagenError("an array without a mask", "a masked array", where, "use .filled() or .data")


def check_unmasked(value: object, where: str, axes: int = MOST_AXES) -> None:
    """Check that neither a value nor any element of nested sequences is a masked array.

    Args:
        value: The value.
        where: The name of the argument.
        axes: The depth to which sequences are searched; NumPy makes no array of deeper ones.

    Raises:
        MomagenError: There is a masked array.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise masked(where)
    if axes and isinstance(value, list | tuple) and not {int} >= {*map(type, value)}:
        for each in value:
            check_unmasked(each, where, axes - 1)


def integer_array(value: object, expected: str, where: str) -> npt.NDArray[Any]:
    """Return an array of integers as it is, and nested sequences of integers as an array of Python integers.

    Args:
        value: An array of any integer dtype or of objects, or nested lists, tuples or ranges.
        expected: The description of the expected value, as a noun phrase.
        where: The name of the argument.

    Raises:
        MomagenError: The array is masked, the value has another kind, sequences have different lengths, or an element
            is not an integer.
    """
    check_unmasked(value, where)
    if isinstance(value, np.ndarray):
        array = np.asarray(value)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview):
        array = nested(value, lambda got: MomagenError(expected, got, where))
    else:
        raise MomagenError(expected, f"a {type(value).__name__}", where)
    if array.dtype.kind not in "iuO":
        raise MomagenError(expected, f"{array.dtype} of shape {array.shape}", where)
    return _whole(array, where) if array.dtype.kind == "O" else array


def check_rows(array: npt.NDArray[Any], moduli: Sequence[int], where: str) -> None:
    """Check that an array of integers (…, moduli, n) has residues of modulus i in row i.

    Raises:
        MomagenError: It does not; the message names the first incorrect row and a number of it.
    """
    for at, q in enumerate(moduli):
        row = array[..., at, :]
        if row.size and not 0 <= int(row.min()) <= int(row.max()) < q:
            worst = row.min() if row.min() < 0 else row.max()
            raise MomagenError(f"residues below {q}", int(worst), f"{where}[{at}]" if len(moduli) > 1 else where)


def nested(value: Sequence[Any], refused: Callable[[str], MomagenError]) -> npt.NDArray[Any]:
    """Return nested sequences as an array of their elements.

    Args:
        value: The sequences.
        refused: A function that returns the error for a description of the value.

    Raises:
        MomagenError: The lengths differ, or there is not enough memory for the array, for instance of a range.
    """
    try:
        array = np.array(value, dtype=object)
    except (ValueError, MemoryError) as error:
        many = isinstance(error, MemoryError)
        raise refused("more elements than memory holds" if many else UNEQUAL) from None
    if {*map(type, array.flat)} & {list, tuple, np.ndarray}:
        raise refused(UNEQUAL)
    return array


def _whole(array: npt.NDArray[Any], where: str) -> npt.NDArray[Any]:
    """Return an array of objects as Python integers.

    Raises:
        MomagenError: An element is not an integer.
    """
    found = np.empty(array.shape, dtype=object)
    for place, element in zip(np.ndindex(array.shape), array.flat, strict=True):
        if isinstance(element, bool | np.bool_) or not hasattr(element, "__index__"):
            raise MomagenError("an integer", repr(element), f"{where}{list(place)}")
        found[place] = operator.index(element)
    return found


def matrix_rows(matrix: object) -> tuple[tuple[int, ...], ...]:
    """Return the rows of a matrix of integers of any size.

    Raises:
        MomagenError: It has no rows of integers, or rows of different lengths.
    """
    expected = "rows of integers, all of the same length"
    array = integer_array(matrix, expected, "matrix")
    if array.ndim != 2 or not array.size:
        raise MomagenError(expected, f"shape {array.shape}", "matrix")
    return tuple(tuple(map(int, row)) for row in array.tolist())
