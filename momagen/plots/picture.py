"""Descriptions of pictures, which need no plotting library: panels with curves, bars or a map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .looks import Look

PANEL = (4.8, 4.0)
"""The usual width and height of a panel, in inches."""
BESIDE, STACKED, ACROSS = "beside", "stacked", "across"
"""How bars of one group are arranged: side by side, one on the other, or end to end in horizontal bars."""


@dataclass(frozen=True)
class Curve:
    """Points that may be joined by a line.

    Attributes:
        label: The text of the legend; a curve without a text is not in the legend.
        x: The horizontal places.
        y: The values.
        look: How it looks.
        joined: Whether a line joins the points.
        low: The lower ends of ranges around the values; empty if there are none.
        high: The upper ends.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    look: Look
    joined: bool = True
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True)
class Bars:
    """Bars of one series: a height for each group that has one.

    Attributes:
        label: The text of the legend.
        heights: The heights by the name of the group.
        look: How they look.
    """

    label: str
    heights: Mapping[str, float]
    look: Look


@dataclass(frozen=True)
class Heat:
    """A map of cells, with a colour bar.

    Attributes:
        columns: The names of the columns.
        rows: The names of the rows, the lowest first.
        values: The values, row by row.
        text: The format of a cell's value, such as "{:.2f}".
        what: The label of the colour bar.
    """

    columns: Sequence[object]
    rows: Sequence[object]
    values: Sequence[Sequence[float]]
    text: str
    what: str


@dataclass(frozen=True)
class Note:
    """A short text at a point of a panel."""

    text: str
    x: float
    y: float


@dataclass(frozen=True)
class Band:
    """A grey range of values across a panel, with a name."""

    label: str
    low: float
    high: float


@dataclass(frozen=True)
class Panel:
    """One pair of axes and its contents.

    Attributes:
        across: The label of the horizontal axis.
        up: The label of the vertical axis.
        title: The title above the panel.
        curves: The curves.
        bars: The series of bars.
        groups: The names of the groups of bars, in order; by default those of the bars.
        arrangement: How the bars of a group are arranged.
        heat: The map, which stands alone.
        notes: Texts at points.
        bands: Ranges across the panel.
        ticks: The labels of the horizontal axis by place; by default matplotlib chooses them.
        base: The base of a logarithmic horizontal axis; 0 for a linear one.
        logarithmic: Whether the vertical axis is logarithmic.
        zero: Whether a linear vertical axis begins at 0, so that small differences do not look large.
        ends: The ends of the horizontal axis, if they are fixed.
        slanted: Whether the labels of groups are rotated.
    """

    across: str
    up: str
    title: str = ""
    curves: Sequence[Curve] = ()
    bars: Sequence[Bars] = ()
    groups: Sequence[str] = ()
    arrangement: str = BESIDE
    heat: Heat | None = None
    notes: Sequence[Note] = ()
    bands: Sequence[Band] = ()
    ticks: Mapping[float, str] = field(default_factory=dict)
    base: int = 0
    logarithmic: bool = False
    zero: bool = False
    ends: tuple[float, float] | None = None
    slanted: bool = False

    def all_groups(self) -> list[str]:
        """Return the names of the groups of bars, in order."""
        return list(self.groups) or list(dict.fromkeys(name for bars in self.bars for name in bars.heights))


@dataclass(frozen=True)
class Picture:
    """Panels side by side below a title, with one legend below them.

    Attributes:
        title: The title, which may have several lines.
        panels: The panels.
        size: The width and height of a panel in inches.
        least: The number of panels for which the picture has room at least.
        shared: Whether all panels have the same vertical axis.
        columns: The number of columns of the legend.
        caption: A text above the entries of the legend.
    """

    title: str
    panels: Sequence[Panel]
    size: tuple[float, float] = PANEL
    least: int = 1
    shared: bool = False
    columns: int = 4
    caption: str = ""


def size_text(n: int, short: bool = False) -> str:
    """Return "n = 2^12" with a raised exponent, or only the power if ``short``."""
    text = f"$2^{{{n.bit_length() - 1}}}$" if n & (n - 1) == 0 else str(n)
    return text if short else f"n = {text}"
