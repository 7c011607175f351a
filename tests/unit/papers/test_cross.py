"""The CROSS paper: models, workloads, and results of its scripts in the common format."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from momagen.cli import main
from momagen.papers import report
from momagen.papers.cross import PAPER
from momagen.papers.cross.checks import check_series
from momagen.papers.cross.workloads import workloads
from momagen.papers.series import ResultSeries, Value

HEAD = {"date": "2026-11-29T00:00:00", "versions": {"jax": "1"},
        "device": {"host": "a CPU", "platform": "cpu", "core": 1, "cores": 2}}  # fmt: skip
KERNELS = ("ntt", "intt", "multiply", "add", "permute", "convert")


def _found(rows: Any) -> dict[tuple[str, str], ResultSeries]:
    return {(row.exhibit, row.what): row for row in rows}


def test_helr_takes_the_time_of_the_paper_at_the_latencies_of_the_paper() -> None:
    found = _found(check_series())
    what = "momagen’s counts at the latencies of Table VIII"
    assert found["text-helr", what].points["one iteration"] == pytest.approx(84, rel=0.15)
    assert found["text-mnist", what].points["one image"] == pytest.approx(25.4, rel=0.01)


def test_helr_starts_where_bootstrapping_ends() -> None:
    work = workloads()["helr"]
    assert work.calls["rotate"] == 90 and work.limbs["rotate"] == 5 * 16 + 5 * 14 + 80 * 8
    assert workloads()["bootstrapping"].limbs == {}


def test_output_of_bench_he_becomes_series() -> None:
    sets = [{"set": name, "nanoseconds": dict.fromkeys(KERNELS, 1000.0),
             "operators": {"multiply": {"median_us": 5.0}, "rescale two": {"median_us": 1.0}}}
            for name in ("A", "B", "C", "D")]  # fmt: skip
    found = _found(PAPER.read(json.dumps({**HEAD, "sets": sets}), "test"))
    assert found["table-8-openfhe", "momagen"].points == {"HE-Mult": 5.0}
    assert found["table-9", "momagen, estimate"].points["momagen"] == pytest.approx(
        sum(workloads()["bootstrapping"].kernels.values()) / 1e3, rel=1e-4
    )
    assert sum(found["table-9", "momagen, shares"].points.values()) == pytest.approx(100, rel=1e-4)  # type: ignore[arg-type]
    assert found["figure-14", "momagen"].source == "a CPU, core 1, JAX 1, 2026-11-29: python scripts/bench_he.py"


def test_output_of_bench_jax_becomes_series_and_ratios() -> None:
    usual = {"state": "measured", "section": "table5", "title": "512 × 256 × 256"}
    rows = [{**usual, "name": "jax", "median_us": 2.0}, {**usual, "name": "jax, sparse", "median_us": 3.0},
            {**usual, "name": "CROSS BAT", "state": "absent"}]  # fmt: skip
    rows += [{**usual, "section": "table6", "name": name, "median_us": time}
             for name, time in (("CROSS Barrett", 6.0), ("CROSS Barrett, BAT", 3.0))]  # fmt: skip
    rows += [{"state": "measured", "section": "fig11b", "set": "A", "batch": at, "rate": rate, "name": "jax"}
             for at, rate in ((1, 10.0), (2, 5.0))]  # fmt: skip
    read = [*PAPER.read(json.dumps({**HEAD, "rows": rows}), "test")]
    found = _found([*read, *PAPER.derive(read)])
    assert found["table-5", "momagen, sparse over dense"].points == {"512 × 256 × 256": 1.5}
    assert [*found["table-6", "CROSS’s code on this CPU, Barrett over BAT"].points.values()] == [2.0]
    assert found["figure-11b", "momagen, Set A"].points == {1: 1.0, 2: 0.5}


def test_measuring_without_jax_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    assert main(["paper", "cross", "table-8-heap", "--measure"]) == 2
    assert "JAX, which the extra “jax” installs" in capsys.readouterr().err


def test_measured_exhibits_exist_and_name_their_command() -> None:
    for exhibit in PAPER.exhibits():
        measured = exhibit.name in PAPER.measure
        assert bool(exhibit.command) == (measured and not exhibit.name.startswith("text-")), exhibit.name
    assert set(PAPER.measure) <= {exhibit.name for exhibit in PAPER.exhibits()}


def test_the_page_has_the_stored_results() -> None:
    page = (Path(__file__).parents[3] / "docs" / "papers" / "cross.md").read_text(encoding="utf-8")
    exhibits = PAPER.exhibits()
    found = {(each.name, row.what): row.points for each in exhibits for row in each.measured}
    counts = report.outcomes(exhibits)
    assert f"{counts['out of reach']} of {sum(counts.values())} stated numbers" in page
    own, least = (found["table-8-openfhe", what] for what in ("momagen", "momagen, least time on a v6e-8"))
    shown = [f"{_number(own[head]) / 1e3:.3g}" for head in ("HE-Add", "HE-Mult", "Rescale", "Rotate")]
    assert f"{', '.join(shown)} ms" in page and f"HE-Sub: {_number(own['HE-Sub']) / 1e3:.3g} ms" in page
    for head in ("HE-Mult", "Rotate"):
        assert re.search(rf"^\| {head}, Set D, v6e-8 \|.*\| {_number(least[head]):.0f} µs \|$", page, re.MULTILINE)
    boots = f"{_number(found['table-9', 'momagen, estimate']['momagen']) / 1e3:.1f} s"
    helr, image = (_number(found[f"text-{name}", "momagen, estimate"][at])
                   for name, at in (("helr", "one iteration"), ("mnist", "one image")))  # fmt: skip
    assert f"| packed bootstrapping, Set D | 21.5 ms, v6e-8 | – | {boots} |" in page
    assert f"| 84 ms, one tensor core | 75 ms | {helr / 1e3:.1f} s |" in page
    assert f"| 270 ms, v6e-8 | 25 ms | {image / 1e3:.2f} s |" in page


def _number(value: Value) -> float:
    assert not isinstance(value, tuple)
    return value
