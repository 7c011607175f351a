"""Every plot is drawn by one module, shows its numbers, and can be read: axes have names, and legends hide nothing."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import pytest

from momagen.errors import MomagenError
from momagen.plots import renderer
from momagen.plots.looks import COLOURS, FLAT, MARKERS, level, look
from momagen.plots.picture import ACROSS, STACKED, Band, Bars, Curve, Heat, Note, Panel, Picture, size_text


def figure(panel: Panel, **more: Any) -> Any:
    pytest.importorskip("matplotlib")
    return renderer.figure_of(Picture("title", [panel], **more))


def test_lines_show_their_numbers_on_named_axes() -> None:
    curves = [Curve("a", [1, 2, 4], [1.0, 2.0, 3.0], look(0)), Curve("b", [1, 2], [5.0, 6.0], look(0, other=True))]
    ticks = {1: "one", 2: "two", 4: "four"}
    drawn = figure(Panel("points", "ns", curves=curves, ticks=ticks, base=2, logarithmic=True))
    (ax,) = drawn.axes
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines] == [
        ([1, 2, 4], [1.0, 2.0, 3.0]), ([1, 2], [5.0, 6.0]),
    ]  # fmt: skip
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale(), ax.get_yscale()) == ("points", "ns", "log", "log")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["one", "two", "four"]
    assert [line.get_linestyle() for line in ax.lines] == ["-", "--"]


def test_a_linear_axis_begins_at_0_if_it_should() -> None:
    for zero in (False, True):
        (ax,) = figure(Panel("x", "y", curves=[Curve("a", [1, 2], [10.0, 11.0], look(0))], zero=zero)).axes
        assert (ax.get_ylim()[0] == 0) == zero


def test_the_legend_is_below_the_panels_and_names_each_label_once() -> None:
    curve = Curve("a", [1], [1.0], look(0))
    panels = [Panel("x", "y", curves=[curve, Curve("", [1], [2.0], level(look(0)), joined=False)])] * 2
    pytest.importorskip("matplotlib")
    drawn = renderer.figure_of(Picture("title", panels, caption="not drawn: c"))
    (legend,) = drawn.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a"]
    assert all(ax.get_legend() is None for ax in drawn.axes)
    assert legend.get_title().get_text() == "not drawn: c" and drawn.get_suptitle() == "title"
    assert {line.get_marker() for ax in drawn.axes for line in ax.lines} == {"o", FLAT}


def test_ranges_are_bands_around_lines_and_bars_around_points() -> None:
    for joined in (True, False):
        curve = Curve("a", [1, 2], [2.0, 3.0], look(0), joined, [1.0, 2.0], [3.0, 4.0])
        (ax,) = figure(Panel("x", "y", curves=[curve])).axes
        assert len(ax.collections) == 1 and ax.lines[0].get_linestyle() == ("-" if joined else "None")


def test_bars_stand_side_by_side_without_overlap() -> None:
    bars = [Bars(name, {"p": 1.0, "q": 2.0}, look(at)) for at, name in enumerate("abc")] + [
        Bars("d", {"q": 1.0}, look(3))
    ]
    (ax,) = figure(Panel("x", "y", bars=bars, groups=["q", "p"], slanted=True)).axes
    spans = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bars in ax.containers for bar in bars)
    assert all(end <= start + 1e-9 for (_, end), (start, _) in itertools.pairwise(spans))
    assert [text.get_text() for text in ax.get_xticklabels()] == ["q", "p"]


@pytest.mark.parametrize("arrangement", [STACKED, ACROSS])
def test_stacked_bars_begin_where_the_last_one_ends(arrangement: str) -> None:
    bars = [Bars("a", {"p": 1.0, "q": 2.0}, look(0)), Bars("b", {"q": 3.0}, look(1))]
    (ax,) = figure(Panel("x", "y", bars=bars, arrangement=arrangement)).axes
    first, second = ax.containers
    ends = [(bar.get_x() + bar.get_width(), bar.get_y() + bar.get_height()) for bar in first]
    starts = [bar.get_xy() for bar in second]
    at = 0 if arrangement == ACROSS else 1
    assert [end[at] for end in ends] == [1.0, 2.0] == [start[at] for start in starts]


def test_a_map_has_a_colour_bar_that_says_what_it_shows() -> None:
    heat = Heat([1, 2], [3, 4], [[1.0, 2.0], [3.0, 4.0]], "{:.0f}", "what it shows")
    drawn = figure(Panel("across", "up", heat=heat))
    assert [each.get_ylabel() for each in drawn.axes] == ["up", "what it shows"]
    assert sorted(text.get_text() for text in drawn.axes[0].texts) == ["1", "2", "3", "4"]


def test_notes_and_ranges_are_written() -> None:
    panel = Panel("x", "y", curves=[Curve("a", [1], [2.0], look(0))], notes=[Note("here", 1, 2.0)],
                  bands=[Band("stated", 1.0, 3.0)], ends=(0, 3))  # fmt: skip
    (ax,) = figure(panel).axes
    assert {text.get_text() for text in ax.texts} == {"here", "stated"} and ax.get_xlim() == (0, 3)


def test_series_look_different() -> None:
    ours = [look(at) for at in range(2 * len(COLOURS))]
    others = [look(at, other=True) for at in range(len(MARKERS))]
    pairs = [(each.colour, each.marker, each.dashed) for each in (*ours, *others)]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize("values", [(0.05, 0.4), (1, 2), (0.3, 12), (1, 90000)])
def test_a_logarithmic_axis_has_plain_numbers_on_it(values: tuple[float, float]) -> None:
    (ax,) = figure(Panel("x", "y", curves=[Curve("a", [1, 2], values, look(0))], logarithmic=True)).axes
    low, high = sorted(ax.yaxis.get_view_interval())
    places = [place for place in ax.yaxis.get_majorticklocs() if low <= place <= high]
    found = [float(text.replace(",", "")) for text in ax.yaxis.get_major_formatter().format_ticks(places)]
    assert len(found) >= 2 and found == sorted(found) and all(f"{value:e}"[0] in "12357" for value in found)


def test_files_are_the_same_at_any_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = Picture("title", [Panel("x", "y", curves=[Curve("a", [1], [2.0], look(0))])])
    path = renderer.write(picture, tmp_path / "a.svg")
    assert "<dc:date>" not in path.read_text(encoding="utf-8") and "<!-- title -->" in path.read_text(encoding="utf-8")
    assert renderer.write(picture, tmp_path / "a.png").stat().st_size > 1000


def test_a_missing_library_and_unknown_formats_are_errors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match="one of the formats"):
        renderer.check("pdf")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MomagenError, match=r"`plot` needs matplotlib, which is not installed; install it \(python3"):
        renderer.write(Picture("title", []), tmp_path / "a.svg")
    renderer.check(None)
    assert not list(tmp_path.iterdir())


def test_sizes() -> None:
    assert [size_text(4096), size_text(4096, short=True), size_text(1000, short=True)] == [
        "n = $2^{12}$",
        "$2^{12}$",
        "1000",
    ]
