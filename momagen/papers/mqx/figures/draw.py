"""Figures drawn as the paper has them: transforms as lines over sizes, vectors as bars, on logarithmic axes."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from momagen.bench.measure.machine import machine
from momagen.bench.report import plot
from momagen.bench.report.point import Point
from momagen.kernels.spec.kinds import BLAS

from .figures import PaperFigure
from .report import Quantity, nanoseconds
from .rows import FigureRow

WIDER = 1.4
"""A panel's width over that of a sweep's."""
GROUP = 0.8
"""Part of the axis between two groups of bars that a group takes."""
Styles = Mapping[str, Mapping[str, Any]]


def draw(figure: PaperFigure, folder: Path, kind: str) -> Path:
    """Write NAME.KIND: a panel of nanoseconds, where something was timed, and one of instructions, where they were
    counted.

    Raises:
        MomagenError: an unknown format, or matplotlib is missing.
    """
    plot.check(kind)
    panels, styles = panels_of(figure.rows), styles_of(figure.rows)
    size = (WIDER * plot.PANEL[0] * max(len(panels), 1), plot.PANEL[1])
    drawing = importlib.import_module("matplotlib.figure").Figure(figsize=size, layout="constrained")
    axes = drawing.subplots(1, max(len(panels), 1), squeeze=False)[0]
    for ax, (what, quantity) in zip(axes, panels.items(), strict=False):
        (_bars if figure.rows[0].kernel in BLAS else _lines)(ax, figure.rows, quantity, styles)
        _scale(ax, f"{what} per {figure.rows[0].unit}")
    found = {name: handle for ax in axes for handle, name in zip(*ax.get_legend_handles_labels(), strict=True)}
    drawing.legend(found.values(), found.keys(), loc="outside lower center", ncols=4, frameon=False)
    facts = machine()
    drawing.suptitle(f"{figure.title}\n{facts['cpu']}; momagen {facts['momagen']}, {facts['date']}", fontsize=10)
    path = folder / f"{figure.name}.{kind}"
    drawing.savefig(path, dpi=150, bbox_inches="tight")
    return path


def instructions(row: FigureRow) -> float | None:
    """Per unit."""
    return row.work.instructions if row.work else None


def panels_of(rows: Sequence[FigureRow]) -> dict[str, Quantity]:
    """What the panels show, of which there is something."""
    known: dict[str, Quantity] = {"ns": nanoseconds, "instructions": instructions}
    return {what: quantity for what, quantity in known.items() if any(quantity(row) for row in rows)}


def styles_of(rows: Sequence[FigureRow]) -> Styles:
    """The colours, markers and lines of `momagen bench`: tiers in colour, libraries in grey."""
    return plot.line_styles(Point(row.kernel, row.bits, row.n, row.name, row.baseline) for row in rows)


def shown(name: str, rows: Sequence[FigureRow]) -> str:
    """A name in the legend; a projection says so."""
    return f"{name}, projected" if any(row.projected for row in rows) else name


def _lines(ax: Any, rows: Sequence[FigureRow], quantity: Quantity, styles: Styles) -> None:
    for name, style in styles.items():
        own = [row for row in rows if row.name == name and quantity(row)]
        if own:
            ax.plot([row.n for row in own], [quantity(row) for row in own], label=shown(name, own), **style)
    sizes = sorted({row.n for row in rows})
    ax.set_xscale("log", base=2)
    ax.set_xticks(sizes, [plot.size_text(n, short=True) for n in sizes])
    ax.set_xlabel("points")


def _bars(ax: Any, rows: Sequence[FigureRow], quantity: Quantity, styles: Styles) -> None:
    labels = list(dict.fromkeys(row.label for row in rows))
    names = [name for name in styles if any(quantity(row) for row in rows if row.name == name)]
    width = GROUP / max(len(names), 1)
    for at, name in enumerate(names):
        own = [row for row in rows if row.name == name and quantity(row)]
        places = [labels.index(row.label) + (at + 0.5) * width - GROUP / 2 for row in own]
        ax.bar(places, [quantity(row) for row in own], width, label=shown(name, own), color=styles[name]["color"])
    ax.set_xticks(range(len(labels)), labels)


def _scale(ax: Any, title: str) -> None:
    plot.scale_up(ax)
    ax.set_ylabel(title)
    ax.set_axisbelow(True)
    ax.grid(True, axis="y", color="#dddddd", linewidth=0.5)
    ax.spines[["top", "right"]].set_visible(False)
