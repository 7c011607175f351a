"""The renderer of pictures. No other module imports matplotlib."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from momagen.errors import among, build_error

from .looks import FLAT, Look
from .picture import ACROSS, STACKED, Bars, Curve, Heat, Panel, Picture

FORMATS = ("png", "svg")
GROUP = 0.8
"""The part of the distance between two groups of bars that a group takes."""
GRID = {"color": "#dddddd", "linewidth": 0.5}
RANGE = "#777777"
"""The colour of ranges across a panel."""


def check(kind: str | None) -> None:
    """Check that plots of the format ``kind`` can be drawn; None requests none.

    Raises:
        MomagenError: The format is unknown, or matplotlib is not installed.
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


def write(picture: Picture, path: Path) -> Path:
    """Write the picture to ``path``, whose suffix is the format, and return the path.

    Raises:
        MomagenError: The format is unknown, or matplotlib is not installed.
    """
    kind = path.suffix.removeprefix(".")
    check(kind)
    more = {"metadata": {"Date": None}} if kind == "svg" else {}
    figure_of(picture).savefig(path, dpi=150, bbox_inches="tight", **more)
    return path


def figure_of(picture: Picture) -> Any:
    """Return the picture as a matplotlib figure."""
    width, height = picture.size
    size = (width * max(len(picture.panels), picture.least), height)
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=size, layout="constrained")
    axes = figure.subplots(1, len(picture.panels), sharey=picture.shared, squeeze=False)[0]
    for ax, panel in zip(axes, picture.panels, strict=True):
        _draw(ax, panel)
    handles = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    if handles:
        legend = {"loc": "outside lower center", "ncols": picture.columns, "frameon": False, "fontsize": 8}
        legend |= {"title": picture.caption, "title_fontsize": 7} if picture.caption else {}
        figure.legend(handles.values(), handles.keys(), **legend)
    figure.suptitle(picture.title, fontsize=10)
    return figure


def _draw(ax: Any, panel: Panel) -> None:
    if panel.heat:
        _heat(ax, panel.heat)
    for curve in panel.curves:
        _curve(ax, curve)
    if panel.bars:
        _bars(ax, panel)
    for note in panel.notes:
        ax.annotate(note.text, (note.x, note.y), fontsize=7, xytext=(2, 2), textcoords="offset points")
    for band in panel.bands:
        ax.axhspan(band.low, band.high, color=RANGE, alpha=0.2)
        ax.annotate(band.label, (ax.get_xlim()[0], band.low), fontsize=7, va="bottom")
    if not panel.heat:
        _axes(ax, panel)
    ax.set_xlabel(panel.across)
    ax.set_ylabel(panel.up)
    ax.set_title(panel.title, fontsize=10)


def _curve(ax: Any, curve: Curve) -> None:
    look, line = curve.look, "-" if curve.joined else "none"
    style: dict[str, Any] = {"color": look.colour, "marker": look.marker or None, "linewidth": look.width}
    style |= {"linestyle": "--" if curve.joined and look.dashed else line, "markersize": 5}
    style |= {"fillstyle": "none"} if look.dashed else {}
    style |= {"markersize": 7, "markeredgewidth": 2} if look.marker == FLAT else {}
    ax.plot(curve.x, curve.y, label=curve.label or "_", **style)
    if curve.low and curve.joined:
        ax.fill_between(curve.x, curve.low, curve.high, color=look.colour, alpha=0.15, linewidth=0)
    elif curve.low:
        ax.vlines(curve.x, curve.low, curve.high, color=look.colour, alpha=0.5)


def _bars(ax: Any, panel: Panel) -> None:
    groups = panel.all_groups()
    draw = {STACKED: _stacked, ACROSS: _across}.get(panel.arrangement, _beside)
    draw(ax, groups, panel)
    if panel.arrangement == ACROSS:
        ax.set_yticks(range(len(groups)), groups)
        ax.invert_yaxis()
    else:
        ax.set_xticks(range(len(groups)), groups, rotation=30 if panel.slanted else 0)


