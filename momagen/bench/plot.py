"""Plots of a sweep: cycles and nanoseconds over size, a panel for each width, and over width, a panel for each size."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from momagen.bench.point import Point
from momagen.errors import MomagenError

FORMATS = ("png", "svg")
UNITS = ("cycles", "ns")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
"""Of targets: Okabe and Ito's, told apart with any colour vision. A name keeps its own in all panels."""
GREYS = ("#333333", "#777777", "#aaaaaa")
"""Of baselines, which markers tell apart."""
MARKERS = "osD^vP*X"
FLOOR = "port floor, in the target's colour"
PANEL = (4.6, 4.0)
"""Inches."""


def check(kind: str | None) -> None:
    """Whether plots can be drawn.

    Raises:
        MomagenError: an unknown format, or matplotlib is missing.
    """
    if kind is None:
        return
    if kind not in FORMATS:
        raise MomagenError(f"one of {', '.join(FORMATS)}", kind, "plot")
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        raise MomagenError("matplotlib", "none", "plot", "python3 -m pip install 'momagen[bench]'") from None


def draw(points: Sequence[Point], folder: Path, kind: str) -> list[Path]:
    """Write KERNEL_UNIT_by_n.KIND and KERNEL_UNIT_by_bits.KIND for every kernel with more than one size or width.

    The units are cycles, where they are known, and ns.

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
                _figure(rows, kernel, unit, axis, panels).savefig(path, dpi=150, bbox_inches="tight")
                files.append(path)
    return files


def _figure(points: list[Point], kernel: str, unit: str, axis: str, panels: str) -> Any:
    """One figure: the legend names every line once, below all panels."""
    figure_module = importlib.import_module("matplotlib.figure")
    values = sorted({getattr(point, panels) for point in points})
    figure = figure_module.Figure(figsize=(PANEL[0] * len(values), PANEL[1]), layout="constrained")
    axes = figure.subplots(1, len(values), sharey=True, squeeze=False)[0]
    styles = line_styles(points)
    for at, (panel, ax) in enumerate(zip(values, axes, strict=True)):
        here = [point for point in points if getattr(point, panels) == panel]
        _panel(ax, here, unit, axis, styles)
        ax.set_title(f"{panel} bits" if panels == "bits" else size_text(panel))
        if at == 0:
            ax.set_ylabel(f"{unit} per {points[0].unit}")
    if unit == "cycles" and any(point.floor for point in points):
        axes[0].plot([], [], color="black", alpha=0.5, linewidth=1, linestyle=":", label=FLOOR)
    handles = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    order = [name for name in (*styles, FLOOR) if name in handles]
    figure.legend([handles[name] for name in order], order, loc="outside lower center", ncols=5, frameon=False)
    figure.suptitle(f"{kernel}: medians, p10 … p90 shaded")
    return figure


def _panel(ax: Any, points: list[Point], unit: str, axis: str, styles: dict[str, dict[str, object]]) -> None:
    for name, style in styles.items():
        rows = sorted((p for p in points if p.name == name), key=lambda point: int(getattr(point, axis)))
        found = [(getattr(point, axis), sample) for point in rows if (sample := getattr(point, unit))]
        if not found:
            continue
        places = [place for place, _ in found]
        ax.plot(places, [sample.median for _, sample in found], label=name, markersize=5, **style)
        ax.fill_between(
            places, [s.low for _, s in found], [s.high for _, s in found], color=style["color"], alpha=0.15, linewidth=0
        )
        floors = [(getattr(point, axis), point.floor.cycles) for point in rows if point.floor and point.cycles]
        if floors and unit == "cycles":
            ax.plot(*zip(*floors, strict=True), color=style["color"], alpha=0.5, linewidth=1, linestyle=":", marker="_")
    _scales(ax, sorted({int(getattr(point, axis)) for point in points}), axis)


def _scales(ax: Any, ticks: list[int], axis: str) -> None:
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(importlib.import_module("matplotlib.ticker").LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter("{x:g}")
    if axis == "n":
        ax.set_xscale("log", base=2)
    ax.set_xticks(ticks, [str(tick) if axis == "bits" else size_text(tick, short=True) for tick in ticks])
    ax.minorticks_off()
    ax.set_xlabel("bits of the modulus" if axis == "bits" else "n")
    ax.grid(True, color="#dddddd", linewidth=0.5)
    ax.spines[["top", "right"]].set_visible(False)


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
