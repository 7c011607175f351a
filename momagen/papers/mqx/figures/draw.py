"""Figures as the paper draws them: transforms as lines over sizes, vectors as bars, both on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from momagen.bench.measure.machine import machine
from momagen.bench.report import plot
from momagen.bench.report.point import Point
from momagen.kinds.modular.names.directed import kernel_named
from momagen.plots import renderer
from momagen.plots.picture import Bars, Curve, Panel, Picture, size_text

from .figures import PaperFigure
from .report import Quantity, nanoseconds
from .rows import FigureRow

SIZE = (6.4, 4.3)
"""The width and height of a panel in inches."""


def draw(figure: PaperFigure, folder: Path, kind: str) -> Path:
    """Write NAME.KIND, with a panel of nanoseconds if rows were timed, and one of instructions if rows were counted.

    Args:
        figure: The figure.
        folder: The folder of the file.
        kind: The format, such as "svg".

    Returns:
        The path of the file.

    Raises:
        MomagenError: The format is unknown, or matplotlib is missing.
    """
    renderer.check(kind)
    panels, looks = panels_of(figure.rows), looks_of(figure.rows)
    drawn = [_panel(figure.rows, what, quantity, looks) for what, quantity in panels.items()]
    facts = machine()
    title = f"{figure.title}\n{facts['cpu']}; momagen {facts['momagen']}, {facts['date']}"
    return renderer.write(Picture(title, drawn or [Panel("", "")], SIZE), folder / f"{figure.name}.{kind}")


def instructions(row: FigureRow) -> float | None:
    """Return the number of instructions per unit, or None if they were not counted."""
    return row.work.instructions if row.work else None


def panels_of(rows: Sequence[FigureRow]) -> dict[str, Quantity]:
    """Return the quantities of the panels by name, without those that no row has."""
    known: dict[str, Quantity] = {"ns": nanoseconds, "instructions": instructions}
    return {what: quantity for what, quantity in known.items() if any(quantity(row) for row in rows)}


def looks_of(rows: Sequence[FigureRow]) -> plot.Looks:
    """Return the looks of `momagen bench`: tiers in colour, libraries in grey."""
    return plot.line_looks(Point(row.kernel, row.bits, row.n, row.name, row.baseline) for row in rows)


def shown(name: str, rows: Sequence[FigureRow]) -> str:
    """Return the name of a contestant in the legend, which says whether it is projected."""
    return f"{name}, projected" if any(row.projected for row in rows) else name


def _panel(rows: Sequence[FigureRow], what: str, quantity: Quantity, looks: plot.Looks) -> Panel:
    up = f"{what} per {rows[0].unit}"
    own = {name: [row for row in rows if row.name == name and quantity(row)] for name in looks}
    found = {name: [(row, quantity(row) or 0.0) for row in chosen] for name, chosen in own.items() if chosen}
    if not kernel_named(rows[0].kernel).kind.has_points:
        bars = [Bars(shown(name, own[name]), {row.label: value for row, value in pairs}, looks[name])
                for name, pairs in found.items()]  # fmt: skip
        groups = list(dict.fromkeys(row.label for row in rows))
        return Panel("", up, bars=bars, groups=groups, logarithmic=True)
    curves = [Curve(shown(name, own[name]), [row.n for row, _ in pairs], [value for _, value in pairs], looks[name])
              for name, pairs in found.items()]  # fmt: skip
    ticks = {float(n): size_text(n, short=True) for n in sorted({row.n for row in rows})}
    return Panel("points", up, curves=curves, ticks=ticks, base=2, logarithmic=True)
