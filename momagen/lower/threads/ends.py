"""Where elements come from and go to: shared memory, or a vector."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.program import Expr, Function, Name
from momagen.program.device import SHARED
from momagen.program.statements import Transfer

from .places import constant

ACCESS = 128
"""Bits that one access moves at most."""


def chunk_of(word: int, stride: int) -> int:
    """Words that one access moves, ``stride`` words from one residue to the next."""
    return min(ACCESS // word, stride & -stride)


class SharedEnd:
    """Elements in shared memory: the first ``chunk`` words of all of them, then the next."""

    def __init__(self, place: Expr, legs: Sequence[int], count: int, chunk: int, words: int) -> None:
        self.place, self.legs, self.count, self.chunk, self.words = place, legs, count, chunk, words

    def move(self, f: Function, leg: int, array: Name, out: bool) -> None:
        """Element ``leg`` to or from ``array``."""
        at = self.place + constant(leg, self.legs)
        for first in range(0, self.words, self.chunk):
            memory = SHARED + (at + first // self.chunk * self.count) * self.chunk
            count = min(self.chunk, self.words - first)
            f.add(Transfer(array, first, memory, count, self.chunk, out))
            if out and count < self.chunk:  # compilers load the whole chunk
                f.clear(memory + count, self.chunk - count)


class VectorEnd:
    """Elements of a vector in memory."""

    def __init__(self, place: Expr, legs: Sequence[int], stride: int, words: int, chunk: int) -> None:
        self.place, self.legs = place, legs
        self.stride, self.words, self.chunk = stride, words, chunk

    def move(self, f: Function, leg: int, array: Name, out: bool) -> None:
        """Element ``leg`` to or from ``array``."""
        memory = self.place + constant(leg, self.legs) * self.stride
        f.add(Transfer(array, 0, memory, self.words, self.chunk, out))
        if out and self.stride > self.words:
            f.clear(memory + self.words, self.stride - self.words)

