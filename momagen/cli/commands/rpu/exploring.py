"""``momagen rpu sweep`` and ``report``: compare designs, and our figures with those of the paper."""

from __future__ import annotations

import argparse
from pathlib import Path

from momagen.bench.report.kept import EARLIER
from momagen.cli.commands.sweep import items, numbers
from momagen.cli.resume import kept_rows
from momagen.errors import MomagenError, reason
from momagen.files import write
from momagen.papers.rpu.explore.drawings import KIND, keep, per_area, trade_off
from momagen.papers.rpu.explore.pool import jobs_of, outcomes
from momagen.papers.rpu.explore.report import ExplorationReport, make_report
from momagen.papers.rpu.explore.studies import RpuStudy
from momagen.papers.rpu.explore.sweep import HPLES, DesignPoint, SweepGrid, known_banks, points_of_sweep
from momagen.papers.rpu.explore.texts import (
    COLUMNS,
    HEAD,
    cells,
    counts,
    report_json,
    report_markdown,
    sweep_cells,
    sweep_json,
)
from momagen.papers.rpu.explore.trial import Outcome
from momagen.plots import renderer
from momagen.rpu.machine.design import load_design
from momagen.rpu.programs.transform import best_flow
from momagen.screen import console
from momagen.screen.progress import Phases, counted
from momagen.screen.tables import plain_table

USUAL_POINTS, SWEPT_POINTS = 1024, 65536
USUAL_MACHINE, REPORTED = "rpu-paper", "rpu-paper,rpu-late"
EXPLORING: dict[str, object] = {"hples": None, "banks": None, "jobs": None, "quick": False}
"""The options of these actions, with their defaults."""


def add_exploring(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen rpu sweep`` and ``report``."""
    parser.add_argument(
        "--hples", metavar="H,…", help="numbers of HPLEs (lanes of the processor), for sweep (default: 4 to 256)"
    )
    parser.add_argument(
        "--banks",
        metavar="B,…",
        help="numbers of banks of the vector memory, for sweep (default: all with a known clock)",
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="number of processes, for sweep and report (default: the number of cores)"
    )
    parser.add_argument("--quick", action="store_true", help="compare fewer designs in report")


def complete(given: argparse.Namespace) -> None:
    """Set the number of points and the machine to their defaults if they are not given."""
    if given.n is None:
        given.n = SWEPT_POINTS if given.action == "sweep" else USUAL_POINTS
    if given.machine is None:
        given.machine = REPORTED if given.action == "report" else USUAL_MACHINE


def run_sweep(given: argparse.Namespace) -> int:
    """Generate and schedule a transform for all designs, and count its cycles; return the exit code."""
    machine, jobs = load_design(given.machine), jobs_of(given.jobs)
    hples, banks = numbers(given.hples, "hples") or HPLES, numbers(given.banks, "banks") or known_banks(machine)
    flow = given.flow or best_flow(given.n, machine)
    grid = SweepGrid(machine, _distinct(hples, "hples"), _distinct(banks, "banks"), given.n, flow, given.schedule)
    trials = grid.trials()
    if given.output is not None:
        renderer.check(KIND)
        _folder(given.output)
    with kept_rows(given, "sweep", Outcome) as kept:
        with Phases() as phases, phases.of("sweep") as progress:
            found = outcomes(trials, jobs, counted(progress, len(trials)), kept)
        _tell(grid, points_of_sweep(grid, found), given, kept.reused)
    return 0


def _tell(grid: SweepGrid, points: list[DesignPoint], given: argparse.Namespace, reused: int) -> None:
    """Print the designs; write data and drawings to --output, if it is given."""
    name = grid.machine.name
    if given.json:
        print(sweep_json(grid, points), end="")
    else:
        _show(f"{name}: {grid.n} points, {grid.flow}, {grid.schedule}", points)
        _show_reused(reused)
    if given.output is not None:
        write(given.output / "sweep.json", sweep_json(grid, points))
        keep(trade_off(points, name), given.output, "area-latency")
        keep(per_area(points, name), given.output, "performance-per-area")


def _show_reused(reused: int) -> None:
    """Print how many rows an interrupted run had measured."""
    if reused:
        console().print(EARLIER.format(reused), soft_wrap=True)


def _distinct(values: tuple[int, ...], where: str) -> tuple[int, ...]:
    if len({*values}) < len(values):
        raise MomagenError("different numbers", ",".join(map(str, values)), where)
    return tuple(sorted(values))


def _show(title: str, points: list[DesignPoint]) -> None:
    table = plain_table(*COLUMNS, names=2, numbers=COLUMNS, title=title)
    for each in points:
        table.add_row(*sweep_cells(each), style="bold" if each.pareto else None)
    console().print(table)
    console().print("P/A: transforms per ms per mm². Areas and energies are modelled.")


def run_report(given: argparse.Namespace) -> int:
    """Compare the figures of the paper with ours; return the exit code."""
    if given.output is None:
        raise MomagenError("--output FOLDER", "none", "rpu report")
    names = items(given.machine) or ()
    machines, jobs = [load_design(name) for name in names], jobs_of(given.jobs)
    if len({each.name for each in machines}) < len(machines):
        raise MomagenError("machines of different names", given.machine, "--machine")
    studies = [RpuStudy(each, given.quick) for each in machines]
    for each in studies:
        each.trials()  # which refuses machines that have no clock of some banks
    renderer.check(KIND)
    _folder(given.output)
    with kept_rows(given, "report", Outcome) as kept:
        with Phases() as phases, phases.of("report") as progress:
            found = make_report(studies, jobs, kept, progress)
        found.draw(given.output)
        write(given.output / "report.md", report_markdown(found))
        write(given.output / "report.json", report_json(found))
    return _report(found, given, kept.reused)


def _report(found: ExplorationReport, given: argparse.Namespace, reused: int) -> int:
    """Print the figures of the paper and ours; return 0."""
    if given.json:
        print(report_json(found), end="")
        return 0
    table = plain_table(*HEAD)
    for row in found.rows:
        table.add_row(*cells(row))
    console().print(table)
    console().print(counts(found.rows), markup=False)
    _show_reused(reused)
    console().print(f"wrote {given.output}", soft_wrap=True, markup=False)
    return 0


def _folder(path: Path) -> None:
    """Create a folder."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MomagenError("a writable folder", path, "--output", reason(error)) from None
