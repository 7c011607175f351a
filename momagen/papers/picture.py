"""The figures of papers as pictures: stated numbers beside measured ones."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from momagen.bench.report import plot

from .exhibit import Exhibit
from .series import Series, StatedSeries, middle

PANEL = (8.0, 5.0)
"""The width and height of a picture, in inches."""
GROUP = 0.8
"""The part of the distance between two groups of bars that a group takes."""


def draw(exhibit: Exhibit, folder: Path, kind: str) -> Path | None:
    """Write a picture of the exhibit to ``folder`` and return its path; return None if it is a table.

    Args:
        exhibit: The exhibit.
        folder: The folder, which exists.
        kind: The format, "svg" or "png".

    Raises:
        MomagenError: The format is unknown, or matplotlib is missing.
    """
    plot.check(kind)
    if exhibit.form == "table":
        return None
    path = folder / f"{exhibit.name}.{kind}"
    figure_of(exhibit).savefig(path, dpi=150, bbox_inches="tight", metadata={"Date": None} if kind == "svg" else None)
    return path


def figure_of(exhibit: Exhibit) -> Any:
    """Return the picture as a matplotlib figure: momagen's series solid and in colour, stated ones dashed and grey."""
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=PANEL, layout="constrained")
    ax = figure.add_subplot()
    series = [each for each in (*exhibit.measured, *exhibit.stated) if each.unit == exhibit.unit]
    (_lines if exhibit.form == "lines" else _bars)(ax, series)
    ax.set_xlabel(exhibit.across)
    ax.set_ylabel(exhibit.unit)
    ax.grid(True, axis="y", color="#dddddd", linewidth=0.5)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    figure.suptitle(f"{exhibit.where}: {exhibit.title}", fontsize=10)
    return figure


def _style(at: int, series: Series) -> dict[str, Any]:
    colours = plot.GREYS if isinstance(series, StatedSeries) else plot.COLOURS
    return {"color": colours[at % len(colours)], "label": _label(series)}


def _label(series: Series) -> str:
    return f"{series.what} (stated)" if isinstance(series, StatedSeries) else series.what


def _lines(ax: Any, series: list[Series]) -> None:
    for at, each in enumerate(series):
        dash = {"linestyle": "--", "fillstyle": "none"} if isinstance(each, StatedSeries) else {"linestyle": "-"}
        values = [middle(value) for value in each.points.values()]
        ax.plot([*each.points], values, marker=plot.MARKERS[at % len(plot.MARKERS)], **dash, **_style(at, each))
    plot.scale_up(ax)


def _bars(ax: Any, series: list[Series]) -> None:
    places = list(dict.fromkeys(at for each in series for at in each.points))
    width = GROUP / max(len(series), 1)
    for at, each in enumerate(series):
        left = [places.index(place) + (at + 0.5) * width - GROUP / 2 for place in each.points]
        hatch = {"hatch": "//"} if isinstance(each, StatedSeries) else {}
        ax.bar(left, [middle(value) for value in each.points.values()], width, **hatch, **_style(at, each))
    ax.set_xticks(range(len(places)), [str(place) for place in places])
    plot.scale_up(ax)
