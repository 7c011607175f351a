"""The sweep: its grid, one small race, and what is written of recorded figures. Nothing here judges a time."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from momagen.bench.measure.baselines import LIBRARIES
from momagen.bench.measure.clock import TimedCall, latency
from momagen.bench.measure.machine import caption
from momagen.bench.measure.sample import Spread
from momagen.bench.report import plot, report
from momagen.bench.report.point import COLUMNS, Point, as_csv, as_json, markdown, missing, races
from momagen.bench.report.report import Output
from momagen.bench.suite.grid import BITS, KERNELS, SIZES, Grid, grid_races
from momagen.bench.suite.sweep import PLACES, ROOM, SweepEntry, contestants, different, placements, reason, sweep_race
from momagen.bench.x86.assembly import disassembler
from momagen.bench.x86.floor import Floor
from momagen.bench.x86.rates import Rates
from momagen.bench.x86.work import Work
from momagen.data import folder
from momagen.errors import MomagenError
from momagen.params import to_words
from momagen.plots import renderer
from momagen.plots.looks import COLOURS, GREYS
from momagen.runtime import compile_shared, find_compiler, missing_features

pytestmark = pytest.mark.compiles

counting = pytest.mark.skipif(
    bool(missing_features(["x86_64"])) or not disassembler() or latency() is None, reason="no x86-64 to count on"
)

# The grid


def test_the_default_grid() -> None:
    todo = grid_races(Grid())
    assert [(race.spec.width, race.n) for race in todo] == [(b, n) for b in BITS for n in SIZES["ntt"]]
    assert all(race.spec.modulus % (2 * race.n) == 1 for race in todo)


def test_a_grid_of_vectors_and_rings() -> None:
    todo = grid_races(Grid(kernels=("vadd", "polymul"), bits=(61,), sizes=(8, 16), negacyclic=True))
    assert [(race.kernel, race.spec.width, race.n, race.spec.n) for race in todo] == [
        ("vadd", 61, 8, 0), ("vadd", 61, 16, 0), ("polymul, negacyclic", 61, 8, 8), ("polymul, negacyclic", 61, 16, 16),
    ]  # fmt: skip


def test_a_grid_of_inverse_transforms_and_extensions() -> None:
    todo = grid_races(Grid(kernels=("intt", "lde"), bits=(61,), sizes=(8,), negacyclic=True))
    assert [(race.kernel, str(race.spec.kind), race.spec.inverse) for race in todo] == [
        ("intt, negacyclic", "ntt", True), ("lde, blowup 2", "lde", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kernels": ("fft",)}, "kernel: expected one of the kernels ntt, polymul, basemul, vadd, vsub, vmul"),
        ({"targets": ("vax",)}, "target: expected a target such as c, "),
        ({"bits": (3,)}, "modulus_bits: expected between 4 and 2048 bits, got 3"),
        ({"bits": (8,), "sizes": (4096,)}, "modulus_bits: expected enough bits for a prime q such that 8192 divides"),
        ({"bits": (4000,)}, "modulus_bits: expected between 4 and 2048 bits, got 4000"),
        ({"sizes": (100,)}, "n: expected a power of two from 2 to 67108864, got 100"),
        ({"kernels": ("vadd",), "sizes": (0,)}, "n: expected a length from 1 to 16777216, got 0"),
        ({"rivals": (Path("none.so"),)}, r"baseline: expected the path of a shared library \(\.so\), got none\.so"),
        ({"columns": 0}, "columns: expected at least 1, got 0"),
        ({"columns": 4, "kernels": ("vadd",)}, "`columns` does not apply to vadd"),
        ({"rounds": 0}, "repetitions: expected at least 1, got 0"),
    ],
)
def test_grids_that_cannot_be(change: dict[str, Any], message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        grid_races(Grid(**change))


# A race


def small(**change: Any) -> tuple[list[Point], dict[str, Point]]:
    grid = Grid(**{"bits": (60,), "sizes": (32,), "targets": ("c", "c64"), "rounds": 3, **change})
    (race,) = grid_races(grid)
    points = sweep_race(race, grid)
    return points, {point.name: point for point in points}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_small_race(kernel: str) -> None:
    points, found = small(kernels=(kernel,))
    assert not any(point.wrong for point in points)
    for name in ("c", "c64"):
        ns = found[name].ns
        assert ns and 0 < ns.low <= ns.median <= ns.high and 1 <= ns.count <= 3 and not found[name].baseline
    titles = {row.title for row in LIBRARIES.values()}
    assert {name for name in found if found[name].baseline} == titles
    assert all(point.ns or point.note for point in points)
    assert (found["hand-written"].ns is not None) == (kernel in ("ntt", "intt"))


def test_a_race_of_columns_has_no_baselines(tmp_path: Path) -> None:
    points, found = small(columns=3, sizes=(8,))
    assert list(found) == ["c", "c64"] and not any(point.wrong for point in points)
    assert all(point.kernel == "ntt, 3 columns" and point.unit == "butterfly" and point.ns for point in points)
    rival = tmp_path / "libmine.so"
    rival.touch()
    with pytest.raises(MomagenError, match="cannot be measured with `columns`"):
        grid_races(Grid(columns=3, rivals=(rival,)))


def own_library(folder: Path, name: str, source: str) -> Path:
    """A user's library libNAME.so."""
    return Path(shutil.copy(compile_shared(source, name=name, flags=["-std=gnu99"]), folder / f"lib{name}.so"))


