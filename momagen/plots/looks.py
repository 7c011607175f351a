"""Colours, markers and line styles of series in plots."""

from __future__ import annotations

from dataclasses import dataclass, replace

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
"""The colours of Okabe and Ito, which readers with any colour vision can distinguish, and a brown."""
GREYS = ("#333333", "#777777", "#aaaaaa")
"""The colours of libraries and of stated numbers, which markers distinguish further."""
MARKERS = "osD^vP*X"
FLAT = "_"
"""The marker of a level, such as a lower bound: a short horizontal line."""


@dataclass(frozen=True)
class Look:
    """How a series looks.

    Attributes:
        colour: The colour of lines, markers and bars, as "#rrggbb".
        marker: The marker of matplotlib; "" for none.
        dashed: Whether the line is dashed, markers are hollow, and bars are hatched.
        width: The width of the line in points.
    """

    colour: str
    marker: str = ""
    dashed: bool = False
    width: float = 1.5


def look(at: int, *, other: bool = False) -> Look:
    """Return the look of series number ``at``; colour and marker together are distinct.

    Args:
        at: The number of the series among those of its kind.
        other: Whether the series is a library's or a paper's, which is dashed and grey.
    """
    colours = GREYS if other else COLOURS
    marker = MARKERS[(at + at // len(colours) * (not other)) % len(MARKERS)]
    return Look(colours[at % len(colours)], marker, other, 1.2 if other else 2.0)


def level(of: Look) -> Look:
    """Return the look of levels that belong to a series: its colour, as short horizontal lines."""
    return replace(of, marker=FLAT, dashed=False)
