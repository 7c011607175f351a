"""Memories of 128-bit words, which are pairs of 64-bit words in NumPy arrays with the low word first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from momagen.errors import MomagenError
from momagen.params.words import from_words, to_words

Words = NDArray[np.uint64]
"""An array of numbers, of shape (…, 2)."""


class WordMemory:
    """A memory of words of 16 bytes.

    Args:
        name: The name of the memory in errors.
        size: The size in bytes.
    """

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.words: Words = np.zeros((size // 16, 2), np.uint64)

    def checked(self, begin: int, count: int, where: str) -> slice:
        """Return the words from ``begin`` on as a slice.

        Raises:
            MomagenError: They are outside the memory.
        """
        if begin < 0 or begin + count > len(self.words):
            raise MomagenError(
                f"addresses from 0 to {len(self.words) - 1} of the {self.name}",
                f"{begin} to {begin + count - 1}",
                where,
            )
        return slice(begin, begin + count)

    def put(self, begin: int, numbers: Sequence[int], where: str) -> None:
        """Write numbers below 2^128."""
        self.words[self.checked(begin, len(numbers), where)] = to_words(list(numbers), 2)

    def get(self, begin: int, count: int, where: str) -> list[int]:
        """Return numbers."""
        return from_words(self.words[self.checked(begin, count, where)])

    def fill(self, parts: Mapping[int, Sequence[int]], where: str) -> None:
        """Write sequences of numbers, by their addresses."""
        for begin, numbers in parts.items():
            self.put(begin, numbers, where)