def test_a_race_with_a_library_of_ones_own(tmp_path: Path) -> None:
    source = (folder("scripts/baselines") / "scalar_word.c").read_text()
    right = own_library(tmp_path, "mine", source.replace("scalar_word_", "mine_"))
    broken = source.replace("scalar_word_", "broken_").replace("*x = a + b,", "*x = a + b + 1,")
    wrong = own_library(tmp_path, "broken", broken)
    _, found = small(rivals=(right, wrong), plain=True)
    assert list(found) == ["c", "c64", "mine", "broken"]
    assert found["mine"].ns and not found["mine"].wrong and found["broken"].wrong


def test_a_target_that_this_cpu_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512f")
    _, found = small(targets=(), plain=True)
    assert found["c"].ns and found["avx512"].ns is None and found["avx512"].floor is None
    assert "this CPU lacks avx512f, which the target needs" in found["avx512"].note


@counting
def test_a_target_that_this_cpu_lacks_is_counted_where_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512f")
    points, found = small(targets=("c", "avx512"), plain=True)
    point = found["avx512"]
    assert point.ns is None and point.floor and point.floor.cycles is None and point.over_floor is None
    assert point.note.startswith("only counted: no avx512f")
    row = point.row()
    assert 0 < point.floor.uops < float(str(row["instructions"])) and row["spill_loads"] is not None
    assert missing(points) == {} and [len(rows) for _, rows in races(points)] == [2]


def test_a_cyclic_baseline_runs_in_a_negacyclic_race(tmp_path: Path) -> None:
    source = (folder("scripts/baselines") / "scalar_word.c").read_text().replace("scalar_word_", "cyclic_")
    source = source.replace('!strcmp(kernel + inverse, "ntt_negacyclic")', "0")
    path = own_library(tmp_path, "cyclic", source)
    _, found = small(negacyclic=True, rivals=(path,), plain=True)
    assert (found["cyclic"].note, found["cyclic"].wrong) == ("cyclic", False) and found["cyclic"].ns


