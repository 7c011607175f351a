"""A sweep from Python: what was measured, as data and as a table in a notebook."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.bench.measure.machine import caption, machine
from momagen.bench.suite.grid import Grid, grid_races
from momagen.bench.suite.sweep import sweep_race
from momagen.build import find_compiler
from momagen.html import card, grid
from momagen.notebook import Progress, watched

from .point import HEADERS, Point, missing, races


@dataclass(frozen=True)
class Swept:
    """The points of a sweep, and the machine that they were measured on."""

    points: tuple[Point, ...]
    machine: str

    @property
    def right(self) -> bool:
        """Whether all contestants of every race computed the same."""
        return not any(point.wrong for point in self.points)

    def rows(self) -> list[dict[str, object]]:
        """Plain data, a row per point."""
        return [point.row() for point in self.points]

    def __repr__(self) -> str:
        return f"<momagen sweep of {len(self.points)} points>"

    def _repr_html_(self) -> str:
        found = races(self.points)
        tables = (card(title, (), grid(HEADERS, [point.cells() for point in row])) for title, row in found)
        facts = [("machine", self.machine), *((f"missing: {name}", why) for name, why in missing(self.points).items())]
        return "".join(tables) + card("measured on", facts)


def swept(chosen: Grid, progress: Progress | None = None) -> Swept:
    """Measure what ``chosen`` asks for.

    Raises:
        MomagenError: a grid that cannot be, or no compiler.
    """
    todo, found = grid_races(chosen), list[Point]()
    with watched(progress) as told:
        for done, race in enumerate(todo):
            told(done / len(todo), f"{race.kernel}, {race.spec.width}-bit modulus, {race.n}")
            found += sweep_race(race, chosen)
    return Swept(tuple(found), caption(machine(), find_compiler(chosen.compiler)))
