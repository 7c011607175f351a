"""The figures of papers as pictures: stated numbers beside measured ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from momagen.plots import renderer
from momagen.plots.looks import COLOURS, Look, look
from momagen.plots.picture import ACROSS, Bars, Curve, Panel, Picture

from .exhibit import AS_RATIOS, Exhibit
from .lists import named
from .series import Series, StatedSeries, middle, ratios

SIZE = (8.0, 5.0)
"""The width and height of a panel, in inches."""

ROW, MARGIN = 0.25, 2.0
"""The height of a row of a picture of ratios, and that of its axis, title and legend, in inches."""
LONG = 80
"""The letters of the longest label of a group of bars, times the number of groups, from which on labels are rotated."""
WIDE = 20
"""The largest value over the smallest one from which on an axis is logarithmic."""


def draw_all(exhibits: Sequence[Exhibit], folder: Path, kind: str) -> list[Path]:
    """Write the pictures of ``exhibits`` to ``folder`` and return their paths.

    Tables and lists are drawn as ratios of momagen's numbers and those of the paper, if there are any.

    Args:
        exhibits: The exhibits.
        folder: The folder, which exists.
        kind: The format, "svg" or "png".

    Raises:
        MomagenError: The format is unknown, or matplotlib is missing.
    """
    renderer.check(kind)
    drawn = {each.name: each for each in exhibits if each.form not in AS_RATIOS or _ratios(each)}
    own = [each for each in drawn.values() if each.panel_of not in drawn]
    return [
        renderer.write(
            picture_of([each, *(more for more in drawn.values() if more.panel_of == each.name)]),
            folder / f"{each.name}.{kind}",
        )
        for each in own
    ]


def picture_of(exhibits: Sequence[Exhibit]) -> Picture:
    """Return the picture of an exhibit, with the exhibits that are further panels of it.

    The series of momagen are solid and in colour, and those that a paper states are dashed and grey.
    """
    first = exhibits[0]
    if first.form in AS_RATIOS:
        return _compared(first)
    missing = [name for each in exhibits for name in each.unprinted]
    caption = f"not drawn, because the paper prints no number: {', '.join(missing)}" if missing else ""
    title = f"{first.where}: {first.title}"
    panels, looks = [], _looks(exhibits)
    for each in exhibits:
        drawn = {_label(series): series for series in _drawn(each)}
        panels.append(_panel(each, drawn, looks))
    return Picture(title, panels, SIZE, columns=2 * len(exhibits), caption=caption)


def _ratios(exhibit: Exhibit) -> dict[str, dict[str, float]]:
    """Return by measured series momagen's numbers divided by those of the paper, by what the paper states."""
    found: dict[str, dict[str, float]] = {}
    for series in exhibit.stated:
        for at, ratio in ratios(series, exhibit.measured).items():
            name = named(series, at) if exhibit.form == "list" else f"{series.what}, {at}"
            if ratio > 0:
                found.setdefault(series.ours, {})[name] = ratio
    return found


def _compared(exhibit: Exhibit) -> Picture:
    """Return the picture of ratios: one bar for each stated number, and a line where both numbers are equal."""
    found = _ratios(exhibit)
    groups = list(dict.fromkeys(name for own in found.values() for name in own))
    if len(found) > len(COLOURS):
        found = {"all series": {name: ratio for own in found.values() for name, ratio in own.items()}}
    bars = [Bars(name, own, look(at)) for at, (name, own) in enumerate(found.items())]
    equal = Curve("equal", [1.0, 1.0], [-0.5, len(groups) - 0.5], Look("#000000", dashed=True, width=1.0))
    base = 10 if _spans(value for own in found.values() for value in own.values()) else 0
    across = "number of momagen / number of the paper"
    panel = Panel(across, "", curves=[equal], bars=bars, groups=groups, arrangement=ACROSS, base=base)
    title = f"{exhibit.where}: {exhibit.title}"
    return Picture(title, [panel], (SIZE[0], ROW * len(groups) + MARGIN), columns=2)


def _drawn(exhibit: Exhibit) -> list[Series]:
    return [each for each in (*exhibit.measured, *exhibit.stated) if each.unit == exhibit.unit]


def _label(series: Series) -> str:
    return f"{series.what} (stated)" if isinstance(series, StatedSeries) else series.what


def _looks(exhibits: Sequence[Exhibit]) -> dict[str, Look]:
    """Return the look of every label; a label looks the same in all panels."""
    series = [each for exhibit in exhibits for each in _drawn(exhibit)]
    stated = dict.fromkeys(_label(each) for each in series if isinstance(each, StatedSeries))
    own = dict.fromkeys(_label(each) for each in series if not isinstance(each, StatedSeries))
    greys = {name: look(at, other=True) for at, name in enumerate(stated)}
    return {name: look(at) for at, name in enumerate(own)} | greys


def _panel(exhibit: Exhibit, drawn: Mapping[str, Series], looks: Mapping[str, Look]) -> Panel:
    values = {name: [middle(value) for value in each.points.values()] for name, each in drawn.items()}
    wide = _spans(value for own in values.values() for value in own)
    if exhibit.form == "lines":
        curves = [Curve(name, _numbers(drawn[name]), own, looks[name]) for name, own in values.items()]
        base = 2 if _doubles(x for curve in curves for x in curve.x) else 0
        return Panel(exhibit.across, exhibit.unit, curves=curves, base=base, logarithmic=wide, zero=True)
    groups = [str(place) for place in exhibit.places([*drawn.values()])]
    heights = {name: dict(zip(map(str, drawn[name].points), own, strict=True)) for name, own in values.items()}
    bars = [Bars(name, own, looks[name]) for name, own in heights.items()]
    slanted = len(groups) * max(map(len, groups), default=0) > LONG
    return Panel(exhibit.across, exhibit.unit, bars=bars, groups=groups, logarithmic=wide, slanted=slanted)


def _numbers(series: Series) -> list[float]:
    return cast(list[float], [*series.points])


def _doubles(places: Iterable[float]) -> bool:
    """Return whether places are powers of two, far apart, so that a linear axis would squeeze the small ones."""
    known = [*places]
    return all(x >= 1 and math.log2(x).is_integer() for x in known) and _spans(known)


def _spans(values: Iterable[float]) -> bool:
    """Return whether values are so far apart that a linear axis would hide the small ones."""
    known = [value for value in values if value > 0]
    return bool(known) and max(known) > WIDE * min(known)