def test_vectors_are_measured_on_several_placements() -> None:
    """The kernel and what it is held against on as many; no two of the kernel's share a buffer."""
    grid = Grid(kernels=("vadd",), bits=(60,), sizes=(64, ROOM // 32, 1 << 24), targets=("c",), rounds=3)
    races = list(grid_races(grid))
    assert [placements(race) for race in races] == [PLACES, 1, 1]
    assert [placements(race) for race in grid_races(replace(grid, kernels=("polymul",), sizes=(64,)))] == [1]
    entries = contestants(races[0], grid)
    assert {len(entry.calls) for entry in entries.values()} <= {0, PLACES} and len(entries["c"].calls) == PLACES
    assert len({call.job.z for call in entries["c"].calls} | {call.job.x for call in entries["c"].calls}) == 2 * PLACES


def test_outputs_are_compared() -> None:
    call = TimedCall.__new__(TimedCall)
    entries = {
        "first": SweepEntry([call], to_words([3, 1, 2], 1)), "same": SweepEntry([call], to_words([3, 1, 2], 1)),
        "turned": SweepEntry([call], to_words([1, 2, 3], 1)),
        "set": SweepEntry([call], to_words([1, 2, 3], 1), unordered=True),
        "other": SweepEntry([call], to_words([1, 2, 4], 1), unordered=True), "none": SweepEntry([call], None),
    }  # fmt: skip
    assert different(entries) == {"turned", "other"}
    assert different({}) == set()


def test_reasons_are_short() -> None:
    compiler = MomagenError("C that gcc compiles", "exit code 1", "ntl.c", "ntl.c:2: no NTL/FFT.h; command: gcc")
    assert reason(compiler) == "ntl.c:2: no NTL/FFT.h"
    assert reason(MomagenError("a", "b", "c", "d; e")) == "c: expected a, got b (d; e)"


# What is written, of recorded figures


def point(name: str, bits: int, n: int, cycles: float, floor: float | None = None, **more: Any) -> Point:
    ns, spread = (Spread(x, x * 0.9, x * 1.2, 40) for x in (cycles / 2.5, cycles))
    done = Work({}, 3 * (floor or 0), stores=0.25, loads=0.5)
    bound = Floor(floor, "vector uops 2/cycle", 2 * floor, done) if floor else None
    return Point("ntt", bits, n, name, ns=ns, cycles=spread, floor=bound, **more)


RECORDED = [
    row
    for bits, factor in ((60, 1.0), (124, 4.0))
    for n, more in ((1024, 1.05), (4096, 1.0), (16384, 0.98))
    for row in (
        point("avx512", bits, n, 2.1 * factor * more, 1.7 * factor),
        point("c", bits, n, 3.6 * factor * more, 3.0 * factor),
        point("hand-written", bits, n, 7.5 * factor * more, baseline=True),
        point("GMP mpz", bits, n, 210 * more + 8 * factor, baseline=True),
        Point("ntt", bits, n, "NTL", baseline=True, note="no | NTL"),
    )
]  # fmt: skip


def test_a_row_has_every_column() -> None:
    row = RECORDED[0].row()
    assert tuple(row) == COLUMNS
    assert (row["kernel"], row["modulus_bits"], row["n"]) == ("ntt", 60, 1024)
    assert (row["name"], row["unit"]) == ("avx512", "butterfly")
    assert row["cycles"] == pytest.approx(2.205) and row["ns_p10"] == pytest.approx(2.205 / 2.5 * 0.9)
    assert (row["samples"], row["uops"], row["floor"], row["floor_by"]) == (40, 3.4, 1.7, "vector uops 2/cycle")
    assert (row["instructions"], row["spill_stores"], row["spill_loads"]) == (pytest.approx(5.1), 0.25, 0.5)
    assert row["over_floor"] == pytest.approx(2.205 / 1.7)
    absent = RECORDED[4].row()
    assert (absent["cycles"], absent["floor"], absent["samples"], absent["note"]) == (None, None, 0, "no | NTL")
    assert (absent["instructions"], absent["spill_stores"]) == (None, None)


def test_csv_and_json_hold_all_points() -> None:
    lines = list(csv.DictReader(io.StringIO(as_csv(RECORDED))))
    assert len(lines) == len(RECORDED) == 30 and lines[4]["cycles"] == ""
    assert float(lines[1]["cycles"]) == RECORDED[1].row()["cycles"]
    rates = Rates({("alone", "vector", "zmm"): 1.99, ("mixed", "low multiply", "zmm"): 1.4})
    data = json.loads(as_json({"cpu": "x"}, rates, RECORDED))
    assert (data["machine"], data["instructions_per_cycle"]) == ({"cpu": "x"}, {"vector zmm": 2.0})
    assert data["streams"] == {"alone vector zmm": 1.99, "mixed low multiply zmm": 1.4}
    assert data["points"] == [row.row() for row in RECORDED]


def test_races_and_who_is_missing() -> None:
    titles = [title for title, _ in races(RECORDED)]
    assert titles[0] == "ntt, 60-bit modulus, 1024 points: per butterfly" and len(titles) == 6
    assert all(len(rows) == 4 for _, rows in races(RECORDED))
    assert missing(RECORDED) == {"NTL": "no | NTL"}
    ((title, _),) = races([replace(RECORDED[0], kernel="vadd")])
    assert title == "vadd, 60-bit modulus, 1024 elements: per element"


def test_markdown_rows() -> None:
    text = markdown("T", [RECORDED[0], RECORDED[3], replace(RECORDED[1], wrong=True), RECORDED[4]])
    assert "| avx512 | 2.21 | 1.98 … 2.65 | 0.882 | 3.4 | 0.75 | 1.7 | 1.3 | vector uops 2/cycle |  |" in text
    assert "| GMP mpz | 228 |" in text and "| FAIL: wrong output |" in text and "no \\| NTL" in text


@pytest.mark.thorough
def test_plots_of_recorded_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    import matplotlib.image

    files = plot.draw(RECORDED, tmp_path, "png")
    assert [path.name for path in files] == [
        "ntt_cycles_by_n.png", "ntt_cycles_by_bits.png", "ntt_ns_by_n.png", "ntt_ns_by_bits.png",
    ]  # fmt: skip
    for path in files:
        pixels = (matplotlib.image.imread(path)[..., :3] * 255).round().astype(int)
        assert pixels.shape[0] > 400 and pixels.shape[1] > 800
        colours = {tuple(colour) for colour in np.unique(pixels.reshape(-1, 3), axis=0)}
        for colour in COLOURS[:2] + GREYS[:2]:  # two targets, two baselines
            assert tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5)) in colours, colour
    one_width = [row for row in RECORDED if row.bits == 60]
    cycles, ns = plot.draw(one_width, tmp_path, "svg")
    assert "<!-- ns per butterfly -->" in ns.read_text() and "port floor" not in ns.read_text()
    text = cycles.read_text()
    for label in ("avx512", "GMP mpz", "port floor, in the target's colour", "60-bit modulus", "cycles per butterfly"):
        assert f"<!-- {label} -->" in text, label


