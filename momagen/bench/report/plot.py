"""Plots of a sweep, in cycles and nanoseconds.

One plot shows the times by size, with a panel for each width; the other shows them by width, with a panel for
each size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

from momagen.plots import renderer
from momagen.plots.looks import Look, level, look
from momagen.plots.picture import Curve, Panel, Picture, size_text

from .point import Point

UNITS = ("cycles", "ns")
FLOOR = "port floor, in the target's colour"
PANEL = (4.6, 4.3)
"""The width and height of a panel in inches."""
SPREAD = 0.5
"""The part of the distance between neighbouring positions over which marks are spread that would hide each
other."""
Looks = Mapping[str, Look]


def draw(points: Sequence[Point], folder: Path, kind: str, caption: str = "") -> list[Path]:
    """Write KERNEL_UNIT_by_n.KIND and KERNEL_UNIT_by_bits.KIND for every kernel with more than one size or width.

    The units are cycles, if they are known, and ns. Lines connect points of several sizes, but not of several
    widths, because there is no kernel between two widths.

    Args:
        points: The measured points.
        folder: The folder, which exists.
        kind: The format, "svg" or "png".
        caption: The machine, below the title.

    Raises:
        MomagenError: The format is unknown, or matplotlib is not installed.
    """
    renderer.check(kind)
    files = []
    for kernel in dict.fromkeys(point.kernel for point in points):
        rows = [point for point in points if point.kernel == kernel and point.ns]
        for unit, (axis, panels) in product(UNITS, (("n", "bits"), ("bits", "n"))):
            if len({getattr(point, axis) for point in rows if getattr(point, unit)}) > 1:
                path = folder / f"{kernel.replace(', ', '_')}_{unit}_by_{axis}.{kind}"
                title = f"{kernel}: medians, p10 … p90\n{caption}".strip()
                files.append(renderer.write(picture_of(rows, unit, axis, panels, title), path))
    return files


def picture_of(points: list[Point], unit: str, axis: str, panels: str, title: str) -> Picture:
    """Return the picture of the points of one kernel.

    Args:
        points: The points.
        unit: The quantity, "cycles" or "ns".
        axis: The horizontal axis, "n" or "bits".
        panels: The quantity that is constant in each panel, "bits" or "n".
        title: The title.
    """
    looks, drawn = line_looks(points), []
    for value in sorted({getattr(point, panels) for point in points}):
        here = [point for point in points if getattr(point, panels) == value]
        name = f"{value}-bit modulus" if panels == "bits" else size_text(value)
        drawn.append(_panel(here, unit, axis, looks, name))
    first = replace(drawn[0], up=f"{unit} per {points[0].unit}")
    if unit == "cycles" and any(point.floor for point in points):
        first = replace(first, curves=[*first.curves, Curve(FLOOR, [], [], level(Look("#000000")), joined=False)])
    return Picture(title, [first, *drawn[1:]], PANEL, least=2, shared=True, columns=5)


def _panel(points: list[Point], unit: str, axis: str, looks: Looks, title: str) -> Panel:
    ticks = sorted({int(getattr(point, axis)) for point in points})
    texts = {place(tick, ticks, axis): str(tick) if axis == "bits" else size_text(tick, short=True) for tick in ticks}
    across = "bits of the modulus" if axis == "bits" else "n"
    ends = (-0.5, len(ticks) - 0.5) if axis == "bits" else None
    curves = [*_curves(points, unit, axis, looks, ticks)]
    base = 2 * (axis == "n")
    return Panel(across, "", title, curves, ticks=texts, base=base, logarithmic=True, ends=ends)


def _curves(points: list[Point], unit: str, axis: str, looks: Looks, ticks: list[int]) -> Iterator[Curve]:
    """Yield a curve of medians with percentiles for every name, and the port floors.

    Points of several sizes are connected; over widths, the marks of all names are side by side.
    """
    for at, (name, style) in enumerate(looks.items()):
        rows = sorted((p for p in points if p.name == name and getattr(p, unit)), key=lambda p: int(getattr(p, axis)))
        if not rows:
            continue
        aside = SPREAD * ((at + 0.5) / len(looks) - 0.5)
        beside = [place(getattr(row, axis), ticks, axis, aside) for row in rows]
        own = beside if axis == "bits" else [place(row.n, ticks, axis) for row in rows]
        medians, low, high = ([getattr(getattr(p, unit), part) for p in rows] for part in ("median", "low", "high"))
        yield Curve(name, own, medians, style, axis == "n", low, high)
        floors = [(x, row.floor.cycles) for x, row in zip(beside, rows, strict=True) if row.floor and row.floor.cycles]
        if floors and unit == "cycles":
            x, y = zip(*floors, strict=True)
            yield Curve("", x, y, level(style), joined=False)


def place(value: int, ticks: list[int], axis: str, aside: float = 0.0) -> float:
    """Return the horizontal position of a value, shifted by the part ``aside`` of the distance between neighbours.

    Widths are at equal distances, and sizes are on a logarithmic scale.
    """
    if axis == "bits":
        return ticks.index(value) + aside
    nearest: float = min((b / a for a, b in pairwise(ticks)), default=1.0)
    return float(value * nearest**aside)


def line_looks(points: Iterable[Point]) -> dict[str, Look]:
    """Return the look of every name: targets solid and in colour, baselines dashed, grey and hollow."""
    names = dict.fromkeys((point.name, point.baseline) for point in points)
    ours = [name for name, baseline in names if not baseline]
    others = [name for name, baseline in names if baseline]
    dashed = {name: look(at, other=True) for at, name in enumerate(others)}
    return {name: look(at) for at, name in enumerate(ours)} | dashed
