"""Long elements by way of shared memory: threads move neighbouring parts of a vector, and each computes one element.

An element consists of several *parts*, each of which one memory access moves. In a vector the parts of one
element are adjacent. In shared memory, part p of all elements is a row. Rows are a few places longer than the
number of threads, so that threads that access shared memory at the same time use different banks, both for
adjacent parts and for part p of adjacent elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from momagen.program import Expr, Function, Name
from momagen.program.device import BLOCK, SHARED, THREAD
from momagen.program.statements import Barrier, Transfer

from .ends import SharedEnd


class StagedVectors:
    """Elements of vectors for the threads of one block.

    Args:
        threads: The number of threads.
        stride: The number of words from one element to the next.
        words: The number of words of an element.
        chunk: The number of words of a part.
        word: The number of bits of a word.
        line: The number of bytes that shared memory serves at once.
    """

    def __init__(self, threads: int, stride: int, words: int, chunk: int, word: int, line: int) -> None:
        self.threads, self.words, self.chunk, self.word = threads, words, chunk, word
        self.parts = stride // chunk
        self.row = threads + spare_places(self.parts, line * 8 // (chunk * word))

    def bytes(self, vectors: int) -> int:
        """Return the number of bytes of shared memory for a number of vectors."""
        return vectors * self.parts * self.row * self.chunk * self.word // 8

    def load(self, f: Function, vectors: Sequence[Name], row: Expr, n: Expr) -> list[Name]:
        """Append the loads of the thread's element of each vector, and return the arrays with the elements.

        An element is 0 if the vector does not have it.

        Args:
            f: The kernel.
            vectors: The vectors.
            row: The index of the modulus.
            n: The number of elements of each vector.
        """
        moved = []
        for vector in vectors:
            for part in range(self.parts):
                array = f.array(f"{vector.text}_part{part}", self.chunk, [0])
                self._move(f, array, vector, part, row, n, False)
                moved.append(array)
        for at, array in enumerate(moved):
            number, part = divmod(at, self.parts)
            f.add(self._in_row(array, number, part, True))
        f.add(Barrier())
        arrays = [f.array(f"{vector.text}0", self.words) for vector in vectors]
        for number, array in enumerate(arrays):
            self._own(number).move(f, 0, array, False)
        return arrays

    def store(self, f: Function, array: Name, vector: Name, row: Expr, n: Expr) -> None:
        """Append the store of ``array`` to the thread's element of a vector.

        In shared memory it overwrites the first vector that was loaded.
        """
        self._own(0).move(f, 0, array, True)
        f.add(Barrier())
        for part in range(self.parts):
            moved = f.array(f"{vector.text}_part{part}", self.chunk)
            f.add(self._in_row(moved, 0, part, False))
            self._move(f, moved, vector, part, row, n, True)

    def _own(self, number: int) -> SharedEnd:
        """Return the place of the thread's element of vector ``number`` in shared memory."""
        first = THREAD + number * self.parts * self.row
        return SharedEnd(first, [], self.row, self.chunk, self.words)

    def _number(self, part: int) -> Expr:
        """Return the index of the part that the thread moves in step ``part``, among the parts of the block."""
        return THREAD + part * self.threads

    def _move(self, f: Function, array: Name, vector: Expr, part: int, row: Expr, n: Expr, out: bool) -> None:
        """Append the move of a part between registers and a vector, if the vector has this part."""
        number = self._number(part)
        with f.if_(BLOCK * self.threads + number // self.parts < n):
            memory = vector + ((row * n + BLOCK * self.threads) * self.parts + number) * self.chunk
            f.add(Transfer(array, 0, memory, self.chunk, self.chunk, out))

    def _in_row(self, array: Name, number: int, part: int, out: bool) -> Transfer:
        """Return the move of the same part between registers and its row in shared memory."""
        mine = self._number(part)
        place = number * self.parts * self.row + mine % self.parts * self.row + mine // self.parts
        return Transfer(array, 0, SHARED + place * self.chunk, self.chunk, self.chunk, out)


def spare_places(parts: int, lanes: int) -> int:
    """Return the number of places by which rows are longer than a multiple of ``lanes``.

    It minimises the number of threads that use the same bank when ``lanes`` adjacent parts are accessed, if
    an element has ``parts`` parts.
    """

    def met(spare: int) -> int:
        most = 0
        for first in range(0, lanes * parts, lanes):
            banks = [(at % parts * spare + at // parts) % lanes for at in range(first, first + lanes)]
            most = max(most, *(banks.count(bank) for bank in set(banks)))
        return most

    return min(range(lanes), key=met)
