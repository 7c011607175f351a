"""Speed of light, Equation (13), and what papers say of other hardware: recomputed from their text."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import pytest
from rich.console import Console

from momagen.errors import MomagenError
from momagen.isa.cores.cpus import load_cpu
from momagen.papers.mqx.sol.papers import SHIPPED, load_papers, read_papers
from momagen.papers.mqx.sol.report import SpeedOfLight, draw, speeds_of_light, tables
from momagen.papers.mqx.sol.speed_of_light import (
    MeasuredSeries,
    butterflies,
    compare,
    in_cycles,
    on_par,
    project,
    speed_of_light,
)

pytestmark = pytest.mark.study

XEON, EPYC = "xeon-6980p", "epyc-9965s"
PAPERS = load_papers()

# Equation (13)


def test_the_equation_by_hand() -> None:
    epyc = load_cpu(EPYC)
    assert speed_of_light(1.0, 3.7, epyc) == pytest.approx(3.7 / (192 * 3.35))  # the paper's simplification, c1 = 1
    assert speed_of_light(643.2e-6, 1.0, epyc) == pytest.approx(1e-6)  # 192 · 3.35 = 643.2
    assert speed_of_light(1e-3, 2.0, load_cpu(XEON), cores=4) == pytest.approx(1e-3 * 4 / 128 * 2 / 3.2)


def test_cycles_need_no_clock() -> None:
    n = 1 << 12
    measured = MeasuredSeries("ns", {n: 2.0e-9 / 3.7 * butterflies(n)}, 3.7)
    cpus = [load_cpu(XEON)]
    first, second = project([measured, in_cycles("cycles", {n: 2.0})], cpus)
    assert first.seconds == pytest.approx(second.seconds)
    assert second.row()["ns_per_butterfly"] == pytest.approx(2.0 / (128 * 3.2))
    assert butterflies(1024) == 5120  # n/2 · log2 n


def test_a_cpu_whose_cores_have_no_common_clock_is_refused() -> None:
    with pytest.raises(MomagenError, match="all_core_ghz"):
        project([in_cycles("x", {1024: 1.0})], [load_cpu("epyc-7502")])


@pytest.mark.parametrize(
    ("seconds", "ghz", "cores", "message"),
    [
        ({}, 3.0, 1, "series x: the series has no sizes"),
        ({1: 1.0}, 3.0, 1, "expected at least 2 points, and a finite time above 0 seconds, got n = 1 in"),
        ({1024: 0.0}, 3.0, 1, "expected at least 2 points, and a finite time above 0 seconds, got n = 1024 in"),
        ({1024: math.nan}, 3.0, 1, "expected at least 2 points, and a finite time above 0 seconds, got n = 1024 in"),
        ({1024: 1.0}, 0.0, 1, "a clock above 0 GHz"),
        ({1024: 1.0}, 3.0, 0, "at least 1 core"),
    ],
)
def test_no_series_without_times(seconds: dict[int, float], ghz: float, cores: int, message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        MeasuredSeries("x", seconds, ghz, cores)


# What the papers say, of one another


def test_what_section_6_says_of_192_cores() -> None:
    """2.5 times the RPU with ideal scaling: on par at 77 times one core, and 1.6 times slower at 48."""
    said = PAPERS.ratio(EPYC, "rpu")
    assert said and said[0] == 2.5
    needed = on_par(load_cpu(EPYC).cores, said[0])
    assert round(needed) == 77 and round(needed / 48, 1) == 1.6


def test_times_of_the_rpu_follow_from_its_text() -> None:
    def theoretical(n: int) -> float:
        return n * math.log2(n) / (128 * 1.68e9)  # its Section VI-G, at the clock of Section VI-B

    seconds = PAPERS.seconds("rpu")
    assert seconds[1024] == pytest.approx(3.86 * theoretical(1024), rel=1e-4)
    assert seconds[65536] == pytest.approx(1.38 * theoretical(65536), rel=0.01)
    assert seconds[16384] == pytest.approx(0.041e-6 / 0.0277, rel=0.02)  # "0.041us …, 2.77% of 16K NTT's runtime"
    assert PAPERS.seconds("openfhe")[65536] == pytest.approx(1485 * 6.7e-6)


def test_the_two_gpus_agree_on_the_two_asics() -> None:
    chain = PAPERS.through("fpmm", "rpu")
    rpu, fpmm = PAPERS.ratio("moma-4090", "rpu"), PAPERS.ratio("moma-4090", "fpmm")
    assert chain and rpu and fpmm
    assert chain[0] == pytest.approx(1.4 / 1.8) and chain[0] == pytest.approx(rpu[0] / fpmm[0], rel=0.02)
    assert [(row.faster, row.slower) for row in chain[1]] == [("moma-h100", "fpmm"), ("moma-h100", "rpu")]


def test_every_figure_says_where_it_stands() -> None:
    assert all("Section" in row.source or "abstract" in row.source for row in (*PAPERS.times, *PAPERS.ratios))
    names = {load_cpu(name).name for name in (XEON, EPYC)}
    assert {system.name for system in PAPERS.systems.values() if system.kind == "SOL"} == names
    forth, back = PAPERS.ratio(XEON, "rpu"), PAPERS.ratio("rpu", XEON)
    assert forth and back and (forth[0], back[0], back[1]) == (1.3, 1 / 1.3, forth[1])
    assert PAPERS.ratio("rpu", "openfhe") is None  # a range has no average
    assert PAPERS.through("openfhe", "rpu") is None  # but by a projection, which is none


# The comparison


def test_a_series_beside_the_papers() -> None:
    """2.5 times as fast as the RPU at the sizes whose times are reported, as the paper's MQX is on average."""
    epyc = load_cpu(EPYC)
    own = {n: t / 2.5 * 192 * 3.35 for n, t in PAPERS.seconds("rpu").items()}  # of one core at 1 GHz
    series = [MeasuredSeries("mqx", own | {4096: 1.0}, 1.0)]
    found = {one.system: one for one in compare(project(series, [epyc]), [epyc], PAPERS)}
    assert list(found) == ["rpu", "fpmm", "moma-h100", "moma-4090", "openfhe"]
    rpu, fpmm, h100 = found["rpu"], found["fpmm"], found["moma-h100"]
    assert (rpu.sizes, rpu.estimate, rpu.paper) == ((1024, 16384, 65536), "", 2.5)
    assert rpu.speedup == pytest.approx(2.5) and rpu.on_par == pytest.approx(76.8)
    assert fpmm.speedup == pytest.approx(2.5 * 1.8 / 1.4) and fpmm.paper == 2.9 and "moma-h100 / fpmm" in fpmm.estimate
    assert h100.speedup == pytest.approx(2.5 / 1.4) and h100.paper == 1.7
    assert found["openfhe"].speedup == pytest.approx(2.5 * 1485) and found["openfhe"].sizes == (65536,)


