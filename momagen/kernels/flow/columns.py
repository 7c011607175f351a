"""Columns: a transform of every column of a matrix, whose rows each contain one element of every transform.

This is NTT(n) ⊗ I(m). No twiddle depends on the column, so the columns are the innermost loop of every pass.
If a row fills a vector, vectors contain neighbouring columns, and no element moves across lanes. Columns that
do not fill a vector are processed one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Loop:
    """A loop of a loop nest.

    Attributes:
        count: The number of iterations.
        x: The number of elements from one iteration to the next in the input.
        y: The number of elements from one iteration to the next in the output.
        table: The number of table groups from one iteration to the next.
    """

    count: int
    x: int
    y: int
    table: int


def fused(loops: Iterable[Loop]) -> list[Loop]:
    """Return ``loops``, innermost first, after merging each loop that continues where the loop inside it ends."""
    found: list[Loop] = []
    for loop in loops:
        count, *last = (found[-1].count, found[-1].x, found[-1].y, found[-1].table) if found else (1, 0, 0, 0)
        if [loop.x, loop.y, loop.table] == [count * step for step in last]:
            found[-1] = Loop(count * loop.count, *last)
        else:
            found.append(loop)
    return found


@dataclass(frozen=True)
class Columns:
    """The columns that one pass processes: the first ones of each row.

    Attributes:
        row: The number of elements from one row to the next.
        lanes: The number of columns in one vector, or 1.
        count: The number of vectors, or of columns if ``lanes`` is 1.
    """

    row: int = 1
    lanes: int = 1
    count: int = 1

    @property
    def taken(self) -> int:
        """The number of columns that the pass processes."""
        return self.lanes * self.count

    @property
    def rest(self) -> Columns | None:
        """The columns that do not fill a vector, or None."""
        left = self.row - self.taken
        return Columns(self.row, 1, left) if left and self.lanes > 1 else None


ONE = Columns()
"""The single column of a transform without columns."""
