"""The RPU paper: its CPU baseline, and what follows from its own numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from momagen.papers import report
from momagen.papers.rpu import PAPER
from momagen.papers.rpu.baseline import convert
from momagen.papers.rpu.exhibits import BASELINE, derive, model
from momagen.papers.rpu.explore.stated import exhibits, stated
from momagen.papers.series import ResultSeries

ROOT = Path(__file__).resolve().parents[3]
ROW = {"name": "OpenFHE, 120 bits, negacyclic", "n": 1024, "unit": "cycles", "butterflies": 5120,
       "ours": {"median": 2.0}, "theirs": {"median": 30.0}}  # fmt: skip
TOLD = {"machine": {"cpu": "a CPU", "date": "2026-11-29", "clock_ghz": 4.0}, "rows": [ROW]}


def test_races_of_openfhe_become_times_of_transforms() -> None:
    theirs, ours = PAPER.read(json.dumps(TOLD), "a file")
    assert (theirs.what, theirs.points, theirs.exhibit) == ("OpenFHE, 128 bits, µs", {1024: 30 * 5.12 / 4}, "figure-10")
    assert ours.points == {1024: 2 * 5.12 / 4} and theirs.source.startswith("a CPU, 2026-11-29: python scripts/")
    slow = {**TOLD, "rows": [{**ROW, "unit": "ns"}]}
    assert convert(slow)["series"][0]["values"] == [30 * 5.12]
    assert convert({"series": []}) == {"series": []}


def test_speed_ups_follow_from_times() -> None:
    machine = ResultSeries("rpu-paper, µs", "µs", {1024: 0.5, 2048: 1.0}, "figure-10", "")
    openfhe = ResultSeries("OpenFHE, 128 bits, µs", "µs", {1024: 100.0, 2048: 300.0}, "figure-10", "")
    found = [each for each in derive([machine, openfhe]) if each.exhibit == "figure-10"]
    assert [each.what for each in found] == [BASELINE] and [*found[0].points.values()] == [200, 300]
    assert not derive([machine])


def test_the_theoretical_latency_of_the_paper_counts_each_butterfly_twice() -> None:
    """Section VI-F counts 1024 compute instructions of 512 elements, n/2 · log2(n) butterflies."""
    assert 1024 * 512 == 65536 // 2 * 16
    own = {at: value for each in model() if each.exhibit == "figure-9" for at, value in each.points.items()}
    assert own["64K: theoretical latency, 6.7 µs / 1.38"] == pytest.approx(1024 * 512 / (128 * 1.68e3), rel=1e-6)
    ((best,),) = (each.points.values() for each in PAPER.stored() if each.what == "rpu-best, strided")
    assert 2.44 < float(best) < 4.855  # type: ignore[arg-type]


def test_reports_show_each_number_once_and_only_those_of_studies() -> None:
    keys = [row.key for each in exhibits() for row in each.stated if row.key and "." not in row.key]
    assert [*stated()] == [*dict.fromkeys(keys)] and len(keys) > len(stated()) > 45
    assert (stated()["us_64"].where, stated()["us_64"].figure, stated()["gpu"].figure) == ("abstract", "9", "VII")


def test_the_page_counts_the_outcomes() -> None:
    counts = report.outcomes(PAPER.exhibits())
    text = " ".join((ROOT / "docs" / "papers" / "rpu.md").read_text(encoding="utf-8").split())
    first, second, third = counts.values()
    assert f"{first} are *reproduced*, {second} are *different*, and {third} are *out of reach*" in text
