"""The measurements of one contestant at one size and width, and the tables, Markdown, CSV and JSON of several."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from rich.box import SIMPLE_HEAD

from momagen.bench.measure.kernel import unit_of
from momagen.bench.measure.sample import Spread
from momagen.bench.x86.floor import Floor
from momagen.bench.x86.rates import Rates
from momagen.screen.tables import ReportTable

from . import texts
from .figure import number

COLUMNS = (
    "kernel", "modulus_bits", "n", "name", "baseline", "unit", "cycles", "cycles_p10", "cycles_p90", "ns", "ns_p10",
    "ns_p90", "wall", "samples", "uops", "instructions", "spill_stores", "spill_loads", "floor", "over_floor",
    "floor_by", "wrong", "note",
)  # fmt: skip
"""The columns of a row. Cycles, nanoseconds, wall time, uops, instructions, spills and the floor are per
unit."""
SHARED = 1.05
"""The ratio of wall time to the thread's CPU time above which a core counts as shared."""
HEADERS = ("", "cycles", "p10 … p90", "ns", "uops", "spills", "floor", "× floor", "set by", "note")


@dataclass(frozen=True)
class Point:
    """The measurements of one contestant at one size and width.

    Attributes:
        kernel: The kind of kernel and its properties, such as "ntt, negacyclic".
        bits: The number of bits of the modulus.
        n: The number of points, or the number of elements of a vector.
        name: The name of the target or the baseline.
        baseline: Whether it is a baseline instead of a generated kernel.
        ns: Nanoseconds per butterfly or element, or None if it could not run.
        cycles: Cycles per butterfly or element, or None if they are unknown.
        wall: Wall time in nanoseconds per unit, which is longer than ``ns`` if the core was shared.
        floor: The port floor, or None.
        wrong: Whether its output differs from the output of the other contestants.
        note: A remark, such as the reason why a value is missing.
    """

    kernel: str
    bits: int
    n: int
    name: str
    baseline: bool = False
    ns: Spread | None = None
    cycles: Spread | None = None
    wall: Spread | None = None
    floor: Floor | None = None
    wrong: bool = False
    note: str = ""

    @property
    def unit(self) -> str:
        """The unit of the times, "butterfly" or "element"."""
        return unit_of(self.kernel.partition(",")[0])

    @property
    def over_floor(self) -> float | None:
        """The measured cycles divided by the cycles of the port floor, or None."""
        return self.cycles.median / self.floor.cycles if self.cycles and self.floor and self.floor.cycles else None

    @property
    def shared(self) -> str:
        """A remark such as "wall 1.50 ×" if the wall time exceeds the CPU time by more than 5 %, otherwise ""."""
        times = self.wall.median / self.ns.median if self.wall and self.ns and self.ns.median > 0 else 1.0
        return f"wall {times:.2f} ×" if times > SHARED else ""

    def row(self) -> dict[str, object]:
        """Return the measurements as plain data, with the keys ``COLUMNS`` in order."""
        data: dict[str, object] = {**vars(self), "unit": self.unit, "over_floor": self.over_floor}
        data["modulus_bits"] = self.bits
        for key, sample in (("cycles", self.cycles), ("ns", self.ns)):
            low, high = (sample.low, sample.high) if sample else (None, None)
            data |= {key: sample and sample.median, f"{key}_p10": low, f"{key}_p90": high}
        data |= {"wall": self.wall and self.wall.median, "samples": self.ns.count if self.ns else 0, "floor_by": ""}
        data |= dict.fromkeys(("uops", "floor", "instructions", "spill_stores", "spill_loads"))
        if self.floor:
            done = self.floor.work
            data |= {"uops": self.floor.uops, "floor": self.floor.cycles, "floor_by": self.floor.by}
            data |= {"instructions": done.instructions, "spill_stores": done.stores, "spill_loads": done.loads}
        return {column: data[column] for column in COLUMNS}

    def cells(self) -> list[str]:
        """Return the texts of a table row, in the order of ``HEADERS``."""
        sample, floor = self.cycles or self.ns, self.floor
        figures = [number(s.median if s else None) for s in (self.cycles, self.ns)]
        span = f"{number(sample.low)} … {number(sample.high)}" if sample else ""
        bound = [""] * 5
        if floor:
            counts, bounds = (floor.uops, floor.work.spills), (floor.cycles, self.over_floor)
            bound = [*map(number, (*counts, *bounds)), floor.by]
        note = "; ".join(filter(None, ["FAIL: wrong output" * self.wrong, self.shared, self.note]))
        return [self.name, figures[0], span, figures[1], *bound, note]


def missing(points: Iterable[Point]) -> dict[str, str]:
    """Return the contestants that were neither timed nor analysed, with the reasons."""
    ran = {point.name for point in points if point.ns or point.floor}
    return {point.name: point.note for point in points if point.name not in ran}


def races(points: Iterable[Point]) -> Iterator[tuple[str, list[Point]]]:
    """Yield the title and the points of every race, without points that have no figures."""
    measured = (point for point in points if point.ns or point.floor)
    for (kernel, bits, n), found in groupby(measured, key=lambda point: (point.kernel, point.bits, point.n)):
        rows = list(found)
        what = f"{n} points" if rows[0].unit == "butterfly" or kernel.startswith("polymul") else f"{n} elements"
        yield f"{kernel}, {bits}-bit modulus, {what}: per {rows[0].unit}", rows


def table(title: str, points: Iterable[Point]) -> ReportTable:
    """Return the table of a race for the terminal."""
    result = ReportTable(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for header in HEADERS:
        text = header in ("", "set by", "note")
        result.add_column(header, justify="left" if text else "right", overflow="fold")
    for point in points:
        result.add_row(*point.cells(), style="dim" if point.baseline else "bold red" if point.wrong else "")
    return result


def markdown(title: str, points: Iterable[Point]) -> str:
    """Return the table of a race in Markdown."""
    return texts.markdown(title, HEADERS, (point.cells() for point in points))


def as_csv(points: Iterable[Point]) -> str:
    """Return the points as CSV with a header."""
    return texts.as_csv(COLUMNS, (point.row() for point in points))


def as_json(machine: Mapping[str, object], rates: Rates, points: Iterable[Point]) -> str:
    """Return the machine, its issue rates and the points as a JSON object.

    The issue rates are the rounded ones from which port floors are computed, and the measured ones of all
    streams.
    """
    issued = {"instructions_per_cycle": rates.alone(), "streams": rates.written()}
    data = {"machine": machine, **issued, "points": [point.row() for point in points]}
    return json.dumps(data, indent=2, ensure_ascii=False)
