"""Pictures through matplotlib, which the extra "bench" brings."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from momagen.bench.report.plot import COLOURS, check, scale_up

KIND = "svg"
PANEL = (4.8, 3.8)
"""Inches."""
STATED = "#777777"
"""The colour of what the paper states."""


def must_draw() -> None:
    """Raises:
    MomagenError: matplotlib is missing.
    """
    check(KIND)


def canvas(title: str, panels: int = 1) -> tuple[Any, Sequence[Any]]:
    """A figure with panels side by side, and its axes."""
    module = importlib.import_module("matplotlib.figure")
    figure = module.Figure(figsize=(PANEL[0] * panels, PANEL[1]), layout="constrained")
    axes = figure.subplots(1, panels, squeeze=False)[0]
    figure.suptitle(title, fontsize=10)
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
    return figure, axes


def keep(figure: Any, folder: Path, name: str) -> Path:
    """Write it."""
    path = folder / f"{name}.{KIND}"
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    return path


def lines(ax: Any, x: Sequence[float], rows: Mapping[str, Sequence[float]], across: str, up: str) -> None:
    """A line for each row over powers of two, both axes logarithmic."""
    for at, (name, values) in enumerate(rows.items()):
        ax.plot(x, values, marker="os^Dv"[at % 5], markersize=4, color=COLOURS[at % len(COLOURS)], label=name)
    ax.set_xscale("log", base=2)
    ax.set_xticks(x, [f"{each:g}" for each in x])
    scale_up(ax)
    _named(ax, across, up)


def stacks(ax: Any, names: Sequence[str], rows: Mapping[str, Sequence[float]], across: str, up: str) -> None:
    """Bars side by side, each of parts one on the other."""
    bottom = [0.0] * len(names)
    for at, (part, values) in enumerate(rows.items()):
        ax.bar(names, values, bottom=bottom, label=part, color=COLOURS[at % len(COLOURS)], width=0.7)
        bottom = [below + value for below, value in zip(bottom, values, strict=True)]
    _named(ax, across, up)


def bars(ax: Any, names: Sequence[str], rows: Mapping[str, Sequence[float]], across: str, up: str) -> None:
    """Groups of bars."""
    width = 0.8 / len(rows)
    for at, (name, values) in enumerate(rows.items()):
        places = [i + width * (at - (len(rows) - 1) / 2) for i in range(len(names))]
        ax.bar(places, values, width=width, label=name, color=COLOURS[at % len(COLOURS)])
    ax.set_xticks(range(len(names)), names)
    _named(ax, across, up)


def heat(ax: Any, columns: Sequence[int], rows: Sequence[int], values: Sequence[Sequence[float]], text: str,
         across: str, up: str, what: str) -> None:  # fmt: skip
    """Draw a map, each cell with its value as ``text`` formats it, and beside it a colour bar of ``what`` it shows."""
    image = ax.imshow(values, cmap="YlGnBu_r", aspect="auto", origin="lower")
    bar = ax.figure.colorbar(image, ax=ax, label=what)
    bar.ax.yaxis.set_major_formatter("{x:,g}")
    bar.outline.set_visible(False)
    middle = sum(map(sum, values)) / sum(map(len, values))
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            ax.text(x, y, text.format(value), ha="center", va="center", fontsize=7,
                    color="white" if value < middle else "black")  # fmt: skip
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_xlabel(across)
    ax.set_ylabel(up)


def _named(ax: Any, across: str, up: str) -> None:
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    ax.legend(frameon=False, fontsize=7)
