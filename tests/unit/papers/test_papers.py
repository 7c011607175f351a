"""Every number of a paper has a location and an outcome, and is compared with ours if that is possible."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from momagen.cli import main
from momagen.errors import MomagenError, build_error
from momagen.papers import picture, report
from momagen.papers.exhibit import AS_RATIOS, Exhibit
from momagen.papers.measuring import measure
from momagen.papers.papers import NAMES, load_paper
from momagen.papers.series import OUTCOMES, ResultSeries, middle, parse_stated, ratios
from momagen.papers.thresholds import NO_BAR, PASS
from momagen.plots import renderer

EXHIBITS = [
    pytest.param(exhibit, id=f"{name}-{exhibit.name}") for name in NAMES for exhibit in load_paper(name).exhibits()
]
DRAWN = [case for case in EXHIBITS if case.values[0].form not in AS_RATIOS]
COMPARED = [case for case in EXHIBITS if case.values[0].form in AS_RATIOS and picture._ratios(case.values[0])]


@pytest.mark.parametrize("exhibit", EXHIBITS)
def test_a_stated_number_has_a_location_and_a_series_of_ours_unless_it_is_out_of_reach(exhibit: Exhibit) -> None:
    for series in exhibit.stated:
        assert series.where and series.points
        if series.outcome != OUTCOMES[-1]:
            own = [each for each in exhibit.measured if each.what == series.ours]
            assert own and {*series.points} & {*own[0].points}, f"{series.what}: no place has both numbers"


@pytest.mark.parametrize("exhibit", EXHIBITS)
def test_a_number_is_reproduced_if_and_only_if_it_is_within_its_threshold(exhibit: Exhibit) -> None:
    for series in exhibit.stated:
        own = next((each.points for each in exhibit.measured if each.what == series.ours), {})
        verdicts = {series.threshold(at).verdict(middle(own[at])) for at in series.points if at in own} - {NO_BAR}
        if verdicts and series.outcome != OUTCOMES[-1]:
            assert (series.outcome == OUTCOMES[0]) == (verdicts == {PASS}), (series.what, *series.points)


@pytest.mark.parametrize("exhibit", DRAWN)
def test_a_picture_shows_the_stated_and_the_measured_numbers(exhibit: Exhibit) -> None:
    pytest.importorskip("matplotlib")
    figure = renderer.figure_of(picture.picture_of([exhibit]))
    (ax,) = figure.axes
    drawn = [list(line.get_ydata()) for line in ax.lines] or [
        [bar.get_height() for bar in bars] for bars in ax.containers
    ]
    shown = [series for series in (*exhibit.stated, *exhibit.measured) if series.unit == exhibit.unit]
    assert shown
    for series in shown:
        assert [middle(value) for value in series.points.values()] in drawn
    assert ax.get_xlabel() and ax.get_ylabel() and ax.get_legend() is None and len(figure.legends) == 1


def test_an_axis_of_powers_of_two_is_logarithmic() -> None:
    for name, base in (("figure-11b", 2), ("figure-13a", 2)):
        (panel,) = picture.picture_of(load_paper("cross").chosen([name])).panels
        assert panel.base == base
    assert picture.picture_of(load_paper("moma").chosen(["figure-4"])).panels[0].base == 0


@pytest.mark.parametrize("exhibit", COMPARED)
def test_a_picture_of_a_table_shows_the_ratio_of_every_number(exhibit: Exhibit) -> None:
    pytest.importorskip("matplotlib")
    drawing = picture.picture_of([exhibit])
    assert len({each.look for each in drawing.panels[0].bars}) == len(drawing.panels[0].bars)
    (ax,) = renderer.figure_of(drawing).axes
    drawn = [bar.get_width() for bars in ax.containers for bar in bars if bar.get_width()]
    known = [ratio for each in exhibit.stated for ratio in ratios(each, exhibit.measured).values() if ratio > 0]
    assert sorted(drawn) == pytest.approx(sorted(known))
    assert len(ax.get_yticklabels()) == len(known) and ax.get_xlabel()


@pytest.mark.parametrize("exhibit", DRAWN)
def test_no_two_series_of_a_picture_look_alike(exhibit: Exhibit) -> None:
    (panel,) = picture.picture_of([exhibit]).panels
    looks = [each.look for each in (*panel.curves, *panel.bars)]
    assert len({(each.colour, each.marker if panel.curves else each.dashed) for each in looks}) == len(looks)


@pytest.mark.parametrize("name", NAMES)
def test_the_command_prints_every_exhibit(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper", name, "--json"]) == 0
    text = capsys.readouterr().out
    told = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert [each["name"] for each in told["exhibits"]] == [each.name for each in load_paper(name).exhibits()]
    assert sum(report.outcomes(load_paper(name).exhibits()).values()) > 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"outcome": "done"}, "unknown"),
        ({"outcome": "different"}, "lacks a reason"),
        ({"ours": ""}, "needs a series of momagen"),
        ({"values": [1, 2]}, "not as many"),
        ({"values": ["1"]}, "neither a number nor a range"),
    ],
)
def test_an_invalid_series_is_refused(more: dict[str, object], message: str) -> None:
    row = {"what": "a", "where": "Table 1", "unit": "ns", "at": ["x"], "values": [1], "ours": "momagen"}
    assert parse_stated(row, {}, "t").outcome == "reproduced"
    with pytest.raises(ValueError, match=message):
        parse_stated({**row, **more}, {}, "t")


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["paper", "moma", "--output", str(tmp_path / "file")]) == 2
    shown = capsys.readouterr()
    assert not shown.out and "expected a writable folder" in shown.err


@pytest.mark.parametrize("words", [["none"], ["moma", "figure-99"], ["moma", "--plot", "svg"]])
def test_bad_arguments_are_refused(words: list[str]) -> None:
    assert main(["paper", *words]) == 2


SERIES = {"exhibit": "figure-5b", "what": "own", "unit": "", "at": ["128"], "values": [[1, 2]]}
RESULTS = {
    "machine": "a GPU (family 1, model 2), momagen 1",
    "date": "2026-11-29",
    "command": "run",
    "series": [SERIES],
}


def test_results_of_a_user_are_shown_and_written_in_the_common_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(RESULTS), encoding="utf-8")
    assert main(["paper", "moma", "figure-5b", "--results", str(path), "--output", str(tmp_path)]) == 0
    assert "a GPU (family 1, model 2), momagen 1, 2026-11-29: run" in " ".join(capsys.readouterr().out.split())
    assert json.loads((tmp_path / "moma-results-1.json").read_text(encoding="utf-8")) == RESULTS


def test_an_exhibit_that_cannot_be_measured_does_not_stop_the_others() -> None:
    def fail(_: object) -> list[ResultSeries]:
        raise build_error("there is no GPU", "figure-5b")

    def succeed(_: object) -> list[ResultSeries]:
        return [ResultSeries("own", "ns", {"128": 1.0}, "figure-2", "")]

    paper = replace(load_paper("moma"), measure={"figure-5b": fail, "figure-2": succeed})
    found, failed = measure(paper, ["figure-5b", "figure-2"], lambda *_: None)
    assert [row.what for row in found] == ["own"] and found[0].source.endswith("momagen paper moma figure-2 --measure")
    assert "there is no GPU" in failed["figure-5b"]
    with pytest.raises(MomagenError, match="no GPU"):
        measure(paper, ["figure-5b"], lambda *_: None)


def test_derived_series_follow_from_all_others() -> None:
    def twice(rows: object) -> list[ResultSeries]:
        return [replace(row, what="twice") for row in rows if row.what == "own"]  # type: ignore[attr-defined]

    own = ResultSeries("own", "ns", {"128": 1.0}, "figure-5b", "here")
    (exhibit,) = replace(load_paper("moma"), derive=twice).chosen(["figure-5b"], [own])
    assert {"own", "twice"} <= {row.what for row in exhibit.measured}