def _filled(look: Look) -> dict[str, Any]:
    return {"facecolor": look.colour, **({"edgecolor": "white", "hatch": "//"} if look.dashed else {})}


def _beside(ax: Any, groups: list[str], panel: Panel) -> None:
    members = {name: [bars.label for bars in panel.bars if name in bars.heights] for name in groups}
    width = GROUP / max(map(len, members.values()))
    for bars in panel.bars:
        aside = [members[name].index(bars.label) - (len(members[name]) - 1) / 2 for name in bars.heights]
        places = [groups.index(name) + at * width for name, at in zip(bars.heights, aside, strict=True)]
        ax.bar(places, [*bars.heights.values()], width, label=bars.label, **_filled(bars.look))


def _ends(groups: list[str], panel: Panel) -> list[tuple[Bars, list[float], list[float]]]:
    """Return the starts and lengths of the parts of bars that lie end to end."""
    starts, parts = [0.0] * len(groups), []
    for bars in panel.bars:
        lengths = [bars.heights.get(name, 0.0) for name in groups]
        parts.append((bars, starts, lengths))
        starts = [start + length for start, length in zip(starts, lengths, strict=True)]
    return parts


def _stacked(ax: Any, groups: list[str], panel: Panel) -> None:
    for bars, starts, lengths in _ends(groups, panel):
        ax.bar(range(len(groups)), lengths, GROUP, bottom=starts, label=bars.label, **_filled(bars.look))


def _across(ax: Any, groups: list[str], panel: Panel) -> None:
    for bars, starts, lengths in _ends(groups, panel):
        ax.barh(range(len(groups)), lengths, GROUP, left=starts, label=bars.label, **_filled(bars.look))


def _heat(ax: Any, heat: Heat) -> None:
    image = ax.imshow(heat.values, cmap="YlGnBu_r", aspect="auto", origin="lower")
    bar = ax.figure.colorbar(image, ax=ax, label=heat.what)
    bar.ax.yaxis.set_major_formatter("{x:,g}")
    bar.outline.set_visible(False)
    middle = sum(map(sum, heat.values)) / sum(map(len, heat.values))
    for y, row in enumerate(heat.values):
        for x, value in enumerate(row):
            colour = "white" if value < middle else "black"
            ax.text(x, y, heat.text.format(value), ha="center", va="center", fontsize=7, color=colour)
    ax.set_xticks(range(len(heat.columns)), [str(name) for name in heat.columns])
    ax.set_yticks(range(len(heat.rows)), [str(name) for name in heat.rows])
    ax.spines[["top", "right"]].set_visible(False)


def _axes(ax: Any, panel: Panel) -> None:
    if panel.logarithmic:
        scale_up(ax)
    elif panel.zero:
        ax.set_ylim(bottom=0)
    if panel.base:
        ax.set_xscale("log", base=panel.base)
    if panel.ticks:
        ax.set_xticks([*panel.ticks], [*panel.ticks.values()])
    if panel.base or panel.ticks:
        ax.minorticks_off()
    if panel.ends:
        ax.set_xlim(*panel.ends)
    ax.set_axisbelow(True)
    ax.grid(True, axis="x" if panel.arrangement == ACROSS else "both" if panel.curves else "y", **GRID)
    ax.spines[["top", "right"]].set_visible(False)


def scale_up(ax: Any) -> None:
    """Make the vertical axis of a finished plot logarithmic, with enough labels to read values.

    The labels are at 1, 2 and 5 times powers of ten, and also at 3 and 7 times if the axis spans less than one of them.
    """
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    subs = (1, 2, 5) if high > 10 * low else (1, 2, 3, 5, 7)
    ax.yaxis.set_major_locator(importlib.import_module("matplotlib.ticker").LogLocator(subs=subs))
    ax.yaxis.set_major_formatter("{x:,g}")
    ax.minorticks_off()