def test_averages_are_geometric_over_the_sizes_of_both() -> None:
    xeon, rpu = load_cpu(XEON), PAPERS.seconds("rpu")
    own = {1024: rpu[1024] / 2 * 128 * 3.2, 65536: rpu[65536] / 8 * 128 * 3.2}
    found = {one.system: one for one in compare(project([MeasuredSeries("x", own, 1.0)], [xeon]), [xeon], PAPERS)}
    assert found["rpu"].speedup == pytest.approx(4) and found["rpu"].sizes == (1024, 65536)
    assert found["moma-h100"].paper == pytest.approx(1 / 1.4)  # where the paper is slower
    none = compare(project([in_cycles("x", {256: 1.0})], [xeon]), [xeon], PAPERS)
    assert none == []


def _found() -> SpeedOfLight:
    series = [
        in_cycles("one", {1 << k: 2.0 for k in range(10, 18)}),
        in_cycles("other", {1 << k: 3.0 for k in (10, 14)}),
    ]
    return speeds_of_light(series, [load_cpu(XEON), load_cpu(EPYC)], PAPERS)


def test_tables_and_data() -> None:
    found = _found()
    screen = Console(width=140, record=True, file=io.StringIO())
    for table in tables(found):
        screen.print(table)
    text = screen.export_text()
    for part in ("Equation (13)", "131,072", "AMD EPYC 9965S: × faster than", "≈ ", "RPU", "1,024, 16,384, 65,536"):
        assert part in text
    data = json.loads(json.dumps(found.to_dict()))
    assert len(data["times"]) == 20 and {row["system"] for row in data["comparisons"]} >= {"rpu", "fpmm"}
    assert [cpu["all_core_ghz"] for cpu in data["cpus"]] == [3.2, 3.35]


def test_a_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = draw(_found(), tmp_path, "svg")
    assert path.name == "sol.svg" and "AMD EPYC 9965S: 192 cores" in path.read_text()
    with pytest.raises(MomagenError, match="plot: expected one of the formats png, svg"):
        draw(_found(), tmp_path, "gif")


# Files


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "rpu"', 'nom = "rpu"', r"papers\.toml, \[\[system\]\] 1: expected the key “name”"),
        (
            'kind = "ASIC"',
            'kind = "asic"',
            r"\[\[system\]\] 1: did you mean ASIC\? Expected one of the kinds ASIC, GPU, CPU, core, SOL, got",
        ),
        ("sizes = [1024, 65536]", "sizes = [1024]", r"\[\[system\]\] 1, sizes: expected \[FEWEST, MOST\], the range"),
        ("us = 1.5", "us = 0", r"\[\[time\]\] 2: expected a `system` that the file describes, n >= 2 and us > 0, got"),
        ('system = "rpu"', 'system = "rpv"', r"\[\[time\]\] 1: expected a `system` that the file describes, n >= 2"),
        ("us = 1.5", 'us = "1.5"', r"\[\[time\]\] 2, us: expected a number"),
        (
            "least = 545\nmost = 1485\n",
            "",
            r"\[\[ratio\]\] 1: expected `faster` and `slower` that the file describes, and at least one of",
        ),
        ("times = 1.4", "times = -1.4", r"\[\[ratio\]\] 2: expected `faster` and `slower` that the file describes"),
        ('slower = "fpmm"', 'slower = "fpm"', r"\[\[ratio\]\] 3: expected `faster` and `slower` that the file"),
        (
            "[[ratio]]",
            "[[ratios]]",
            r"papers\.toml: expected only tables \[\[system\]\], \[\[time\]\] and \[\[ratio\]\], got ratios",
        ),
    ],
)
def test_a_broken_file_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "papers.toml"
    text = SHIPPED.read_text(encoding="utf-8")
    body = "[[system]]" + text.split("[[system]]", 2)[2]  # without the comments, which name the tables too
    assert old in body
    path.write_text(body.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(MomagenError, match=message):
        read_papers(path)
