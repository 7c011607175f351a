"""The performance thresholds of kernels on x86, from ``bars.toml``.

Each race runs once, and its figures are compared with all thresholds for it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from momagen.bench.measure.kernel import unit_of
from momagen.bench.measure.sample import Spread
from momagen.bench.report.figure import Figure, number
from momagen.bench.report.point import Point
from momagen.runtime import missing_features
from momagen.targets import names, shipped

from .grid import Grid, grid_races
from .sweep import sweep_race

SECTION = "x86"
ROUNDS, SECONDS = 101, 5.0
"""The largest number of rounds of one race, and the time in seconds after which no round begins. There are
dozens of races."""
Key = tuple[str, int, int]
"""The key of a race: the kernel, the bits of the modulus, and the number of points or elements."""
Racer = Callable[[Key, Sequence[str]], list[Point]]


@dataclass(frozen=True)
class Bar:
    """A row of the table; ``bars.toml`` explains the fields."""

    kernel: str
    bits: int
    sizes: tuple[int, ...]
    target: tuple[str, ...]
    most: float | None = None
    over: tuple[str, ...] = ()
    least: float | None = None
    reach: float | None = None
    rival: str = ""
    why: str = ""

    @property
    def limit(self) -> float | None:
        """The threshold: the largest number of cycles, or the least ratio to the fastest kernel of ``over``."""
        return self.least if self.over else self.most

    @property
    def races(self) -> list[Key]:
        """The races that the row needs."""
        return [(self.kernel, self.bits, n) for n in self.sizes]

    def title(self, n: int) -> str:
        """Return the name of the figure in tables."""
        against = f" against {' or '.join(self.over)}" if self.over else ""
        return f"{self.kernel}, {self.bits} bits, {n}: {' or '.join(self.target)}{against}"


def load_bars(path: Path | None = None) -> list[Bar]:
    """Return the rows of a table like ``bars.toml``, which is the default."""
    text = (path or Path(__file__).with_name("bars.toml")).read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = tomllib.loads(text)["bar"]
    tuples = [{key: tuple(value) for key, value in row.items() if isinstance(value, list)} for row in rows]
    return [Bar(**{**row, **lists}) for row, lists in zip(rows, tuples, strict=True)]


def count_figures() -> int:
    """Return the number of figures of the section."""
    return sum(len(bar.sizes) for bar in load_bars())


def x86(
    repetitions: int, seconds: float, bars: Sequence[Bar] | None = None, racer: Racer | None = None
) -> Iterator[Figure]:
    """Yield the figures of the section, one for every row and size.

    A figure has no value if this CPU has no target that could meet its threshold.

    Args:
        repetitions: The largest number of rounds of a race.
        seconds: The time in seconds after which no round of a race begins.
        bars: The rows; by default the rows of ``bars.toml``.
        racer: A function that measures the targets of a race; by default an interleaved run with the
            baselines.
    """
    bars = load_bars() if bars is None else bars
    run = racer or partial(_race, min(repetitions, ROUNDS), min(seconds, SECONDS))
    keys = dict.fromkeys(key for bar in bars for key in bar.races)
    for key in keys:
        held = [bar for bar in bars if key in bar.races]
        asked = dict.fromkeys(name for bar in held for name in (*bar.target, *bar.over) if name in names())
        able = any(not lacking(name) for bar in held for name in bar.target)
        found = {point.name: point for point in run(key, list(asked))} if able else {}
        yield from (figure(bar, key, found) for bar in held)


def _race(repetitions: int, seconds: float, key: Key, targets: Sequence[str]) -> list[Point]:
    kernel, bits, n = key
    grid = Grid((kernel,), (bits,), (n,), tuple(targets), rounds=repetitions, seconds=seconds)
    return [point for race in grid_races(grid) for point in sweep_race(race, grid)]


def figure(bar: Bar, key: Key, points: Mapping[str, Point]) -> Figure:
    """Return the figure of one row in one race: the result of the fastest of its targets."""
    given, bar = bar, raced(bar, points)
    ours, theirs = fastest(bar.target, points), fastest(bar.over, points)
    limit = None if lacking(bar.target[0]) and bar is given else bar.limit
    made = partial(Figure, SECTION, bar.title(key[2]), limit=limit, at_least=bool(bar.over))
    if any(points[name].wrong for name in bar.target if name in points):
        return made(None, note="FAIL: wrong output", error=True)
    if ours is None or (bar.over and theirs is None):
        absent = bar.target if ours is None else bar.over
        return made(None, note="; ".join(filter(None, dict.fromkeys(reason(name, points) for name in absent))))
    mine = cycles(ours)
    if theirs is not None:
        value = cycles(theirs).median / mine.median
        return made(value, samples=mine.count, note=note(bar, value, ours, theirs))
    unit = f"cycles/{unit_of(bar.kernel)}"
    found = note(bar, mine.median, ours, None)
    return made(mine.median, unit, low=mine.low, high=mine.high, samples=mine.count, note=found)


def raced(bar: Bar, points: Mapping[str, Point]) -> Bar:
    """Return the row with the cycles of its rival in this race as the threshold.

    The row is returned unchanged if the rival did not run or its output was incorrect.
    """
    found = fastest([bar.rival], points)
    if found is None or found.wrong:
        return bar
    own = cycles(found).median
    return replace(bar, most=own, why=f"{bar.rival} takes {number(own)} here")


def lacking(target: str) -> list[str]:
    """Return the features that the target needs and this CPU lacks; none for a baseline."""
    return next((missing_features(each.features) for each in shipped() if each.name == target), [])


def reason(name: str, points: Mapping[str, Point]) -> str:
    """Return the reason why a target or baseline has no figures."""
    features = ", ".join(lacking(name))
    return f"no {features}" if features else points[name].note if name in points else f"no {name}"


def cycles(point: Point) -> Spread:
    """Return the cycles of a point that has been measured."""
    assert point.cycles is not None
    return point.cycles


def fastest(wanted: Sequence[str], points: Mapping[str, Point]) -> Point | None:
    """Return the point with the fewest cycles among the names ``wanted``, or None if none of them ran."""
    ran = [points[name] for name in wanted if name in points and points[name].cycles]
    return min(ran, key=lambda point: cycles(point).median, default=None)


def note(bar: Bar, value: float, ours: Point, theirs: Point | None) -> str:
    """Return the remark on a figure.

    It names the fastest target or baseline if there is a choice, and states the ratio to the port floor,
    whether the goal ``reach`` is met, and the source of the threshold.
    """
    parts = [ours.name] if len(bar.target) > 1 else []
    parts += [f"against {theirs.name}"] if theirs is not None and len(bar.over) > 1 else []
    parts += [f"{number(ours.over_floor)} × the floor"] if ours.over_floor else []
    if bar.reach is not None:
        reached = value >= bar.reach if bar.over else value <= bar.reach
        parts.append(f"goal {bar.reach:g}{'' if reached else ' not'} met")
    return ", ".join(parts) + f" ({bar.why})" * bool(bar.why)
