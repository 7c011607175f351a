"""Long elements by way of shared memory: neighbouring threads move neighbouring parts of a vector, each computes on an
element of its own.

An element is so many *parts* as accesses move it in. In a vector the parts of one element are neighbours; in shared
memory part p of all elements is a row, some places longer than a block has threads, so that threads which shared memory
serves at once meet in no bank, whether they take neighbouring parts or part p of neighbouring elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from momagen.program import Expr, Function, Name
from momagen.program.device import BLOCK, SHARED, THREAD
from momagen.program.statements import Barrier, Transfer

from .ends import SharedEnd


class StagedVectors:
    """Elements of ``words`` words, ``stride`` from one to the next, for the threads of one block.

    Attributes:
        chunk: words of a part. line: bytes that shared memory serves at once.
    """

    def __init__(self, threads: int, stride: int, words: int, chunk: int, word: int, line: int) -> None:
        self.threads, self.words, self.chunk, self.word = threads, words, chunk, word
        self.parts = stride // chunk
        self.row = threads + spare_places(self.parts, line * 8 // (chunk * word))

    def bytes(self, vectors: int) -> int:
        """Of shared memory."""
        return vectors * self.parts * self.row * self.chunk * self.word // 8

    def load(self, f: Function, vectors: Sequence[Name], row: Expr, n: Expr) -> list[Name]:
        """The thread's element of each vector in registers; 0 where there are fewer."""
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
        """``array`` to the thread's element of a vector; it takes the place of the first one that was loaded."""
        self._own(0).move(f, 0, array, True)
        f.add(Barrier())
        for part in range(self.parts):
            moved = f.array(f"{vector.text}_part{part}", self.chunk)
            f.add(self._in_row(moved, 0, part, False))
            self._move(f, moved, vector, part, row, n, True)

    def _own(self, number: int) -> SharedEnd:
        """The thread's element of vector ``number`` in shared memory."""
        first = THREAD + number * self.parts * self.row
        return SharedEnd(first, [], self.row, self.chunk, self.words)

    def _number(self, part: int) -> Expr:
        """Which of the block's parts of a vector the thread moves in turn ``part``."""
        return THREAD + part * self.threads

    def _move(self, f: Function, array: Name, vector: Expr, part: int, row: Expr, n: Expr, out: bool) -> None:
        """A part between registers and a vector, where the vector has it."""
        number = self._number(part)
        with f.if_(BLOCK * self.threads + number // self.parts < n):
            memory = vector + ((row * n + BLOCK * self.threads) * self.parts + number) * self.chunk
            f.add(Transfer(array, 0, memory, self.chunk, self.chunk, out))

    def _in_row(self, array: Name, number: int, part: int, out: bool) -> Transfer:
        """The same part between registers and its row."""
        mine = self._number(part)
        place = number * self.parts * self.row + mine % self.parts * self.row + mine // self.parts
        return Transfer(array, 0, SHARED + place * self.chunk, self.chunk, self.chunk, out)


def spare_places(parts: int, lanes: int) -> int:
    """Places by which rows are longer than a multiple of ``lanes``: such that of ``lanes`` neighbouring parts, where an
    element has so many ``parts``, as few as can be meet in a bank."""

    def met(spare: int) -> int:
        most = 0
        for first in range(0, lanes * parts, lanes):
            banks = [(at % parts * spare + at // parts) % lanes for at in range(first, first + lanes)]
            most = max(most, *(banks.count(bank) for bank in set(banks)))
        return most

    return min(range(lanes), key=met)