def figure(axis: str, panels: str) -> Any:
    pytest.importorskip("matplotlib")
    rows = [row for row in RECORDED if row.ns]
    return renderer.figure_of(plot.picture_of(rows, "cycles", axis, panels, "ntt"))


def marks(ax: Any, marker: str | None = None) -> list[Any]:
    """The lines of a panel, or those of one marker; the legend's own are empty."""
    lines = [line for line in ax.get_lines() if len(line.get_xdata())]
    return [line for line in lines if line.get_marker() == marker] if marker else lines


def test_no_line_joins_different_widths() -> None:
    for ax in figure("bits", "n").axes:
        assert len(marks(ax)) == 6 and {line.get_linestyle() for line in marks(ax)} == {"None"}
    joined = [line for ax in figure("n", "bits").axes for line in marks(ax) if line.get_linestyle() != "None"]
    assert len(joined) == 2 * 4 and all(list(line.get_xdata()) == [1024, 4096, 16384] for line in joined)


@pytest.mark.parametrize(("axis", "panels", "places"), [("n", "bits", 3), ("bits", "n", 2)])
def test_no_floor_hides_another(axis: str, panels: str, places: int) -> None:
    for ax in figure(axis, panels).axes:
        floors = marks(ax, "_")
        assert len(floors) == 2 and len({line.get_color() for line in floors}) == 2
        assert len({x for line in floors for x in line.get_xdata()}) == 2 * places


