"""An exact linear program: the multipliers of equations that give a polynomial its greatest provable lower bound.

The checker encloses a polynomial term by term. If a multiple of an equation is subtracted first, the enclosure may be
better. This module finds the best multipliers with the simplex method on rational numbers. The result is not trusted:
the checker subtracts the multiples and encloses what is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PIVOTS = 400
"""The number of pivots after which a search is given up."""
EFFORT = 600_000
"""The number of changed coefficients after which a search is given up."""
STEEPEST = 150
"""The number of pivots that choose the steepest column. Later ones choose the first one, which cannot cycle."""
Row = dict[int, Any]


@dataclass
class Tableau:
    """The rows of a tableau, each of which is ``basic + sum(coefficient * column) = right``.

    Attributes:
        rows: The coefficients of the columns that are not basic.
        right: The right sides.
        basic: The basic column of each row.
        free: The columns that may be negative.
        effort: The number of coefficients that pivots changed.
    """

    rows: list[Row]
    right: list[Any]
    basic: list[int]
    free: set[int]
    effort: int = 0

    def raise_to(self, objective: int, goal: Any) -> dict[int, Any] | None:
        """Return values of the columns for which the basic column of row ``objective`` is at least ``goal``.

        Returns:
            The values that are not zero, or None if the search is given up or the greatest value is less.
        """
        for count in range(PIVOTS):
            if self.effort > EFFORT:
                return None
            if self.right[objective] >= goal:
                return self._values()
            column = self._entering(objective, steepest=count < STEEPEST)
            if column is None:
                return None
            direction = -1 if self.rows[objective][column] > 0 else 1
            row, step = self._leaving(objective, column, direction)
            needed = (goal - self.right[objective]) / abs(self.rows[objective][column])
            if step is None or step >= needed:
                return self._values(column, direction * needed)
            assert row is not None
            self._pivot(row, column)
        return None

    def _entering(self, objective: int, steepest: bool) -> int | None:
        useful = [(abs(c), -at) for at, c in self.rows[objective].items() if c < 0 or at in self.free]
        if not useful:
            return None
        return -(max(useful) if steepest else max(useful, key=lambda found: found[1]))[1]

    def _leaving(self, objective: int, column: int, direction: int) -> tuple[int | None, Any]:
        best: tuple[Any, int, int] | None = None
        for at, row in enumerate(self.rows):
            if at == objective or self.basic[at] in self.free or column not in row:
                continue
            rate = row[column] * direction
            if rate > 0:
                found = self.right[at] / rate, self.basic[at], at
                best = found if best is None else min(best, found)
        return (None, None) if best is None else (best[2], best[0])

    def _pivot(self, at: int, column: int) -> None:
        pivot = self.rows[at]
        factor = 1 / pivot.pop(column)
        made = {c: value * factor for c, value in pivot.items()}
        made[self.basic[at]] = factor
        self.rows[at], self.right[at], self.basic[at] = made, self.right[at] * factor, column
        for other, row in enumerate(self.rows):
            if other != at and column in row:
                times = row.pop(column)
                self.right[other] -= times * self.right[at]
                self.effort += len(made)
                for c, value in made.items():
                    new = row.get(c, 0) - times * value
                    if new:
                        row[c] = new
                    else:
                        row.pop(c, None)

    def _values(self, column: int | None = None, step: Any = 0) -> dict[int, Any]:
        """Return the values of all columns if one that is not basic has the value ``step``."""
        found = {} if column is None else {column: step}
        for at, row in enumerate(self.rows):
            value = self.right[at] - (row.get(column, 0) * step if column is not None else 0)
            if value:
                found[self.basic[at]] = value
        return found
