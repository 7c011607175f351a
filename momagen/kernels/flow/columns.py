"""Columns: a transform of every column of a matrix, with a row of the matrix for each element of one transform.

NTT(n) ⊗ I(m): no twiddle depends on the column, so the columns are the innermost loop of every pass, and vectors run
along them where a row fills one; then nothing moves across lanes. What fills no vector goes one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class Loop:
    """``count`` iterations; the strides count elements read, elements written and table groups."""

    count: int
    x: int
    y: int
    table: int


@dataclass(frozen=True)
class Columns:
    """The columns that one pass takes, the first ones of each row.

    Attributes:
        row: elements from one row to the next. lanes: columns in one vector, or 1. count: of vectors, or of columns.
    """

    row: int = 1
    lanes: int = 1
    count: int = 1

    @property
    def taken(self) -> int:
        return self.lanes * self.count

    @property
    def rest(self) -> Columns | None:
        """The columns left over by vectors."""
        left = self.row - self.taken
        return Columns(self.row, 1, left) if left and self.lanes > 1 else None

    def inside(self, loops: Sequence[Loop]) -> list[Loop]:
        """``loops`` with that over columns as the innermost; one with a loop from row to row, where all are taken."""
        if self.count == 1:
            return [*loops]
        rows = [loop.count for loop in loops[-1:] if (loop.x, loop.y, loop.table) == (self.taken, self.taken, 0)]
        return [*loops[: len(loops) - len(rows)], Loop(self.count * prod(rows), self.lanes, self.lanes, 0)]


ONE = Columns()
