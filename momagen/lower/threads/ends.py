"""The memory from which elements are loaded and to which they are stored: shared memory, or a vector."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.program import Expr, Function, Name
from momagen.program.device import SHARED
from momagen.program.statements import Transfer

from .places import constant

ACCESS = 128
"""The largest number of bits of one memory access."""


def chunk_of(word: int, stride: int) -> int:
    """Return the number of words of one memory access, if residues are ``stride`` words apart."""
    return min(ACCESS // word, stride & -stride)


class SharedEnd:
    """Elements in shared memory, which contains the first ``chunk`` words of all elements, then the next ones.

    Args:
        place: The index of the first element.
        legs: The weights by which the bits of an element's number add to this index.
        count: The number of elements in shared memory.
        chunk: The number of words of one access.
        words: The number of words of an element.
    """

    def __init__(self, place: Expr, legs: Sequence[int], count: int, chunk: int, words: int) -> None:
        self.place, self.legs, self.count, self.chunk, self.words = place, legs, count, chunk, words

    def move(self, f: Function, leg: int, array: Name, out: bool) -> None:
        """Append the move of element ``leg`` from ``array`` if ``out`` is set, or otherwise to it."""
        at = self.place + constant(leg, self.legs)
        for first in range(0, self.words, self.chunk):
            memory = SHARED + (at + first // self.chunk * self.count) * self.chunk
            count = min(self.chunk, self.words - first)
            f.add(Transfer(array, first, memory, count, self.chunk, out))
            if out and count < self.chunk:  # compilers load the whole chunk
                f.clear(memory + count, self.chunk - count)


class VectorEnd:
    """Elements of a vector in memory.

    Args:
        place: The address of the first element.
        legs: The weights by which the bits of an element's number add to its index.
        stride: The number of words from one element to the next.
        words: The number of words of an element.
        chunk: The number of words of one access.
    """

    def __init__(self, place: Expr, legs: Sequence[int], stride: int, words: int, chunk: int) -> None:
        self.place, self.legs = place, legs
        self.stride, self.words, self.chunk = stride, words, chunk

    def move(self, f: Function, leg: int, array: Name, out: bool) -> None:
        """Append the move of element ``leg`` from ``array`` if ``out`` is set, or otherwise to it."""
        memory = self.place + constant(leg, self.legs) * self.stride
        f.add(Transfer(array, 0, memory, self.words, self.chunk, out))
        if out and self.stride > self.words:
            f.clear(memory + self.words, self.stride - self.words)

