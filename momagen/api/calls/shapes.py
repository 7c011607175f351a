"""The shapes of a kernel's vectors and of its result, and the parts that one call of its code processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from momagen.kinds.modular.spec import Spec

from .own_words import NATIVE, OwnWords, is_words

Shape = tuple[int, ...]
Counts = Callable[[Shape], tuple[int, int]]
"""The type of a function from the shape of a vector, with its axis of words, to the number of batches and their length.

The length is the number of residues of one modulus in a batch.
"""


def splits(spec: Spec) -> bool:
    """Return whether each batch is a separate call.

    This applies to vectors of any length that are summed or have several moduli.
    """
    return spec.sums or bool(spec.basis and not spec.n)


def counts_of(spec: Spec) -> Counts:
    """Return the function that computes the number of batches and the number of residues of each modulus in a batch.

    All vectors of one modulus that need no separate calls are one batch.
    """
    if splits(spec):
        lead = -2 - bool(spec.basis)
        return lambda shape: (prod(shape[:lead]), shape[-2])
    if spec.basis:
        size = spec.rows * spec.elements
        return lambda shape: (prod(shape[:-1]) // size, spec.elements)
    return lambda shape: (1, prod(shape[:-1]))


def result_of(spec: Spec) -> Callable[[Shape], Shape] | None:
    """Return the function from the shape of a vector to that of the result, or None if both are the same."""
    grows, axis = spec.results // spec.elements, -2 - (spec.columns > 1)
    if spec.sums:
        return lambda shape: (*shape[:-2], shape[-1])
    if grows > 1:
        return lambda shape: (*shape[:axis], shape[axis] * grows, *shape[axis:][1:])
    return None


def points_of(operands: Sequence[Any], words: int, own: OwnWords | None) -> int:
    """Return the length of the axis n of the first operand of ``ntt("any")``, or 0 if it has no such axis.

    Args:
        operands: The operands as they were passed.
        words: The number of 64-bit words in a residue.
        own: The words of the kernel's arrays if they have 16 or 32 bits, otherwise None.
    """
    value = operands[0] if operands else ()
    if isinstance(value, bytes | bytearray | memoryview):
        return len(bytes(value)) // (8 * words)
    if isinstance(value, np.ndarray):
        return _points_of_array(value, words, own)
    while isinstance(value, Sequence) and len(value) and isinstance(value[0], Sequence | np.ndarray):
        value = value[0]
    return len(value) if isinstance(value, Sequence | np.ndarray) else 0


def _points_of_array(array: np.ndarray[Any, Any], words: int, own: OwnWords | None) -> int:
    """Return the length of the axis n of an array, or 0."""
    short = own is not None and own.describes(array)
    count, word = (own.words, own.dtype) if own and short else (words, NATIVE)
    has_words = array.ndim > 1 and array.shape[-1] == count and (count == 1 or is_words(array, word))
    return int(array.shape[-1 - has_words]) if array.ndim else 0
