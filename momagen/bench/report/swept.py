"""The result of a sweep in Python: the measurements as data, and as tables in a notebook."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.bench.measure.machine import caption, machine
from momagen.bench.suite.grid import Grid, grid_races
from momagen.bench.suite.sweep import sweep_race
from momagen.html import card, grid
from momagen.notebook import Progress, watched
from momagen.runtime import find_compiler

from .point import HEADERS, Point, missing, races


@dataclass(frozen=True)
class Swept:
    """The result of :func:`momagen.sweep`.

    Attributes:
        points: The measurements, one for each target or baseline, kind, size and width.
        machine: A description of the machine and the compiler.
    """

    points: tuple[Point, ...]
    machine: str

    @property
    def right(self) -> bool:
        """Whether all contestants of every race computed the same results."""
        return not any(point.wrong for point in self.points)

    def rows(self) -> list[dict[str, object]]:
        """Return the measurements as plain data, one row for each."""
        return [point.row() for point in self.points]

    def __repr__(self) -> str:
        return f"<momagen sweep of {len(self.points)} points>"

    def _repr_html_(self) -> str:
        found = races(self.points)
        tables = (card(title, (), grid(HEADERS, [point.cells() for point in row])) for title, row in found)
        facts = [("machine", self.machine), *((f"missing: {name}", why) for name, why in missing(self.points).items())]
        return "".join(tables) + card("measured on", facts)


def swept(chosen: Grid, progress: Progress | None = None) -> Swept:
    """Measure the races of a grid.

    Args:
        chosen: The grid.
        progress: A function that is called before every race with the part done and a title.

    Raises:
        MomagenError: The combination of arguments is invalid, or there is no compiler.
    """
    todo, found = grid_races(chosen), list[Point]()
    with watched(progress) as told:
        for done, race in enumerate(todo):
            told(done / len(todo), f"{race.kernel}, {race.spec.width}-bit modulus, {race.n}")
            found += sweep_race(race, chosen)
    return Swept(tuple(found), caption(machine(), find_compiler(chosen.compiler)))
