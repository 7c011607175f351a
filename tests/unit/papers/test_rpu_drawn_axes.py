"""What the figures of the RPU are read by: numbers on logarithmic axes, names of axes with units, and a colour bar."""

from __future__ import annotations

from typing import Any

import pytest

from momagen.papers.rpu.explore.drawings import per_area, trade_off
from momagen.papers.rpu.explore.sweep import DesignPoint
from momagen.plots import renderer

pytest.importorskip("matplotlib")
POINTS = [DesignPoint(hples, banks, 9, 500 / hples, hples / 8, 1.0, {}, hples == banks)
          for hples in (4, 64) for banks in (32, 64)]  # fmt: skip


def labels(axis: Any) -> list[str]:
    """Return the labels of the ticks that lie on the axis."""
    low, high = sorted(axis.get_view_interval())
    places = [place for place in axis.get_majorticklocs() if low <= place <= high]
    return [str(text) for text in axis.get_major_formatter().format_ticks(places)]


def test_axes_have_names_and_units() -> None:
    figure = renderer.figure_of(per_area(POINTS, "machine"))
    assert [each.get_ylabel() for each in figure.axes] == ["HPLEs", "transforms per ms and mm²"]
    (ax,) = renderer.figure_of(trade_off(POINTS, "machine")).axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("area in mm² (model)", "runtime in µs") and len(labels(ax.yaxis)) > 2
    assert {text.get_text() for text in ax.texts} == {f"({each.hples},{each.banks})" for each in POINTS if each.pareto}
