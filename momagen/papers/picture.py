"""The figures of papers as pictures: stated numbers beside measured ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from momagen.plots import renderer
from momagen.plots.looks import Look, look
from momagen.plots.picture import Bars, Curve, Panel, Picture

from .exhibit import Exhibit
from .series import Series, StatedSeries, middle

SIZE = (8.0, 5.0)
"""The width and height of a panel, in inches."""


def draw_all(exhibits: Sequence[Exhibit], folder: Path, kind: str) -> list[Path]:
    """Write the pictures of ``exhibits`` to ``folder`` and return their paths; tables have none.

    Args:
        exhibits: The exhibits.
        folder: The folder, which exists.
        kind: The format, "svg" or "png".

    Raises:
        MomagenError: The format is unknown, or matplotlib is missing.
    """
    renderer.check(kind)
    drawn = {each.name: each for each in exhibits if each.form != "table"}
    own = [each for each in drawn.values() if each.panel_of not in drawn]
    return [
        renderer.write(
            picture_of([each, *(more for more in drawn.values() if more.panel_of == each.name)]),
            folder / f"{each.name}.{kind}",
        )
        for each in own
    ]


def picture_of(exhibits: Sequence[Exhibit]) -> Picture:
    """Return the picture of an exhibit and of those that are further panels of it.

    The series of momagen are solid and in colour, and those that a paper states are dashed and grey.
    """
    first = exhibits[0]
    missing = [name for each in exhibits for name in each.unprinted]
    caption = f"not drawn, because the paper prints no number: {', '.join(missing)}" if missing else ""
    title = f"{first.where}: {first.title}"
    return Picture(title, [panel_of(each) for each in exhibits], SIZE, columns=2 * len(exhibits), caption=caption)


def panel_of(exhibit: Exhibit) -> Panel:
    """Return the panel of an exhibit, with those of its series that have its unit."""
    measured = [(each, look(at)) for at, each in enumerate(_of(exhibit, exhibit.measured))]
    stated = [(each, look(at, other=True)) for at, each in enumerate(_of(exhibit, exhibit.stated))]
    series = [*measured, *stated]
    if exhibit.form == "lines":
        return Panel(exhibit.across, exhibit.unit, curves=[_curve(*each) for each in series], logarithmic=True)
    groups = list(dict.fromkeys(str(place) for each, _ in series for place in each.points))
    bars = [_bars(*each) for each in series]
    return Panel(exhibit.across, exhibit.unit, bars=bars, groups=groups, logarithmic=True)


def _of(exhibit: Exhibit, series: Sequence[Series]) -> list[Series]:
    return [each for each in series if each.unit == exhibit.unit]


def _label(series: Series) -> str:
    return f"{series.what} (stated)" if isinstance(series, StatedSeries) else series.what


def _curve(series: Series, style: Look) -> Curve:
    places = cast(list[float], [*series.points])
    return Curve(_label(series), places, [middle(value) for value in series.points.values()], style)


def _bars(series: Series, style: Look) -> Bars:
    return Bars(_label(series), {str(place): middle(value) for place, value in series.points.items()}, style)
