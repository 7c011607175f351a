"""Columns: a transform of every column of a matrix, with a row of the matrix for each element of one transform.

NTT(n) ⊗ I(m): no twiddle depends on the column, so the columns are the innermost loop of every pass, and vectors run
along them where a row fills one; then nothing moves across lanes. What fills no vector goes one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Loop:
    """``count`` iterations; the strides count elements read, elements written and table groups."""

    count: int
    x: int
    y: int
    table: int


def fused(loops: Iterable[Loop]) -> list[Loop]:
    """``loops``, innermost first, with those as one that go on where the one inside ends."""
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


ONE = Columns()
