"""Plots of a sweep: cycles and nanoseconds over size, a panel for each width, and by width, a panel for each size."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from momagen.bench.measure.sample import Spread
from momagen.errors import among, build_error

from .point import Point

FORMATS = ("png", "svg")
UNITS = ("cycles", "ns")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
"""Of targets: Okabe and Ito's, told apart with any colour vision. A name keeps its own in all panels."""
GREYS = ("#333333", "#777777", "#aaaaaa")
"""Of baselines, which markers tell apart."""
MARKERS = "osD^vP*X"
FLOOR = "port floor, in the target's colour"
PANEL = (4.6, 4.3)
"""Inches."""
SPREAD = 0.5
"""Part of the distance between neighbouring places over which marks that would hide each other lie side by side."""


def check(kind: str | None) -> None:
    """Check that plots of the format ``kind`` can be drawn; None asks for none.

    Raises:
        MomagenError: the format is unknown, or matplotlib is not installed.
    """
    if kind is None:
        return
    if kind not in FORMATS:
        raise among("one of the formats", FORMATS, kind, "plot")
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        remedy = "install it (python3 -m pip install 'momagen[bench]')"
        raise build_error("`plot` needs matplotlib, which is not installed", "plot", remedy) from None


def draw(points: Sequence[Point], folder: Path, kind: str, caption: str = "") -> list[Path]:
    """Write KERNEL_UNIT_by_n.KIND and KERNEL_UNIT_by_bits.KIND for every kernel with more than one size or width.

    The units are cycles, where they are known, and ns. Lines join sizes only: between two widths there is no kernel
    whose time they could show.

    Args:
        caption: on what was measured, below the title.

    Raises:
        MomagenError: as :func:`check`.
    """
    check(kind)
    files = []
    for kernel in dict.fromkeys(point.kernel for point in points):
        rows = [point for point in points if point.kernel == kernel and point.ns]
        for unit, (axis, panels) in product(UNITS, (("n", "bits"), ("bits", "n"))):
            if len({getattr(point, axis) for point in rows if getattr(point, unit)}) > 1:
                path = folder / f"{kernel.replace(', ', '_')}_{unit}_by_{axis}.{kind}"
                figure = figure_of(rows, unit, axis, panels, f"{kernel}: medians, p10 … p90\n{caption}".strip())
                figure.savefig(path, dpi=150, bbox_inches="tight")
                files.append(path)
    return files


def figure_of(points: list[Point], unit: str, axis: str, panels: str, title: str) -> Any:
    """One figure: the legend names every mark once, below all panels."""
    figure_module = importlib.import_module("matplotlib.figure")
    values = sorted({getattr(point, panels) for point in points})
    figure = figure_module.Figure(figsize=(PANEL[0] * max(len(values), 2), PANEL[1]), layout="constrained")
    axes = figure.subplots(1, len(values), sharey=True, squeeze=False)[0]
    styles = line_styles(points)
    for at, (panel, ax) in enumerate(zip(values, axes, strict=True)):
        here = [point for point in points if getattr(point, panels) == panel]
        _panel(ax, here, unit, axis, styles)
        ax.set_title(f"{panel}-bit modulus" if panels == "bits" else size_text(panel))
        if at == 0:
            ax.set_ylabel(f"{unit} per {points[0].unit}")
    if unit == "cycles" and any(point.floor for point in points):
        axes[0].plot([], [], color="black", linestyle="none", marker="_", markersize=7, label=FLOOR)
    handles = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    order = [name for name in (*styles, FLOOR) if name in handles]
    figure.legend([handles[name] for name in order], order, loc="outside lower center", ncols=5, frameon=False)
    figure.suptitle(title, fontsize=10)
    return figure


