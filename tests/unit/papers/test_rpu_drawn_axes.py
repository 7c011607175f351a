"""What the figures of the RPU are read by: numbers on logarithmic axes, names of axes with units, and a colour bar."""

from __future__ import annotations

from typing import Any

import pytest

from momagen.bench.report.plot import scale_up
from momagen.papers.rpu.explore.canvas import canvas, heat, lines
from momagen.papers.rpu.explore.drawings import per_area, trade_off
from momagen.papers.rpu.explore.sweep import DesignPoint

pytest.importorskip("matplotlib")
POINTS = [DesignPoint(hples, banks, 9, 500 / hples, hples / 8, 1.0, {}, hples == banks)
          for hples in (4, 64) for banks in (32, 64)]  # fmt: skip


def labels(axis: Any) -> list[str]:
    """Return the labels of the ticks that lie on the axis."""
    low, high = sorted(axis.get_view_interval())
    places = [place for place in axis.get_majorticklocs() if low <= place <= high]
    return [str(text) for text in axis.get_major_formatter().format_ticks(places)]


@pytest.mark.parametrize("values", [(0.05, 0.4), (1, 2), (0.3, 12), (1, 90000)])
def test_a_logarithmic_axis_has_plain_numbers_on_it(values: tuple[float, float]) -> None:
    _, (ax,) = canvas("title")
    ax.plot([1, 2], values)
    scale_up(ax)
    found = [float(text.replace(",", "")) for text in labels(ax.yaxis)]
    assert len(found) >= 2 and found == sorted(found)
    assert all(f"{value:e}"[0] in "12357" for value in found)


def test_a_map_has_a_colour_bar_that_says_what_it_shows() -> None:
    figure, (ax,) = canvas("title")
    heat(ax, [1, 2], [3, 4], [[1.0, 2.0], [3.0, 4.0]], "{:.0f}", "across", "up", "what it shows")
    assert [each.get_ylabel() for each in figure.axes] == ["up", "what it shows"]


def test_axes_have_names_and_units() -> None:
    figure = per_area(POINTS, "machine")
    assert [each.get_ylabel() for each in figure.axes] == ["HPLEs", "transforms per ms and mm²"]
    (ax,) = trade_off(POINTS, "machine").axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("area in mm² (model)", "runtime in µs") and len(labels(ax.yaxis)) > 2
    _, (ax,) = canvas("title")
    lines(ax, [4, 64], {"one": [1.0, 20.0]}, "HPLEs", "runtime in µs")
    assert labels(ax.xaxis) == ["4", "64"] and len(labels(ax.yaxis)) > 2