def test_plots_say_on_what(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    one_width = [row for row in RECORDED if row.bits == 60]
    told = caption({"cpu": "Some CPU", "momagen": "1.2", "date": "2026-11-22"}, find_compiler())
    for path in plot.draw(one_width, tmp_path, "svg", told):
        assert f"<!-- {told} -->" in path.read_text() and "Some CPU" in told and str(find_compiler()) in told


def test_names_keep_their_styles() -> None:
    looks = plot.line_looks(RECORDED)
    assert list(looks) == ["avx512", "c", "hand-written", "GMP mpz", "NTL"]
    assert [each.dashed for each in looks.values()] == [False, False, True, True, True]
    assert len({(each.colour, each.marker) for each in looks.values()}) == 5


def test_without_cycles_there_are_plots_of_ns(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    unknown = [replace(row, cycles=None) for row in RECORDED]
    assert [path.name for path in plot.draw(unknown, tmp_path, "svg")] == ["ntt_ns_by_n.svg", "ntt_ns_by_bits.svg"]


def test_plots_need_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MomagenError, match=r"`plot` needs matplotlib, which is not installed; install it \(python3"):
        plot.draw(RECORDED, tmp_path, "png")
    assert list(tmp_path.iterdir()) == []


# The whole


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Point]:
    points = [row for row in RECORDED if row.n != 4096]
    monkeypatch.setattr(
        report, "sweep_race", lambda race, grid: [p for p in points if (p.bits, p.n) == (race.spec.width, race.n)]
    )
    return points


GRID = Grid(bits=(60, 124), sizes=(1024, 16384))


def test_a_sweep_is_told_and_written(recorded: list[Point], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert report.sweep(GRID, Output(folder=tmp_path / "out")) == 0
    out = capsys.readouterr().out
    for text in ("ntt, 124-bit modulus, 16384 points: per butterfly", "vector uops 2/cycle", "missing: NTL: no | NTL"):
        assert text in out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"sweep.csv", "sweep.json", "sweep.md"}
    assert json.loads((tmp_path / "out" / "sweep.json").read_text())["points"] == [row.row() for row in recorded]
    assert "- missing: NTL: no | NTL" in (tmp_path / "out" / "sweep.md").read_text()


def test_a_sweep_for_a_program(recorded: list[Point], capsys: pytest.CaptureFixture[str]) -> None:
    assert report.sweep(GRID, Output(json=True)) == 0
    assert len(json.loads(capsys.readouterr().out)["points"]) == len(recorded)
    assert report.sweep(GRID, Output(csv=True)) == 0
    assert capsys.readouterr().out == as_csv(recorded)


def test_a_wrong_output_is_a_failure(recorded: list[Point], capsys: pytest.CaptureFixture[str]) -> None:
    recorded[0] = replace(recorded[0], wrong=True)
    assert report.sweep(GRID, Output()) == 1
    assert "FAIL: wrong output" in capsys.readouterr().out


def test_plots_need_a_folder(recorded: list[Point]) -> None:
    with pytest.raises(MomagenError, match="`plot` needs a folder for the plots; add `output`"):
        report.sweep(GRID, Output(plot="png"))
    with pytest.raises(MomagenError, match="plot: expected one of the formats png, svg, got gif"):
        report.sweep(GRID, Output(plot="gif", folder=Path("nowhere")))
