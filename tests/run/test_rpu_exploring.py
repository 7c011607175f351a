"""Sweeps of designs and reports: in parallel as alone, on the command line, and what they refuse."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from momagen.cli import main
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.papers.rpu.explore import report, studies
from momagen.papers.rpu.explore.measures import Studied, off_chip, own_figures, study_figures, theoretical
from momagen.papers.rpu.explore.pool import Step, jobs_of, outcomes
from momagen.papers.rpu.explore.report import AREA, OWN, rows_of
from momagen.papers.rpu.explore.stated import stated
from momagen.papers.rpu.explore.studies import SLOW, RpuStudy
from momagen.papers.rpu.explore.sweep import DesignPoint, SweepGrid, label, marked, ranked
from momagen.papers.rpu.explore.trial import SCHEDULES, Outcome, RpuTrial, run_trial
from momagen.papers.rpu.model.area import area
from momagen.papers.thresholds import PASS
from momagen.rpu.machine import design
from momagen.rpu.machine.design import load_design
from momagen.rpu.programs.transform import RpuTransform
from momagen.rpu.programs.writer import transform_program
from momagen.simulate.cycles import count_cycles

pytestmark = pytest.mark.study

PAPER = load_design("rpu-paper")
GRID = SweepGrid(PAPER, (64, 128), (32, 128), 1024, "unpacked", "timed")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_trial_is_the_program_of_ntt(schedule: str) -> None:
    spec = make_spec("ntt", n=2048, bits=128, negacyclic=True, target="c")
    of = RpuTransform(2048, spec.modulus, spec.root, True, flow="pease")
    program = transform_program([of], PAPER, steps=SCHEDULES[schedule])
    slow = PAPER.having(interval=2)
    found = run_trial(RpuTrial("", PAPER, 2048, "pease", schedule, [{"interval": 2}]))
    right = [count_cycles(program.instructions, each).cycles for each in (PAPER, slow)]
    assert [found.cycles, *found.also] == right and right[0] < right[1]
    assert sum(found.instructions.values()) == len(program.instructions)
    assert sum(found.waits.values()) + len(program.instructions) <= right[0]


def test_parallel_is_serial() -> None:
    alone = outcomes(GRID.trials(), 1)
    steps: list[str] = []
    assert outcomes(GRID.trials(), 2, steps.append) == alone
    assert [*alone] == ["(64,32)", "(64,128)", "(128,32)", "(128,128)"] and sorted(steps) == sorted(alone)
    assert alone["(128,128)"].cycles < alone["(64,128)"].cycles and alone["(64,32)"].cycles > 0


def test_errors_of_other_processes_arrive() -> None:
    trial = RpuTrial("bad", PAPER, 1024, "unpacked", "timed", [{"interval": 9999}])
    with pytest.raises(MomagenError, match="from 1 to 1024, got 9999"):
        outcomes([trial, *GRID.trials()], 2)
    with pytest.raises(MomagenError, match=r"--jobs: expected from 1 to 1024 processes, got 0"):
        jobs_of(0)
    assert jobs_of(3) == 3 and jobs_of(None) >= 1


def point(hples: int, microseconds: float, mm2: float) -> DesignPoint:
    return DesignPoint(hples, 32, 1, microseconds, mm2, 1.0, {})


def test_pareto_points() -> None:
    """Of what is as fast, the smaller; equal ones stand side by side."""
    given = [point(1, 4, 1), point(2, 2, 2), point(3, 2, 3), point(4, 1, 8), point(5, 1, 8), point(6, 5, 9)]
    assert [each.hples for each in marked(given) if each.pareto] == [1, 2, 4, 5]
    assert [each.hples for each in ranked(given)[:2]] == [1, 2] and given[0].per_area == 250


def test_the_paper_s_formulas() -> None:
    """Section VI-G: the runtimes 6.7 and 1.5 µs are 1.37 and 1.41 times n·log2(n)/(HPLEs·f); HBM2 is 0.041 µs below
    a transform of 16K points, which is 2.77 % of it."""
    assert 6.7 / theoretical(65536, 128, 1.68) == pytest.approx(1.38, rel=0.01)
    assert off_chip(16384) == pytest.approx(0.041 / 0.0277 - 0.041, rel=0.07)
    assert own_figures()["f1_own"] == pytest.approx(1500 * 12.61 / (2864 * 11.32))


def pretended(trial: RpuTrial) -> Outcome:
    """In the place of a simulation: as long as work and lanes say, naive twice that."""
    cycles = trial.n * 16 // trial.design.hples * (1 + (trial.schedule == "naive")) * trial.design.interval
    also = [cycles * each.get("interval", 1) for each in trial.also]
    joules = dict.fromkeys(("law", "vrf", "vdm", "vbar", "sbar"), 2.0)
    counts = {"compute": 1024, "shuffle": 1920, "load/store": 1272}
    return Outcome(cycles, cycles / trial.design.clock / 1e3, joules, also, counts, counts)


def all_pretended(trials: Sequence[RpuTrial], jobs: int, step: Step, kept: object) -> dict[str, Outcome]:
    return {trial.label: pretended(trial) for trial in trials}


def studied(quick: bool = False) -> Studied:
    study = RpuStudy(PAPER, quick)
    return Studied(study, {trial.label: pretended(trial) for trial in study.trials()}, {1024: 1e5, 65536: 2e7})


@pytest.mark.parametrize("quick", [False, True])
def test_every_stated_figure_is_measured(quick: bool) -> None:
    """By hand: 65536·16/128 cycles; II = 2 takes twice, naive twice; 256 HPLEs are twice as fast as 128."""
    found = study_figures(studied(quick))
    assert found["us_64"] == pytest.approx(8192 / 1680) and found["ratio_64"] == pytest.approx(1)
    assert found["interval_same"] == found["interval_again"] == 100 and found["load_store_same"] == 0
    assert found["interval_3"] == 1.5 and found["speedup"] == 2 and found["more_hples"] == 2
    assert found["more_banks"] == 1 and found["runtime_at_4"] == pytest.approx(1.29 / 1.68)
    assert found["power"] == pytest.approx(10 / found["us_64"]) and found["naive_wait"] == 1920
    assert found["cpu_most"] == pytest.approx(2e4 / found["us_64"]) and found["ratio_rises"] == 0
    rows = rows_of([studied(quick)])
    assert {row.stated.key for row in rows} == {*stated()}
    assert {row.machine for row in rows} == {"rpu-paper", AREA, OWN}


def test_a_study_simulates_each_slower_machine() -> None:
    labels = [trial.label for trial in RpuStudy(PAPER).trials()]
    assert len({*labels}) == len(labels)
    assert {f"{name} {count}" for name, *counts in SLOW.values() for count in counts} <= {*labels}
    assert {label(4, 32), label(256, 256), label(64, 64), "naive 256", "points 1024", "points 65536"} <= {*labels}
    assert len(RpuStudy(PAPER, quick=True).trials()) < len(labels)
    assert studies.FLOW == "pease" and studies.OPTIMISED == "placed"


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "outcomes", all_pretended)
    monkeypatch.setattr(report, "nanoseconds", lambda sizes, step: dict.fromkeys(sizes, 1e6))


@pytest.mark.thorough
def test_a_report_is_written(pretend: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    words = ["rpu", "report", "--quick", "--machine", "rpu-best", "--output", str(tmp_path / "out")]
    assert main(words) == 0
    assert "rpu-best: " in capsys.readouterr().out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    for figure in ("3", "4", "5ab", "5c", "6", "7", "8", "9", "10"):
        name = f"rpu-best-figure-{figure}.svg"
        assert name in names and "rpu-best: " in (tmp_path / "out" / name).read_text(encoding="utf-8")
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| 9 | abstract | (128,128), 64K points | 6.7 µs | 4.876 µs | rpu-best | -27.2 % | ± 10 % | miss |" in text
    assert "| 7 | VI-F | II = 2: more cycles, the same program | 16 % | 100 % | rpu-best | +84.0 points |" in text
    data = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert {row["machine"] for row in data["rows"]} == {"rpu-best", AREA, OWN}
    assert len(data["sweeps"]["rpu-best"]["designs"]) == 16


def test_a_sweep_is_told_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    words = ["rpu", "sweep", "--n", "1024", "--hples", "128,64", "--banks", "32,128", "--jobs", "1"]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["machine"], told["n"], told["flow"], told["schedule"]) == ("rpu-paper", 1024, "unpacked", "timed")
    by = {(each["hples"], each["banks"]): each for each in told["designs"]}
    assert [*by] == [(64, 32), (64, 128), (128, 32), (128, 128)]
    assert by[128, 128]["mm2"] == pytest.approx(20.5) and by[128, 128]["pareto"]
    assert by[64, 32]["parts"] == pytest.approx(area(PAPER.having(hples=64, banks=32)))
    assert main(["rpu", "ntt", "--n", "1024", "--negacyclic", "--json"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert alone["cycles"] == by[128, 128]["cycles"]
    assert by[128, 128]["microjoules"] == pytest.approx(sum(alone["microjoules"].values()))
    assert main([*words, "--output", str(tmp_path / "out")]) == 0
    assert "P/A" in capsys.readouterr().out
    assert json.loads((tmp_path / "out" / "sweep.json").read_text(encoding="utf-8")) == told
    for name in ("area-latency", "performance-per-area"):
        assert "rpu-paper" in (tmp_path / "out" / f"{name}.svg").read_text(encoding="utf-8")


BAD = [
    (["report"], "--output FOLDER, got none"), (["sweep", "--hples", "3"], "a power of two from 1 to 512, got 3"),
    (["sweep", "--banks", "16"], "`ghz` has a clock rate"), (["sweep", "--hples", "4,4"], "different numbers, got 4,4"),
    (["sweep", "--jobs", "0"], "from 1 to 1024 processes"), (["sweep", "--n", "512", "--output", "x"], "1024 to 65536"),
    (["sweep", "--schedule", "best"], "one of the schedules"), (["sweep", "--flow", "radix"], "the data flows"),
    (["sweep", "--inverse"], "no option --inverse"), (["sweep", "--quick"], "no option --quick"),
    (["report", "--n", "1024", "--output", "x"], "no option --n"), (["ntt", "--jobs", "2"], "no option --jobs"),
    (["sim", "a.s", "--hples", "4"], "no option --hples"), (["sweep", "a.s"], "no file"),
    (["report", "--machine", "rpu-paper,rpu-bets", "--output", "x"], "did you mean rpu-best"),
    (["report", "--machine", "rpu-paper,rpu-paper", "--output", "x"], "machines of different names"),
    (["sweep", "--machine", "rpu-paper,rpu-best"], "the name of a .toml file, or one of the machines"),
    (["sweep", "--hples", "512", "--banks", "32,16", "--output", "x"], "for which `ghz` has a clock rate, got 16"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), BAD)
def test_bad_input_is_one_line_and_2_and_nothing_is_written(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["rpu", *words]) == 2
    error = capsys.readouterr().err
    assert expected in error and error.count("\n") == 1
    assert not [*tmp_path.iterdir()]


def test_a_machine_without_the_paper_s_banks_has_no_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (design.FOLDER / "rpu-paper.toml").read_text(encoding="utf-8").replace("banks = 128", "banks = 64")
    (tmp_path / "few.toml").write_text(text.replace("128 = 1.68\n", ""), encoding="utf-8")
    words = ["rpu", "report", "--machine", str(tmp_path / "few.toml"), "--output", str(tmp_path / "out")]
    assert main(words) == 2 and "for which `ghz` has a clock rate, got 128" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("action", ["sweep", "report"])
def test_pictures_need_matplotlib_before_any_work(
    action: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["rpu", action, "--output", str(tmp_path / "out")]) == 2
    assert "needs matplotlib, which is not installed" in capsys.readouterr().err and not [*tmp_path.iterdir()]


def test_machines_stand_side_by_side(pretend: None) -> None:
    found = report.make_report([RpuStudy(load_design("rpu-late"), True), RpuStudy(PAPER, True)], 1)
    assert [row.machine for row in found.rows if row.stated.key == "us_64"] == ["rpu-late", "rpu-paper"]
    assert [each.study.machine.name for each in found.studied] == ["rpu-late", "rpu-paper"]


def test_a_folder_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert main(["rpu", "sweep", "--output", str(tmp_path / "file")]) == 2
    assert "--output: expected a writable folder" in capsys.readouterr().err


def test_trials_travel(tmp_path: Path) -> None:
    trial = RpuTrial("one", PAPER, 1024, "pease", "placed", [{"interval": 2}])
    assert RpuTrial.of(json.loads(json.dumps(trial.to_dict()))) == trial
    with pytest.raises(MomagenError, match="one of the data flows pease"):
        replace(trial, flow="none")


MET = (
    "us_64",
    "ratio_1",
    "ratio_64",
    "interval_again",
    "load_store_same",
    "speedup",
    "computes",
    "shuffles",
    "rank_128",
)
"""Stated figures whose bars both machines meet."""


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["rpu-paper", "rpu-late"])
def test_the_paper_s_figures_are_met(machine: str) -> None:
    study = RpuStudy(load_design(machine))
    found = study_figures(Studied(study, outcomes(study.trials(), jobs_of(None)), {}))
    verdicts = {key: stated()[key].verdict(found[key]) for key in MET}
    assert verdicts == dict.fromkeys(MET, PASS)