def _panel(ax: Any, points: list[Point], unit: str, axis: str, styles: dict[str, dict[str, object]]) -> None:
    ticks = sorted({int(getattr(point, axis)) for point in points})
    for at, (name, style) in enumerate(styles.items()):
        rows = sorted((p for p in points if p.name == name and getattr(p, unit)), key=lambda p: int(getattr(p, axis)))
        if not rows:
            continue
        aside = SPREAD * ((at + 0.5) / len(styles) - 0.5)
        beside = [place(getattr(row, axis), ticks, axis, aside) for row in rows]
        own = beside if axis == "bits" else [place(row.n, ticks, axis) for row in rows]
        _marks(ax, own, [getattr(row, unit) for row in rows], name, style, joined=axis == "n")
        floors = [(x, row.floor.cycles) for x, row in zip(beside, rows, strict=True) if row.floor and row.floor.cycles]
        if floors and unit == "cycles":
            flat = {"linestyle": "none", "marker": "_", "markersize": 7, "markeredgewidth": 2}
            ax.plot(*zip(*floors, strict=True), color=style["color"], **flat)
    _scales(ax, ticks, axis)


def place(value: int, ticks: list[int], axis: str, aside: float = 0.0) -> float:
    """Where on the axis: widths side by side, sizes on a logarithmic scale, ``aside`` by a part of the distance."""
    if axis == "bits":
        return ticks.index(value) + aside
    nearest: float = min((b / a for a, b in pairwise(ticks)), default=1.0)
    return float(value * nearest**aside)


def _marks(ax: Any, x: list[float], samples: list[Spread], name: str, style: dict[str, object], joined: bool) -> None:
    """Medians between their percentiles: joined by a line in a band, or alone with a bar each."""
    medians, low, high = ([getattr(s, part) for s in samples] for part in ("median", "low", "high"))
    ax.plot(x, medians, label=name, markersize=5, **(style if joined else {**style, "linestyle": "none"}))
    if joined:
        ax.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)
    else:
        ax.vlines(x, low, high, color=style["color"], alpha=0.5)


def _scales(ax: Any, ticks: list[int], axis: str) -> None:
    scale_up(ax)
    if axis == "n":
        ax.set_xscale("log", base=2)
    texts = [str(tick) if axis == "bits" else size_text(tick, short=True) for tick in ticks]
    ax.set_xticks([place(tick, ticks, axis) for tick in ticks], texts)
    if axis == "bits":
        ax.set_xlim(-0.5, len(ticks) - 0.5)
    ax.minorticks_off()
    ax.set_xlabel("bits of the modulus" if axis == "bits" else "n")
    ax.grid(True, color="#dddddd", linewidth=0.5)
    ax.spines[["top", "right"]].set_visible(False)


def scale_up(ax: Any) -> None:
    """Make the vertical axis of a finished plot logarithmic, with enough labels to read values off: at 1, 2 and 5 times
    powers of ten, and at 3 and 7 times too where the axis has less than a power of ten."""
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    subs = (1, 2, 5) if high > 10 * low else (1, 2, 3, 5, 7)
    ax.yaxis.set_major_locator(importlib.import_module("matplotlib.ticker").LogLocator(subs=subs))
    ax.yaxis.set_major_formatter("{x:,g}")
    ax.minorticks_off()


def size_text(n: int, short: bool = False) -> str:
    """ "n = 2^12", with a raised exponent."""
    text = f"$2^{{{n.bit_length() - 1}}}$" if n & (n - 1) == 0 else str(n)
    return text if short else f"n = {text}"


def line_styles(points: Iterable[Point]) -> dict[str, dict[str, object]]:
    """A style for every name: targets solid and in colour, baselines dashed, grey and hollow."""
    names = dict.fromkeys((point.name, point.baseline) for point in points)
    ours = [name for name, baseline in names if not baseline]
    others = [name for name, baseline in names if baseline]
    solid = {name: _style(at, COLOURS, linestyle="-", linewidth=2.0) for at, name in enumerate(ours)}
    dash = {"linestyle": "--", "linewidth": 1.2, "fillstyle": "none"}
    dashed = {name: _style(at, GREYS, **dash) for at, name in enumerate(others)}
    return solid | dashed


def _style(at: int, colours: Sequence[str], **more: object) -> dict[str, object]:
    return {"color": colours[at % len(colours)], "marker": MARKERS[at % len(MARKERS)], **more}
