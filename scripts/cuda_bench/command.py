"""The command line: ``prepare`` where there is the generator, ``run`` where there is a GPU, ``plot`` anywhere."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from momagen.errors import MomagenError

from .machine import DryMachine, GpuMachine
from .prepared import SUMMARY, read_row, write_row
from .results import Results
from .rows import BenchRow, dry_rows, rows
from .running import Run, Task

RESULTS = Path(__file__).resolve().parents[1] / "results"
ABOUT = """Verify and measure kernels on a GPU.

  prepare FOLDER   generate and compile every kernel; needs momagen and NVRTC, no GPU, and may go on where it stopped
  run [FOLDER]     measure; with FOLDER it needs Python, CuPy, NumPy and this repository, without it the generator, too
  plot RESULTS     draw figures of the MoMA paper, as `momagen paper moma --results RESULTS` does; needs matplotlib"""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="bench_cuda.py", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--dry", action="store_true", help="try it without a GPU: a few short kernels as PTX on the CPU")
    parts = made.add_subparsers(dest="part")
    for name in ("prepare", "run"):
        part = parts.add_parser(name)
        part.add_argument("folder", type=Path, nargs=None if name == "prepare" else "?", help="of prepared kernels")
        part.add_argument("--only", default="", metavar="TEXT", help="rows whose name has TEXT in it: ntt-128-, blas")
        part.add_argument("--target", default="cuda_sm90", help="momagen's target (default: cuda_sm90)")
        part.add_argument("--minutes", type=float, default=7.5 if name == "run" else 1e6, help="begin nothing after it")
    prepare = parts.choices["prepare"]
    prepare.add_argument("--arch", action="append", metavar="SM", help="as sm_90, the default; may be repeated")
    prepare.add_argument("--jobs", type=int, default=1, help="kernels at a time (default: 1)")
    parts.choices["run"].add_argument("--results", type=Path, help="file (default: scripts/results/DEVICE-DATE.json)")
    parts.add_parser("plot").add_argument("results", type=Path)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all well; 1: a kernel is wrong or failed; 2: bad input, or no GPU."""
    given = parser().parse_args(arguments)
    try:
        if given.dry:
            return _dry()
        if given.part == "prepare":
            return _prepare(given)
        if given.part == "run":
            return _run(given)
        if given.part == "plot":
            return _plot(given.results)
    except (MomagenError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    parser().print_help()
    return 2


def _plot(path: Path) -> int:
    """Write the tables and figures of the MoMA paper with these results to a folder beside the file."""
    from momagen.cli import main as momagen  # a run on a GPU needs none of it

    folder = path.with_suffix("")
    return momagen(["paper", "moma", "--results", str(path), "--output", str(folder), "--plot", "svg"])


def _dry() -> int:
    """Without a GPU: verified on the CPU; times mean nothing and are not kept."""
    print("dry run: PTX on the CPU. The times below mean NOTHING.")
    machine = DryMachine()
    run = Run(machine, Results(None, machine.describe()), minutes=10)
    run.device()
    return 1 if run.rows(_made(dry_rows(), "cuda", ())) else 0


def _run(given: argparse.Namespace) -> int:
    machine = GpuMachine()
    told = machine.describe()
    day = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M")
    path = given.results or RESULTS / f"{told['device'].replace(' ', '-').lower()}-{day}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    run = Run(machine, Results(path, told), given.minutes)
    run.device()
    chosen = [row for row in rows() if given.only in row.name]
    tasks = _read(given.folder, chosen) if given.folder else _made(chosen, given.target, ())
    bad = run.rows(tasks)
    print(path)
    return 1 if bad else 0


def _prepare(given: argparse.Namespace) -> int:
    """Every row that is not there yet; those that the generator refuses stand in SUMMARY with the reason.

    Rows that the time did not suffice for are told as left, and are not in SUMMARY: the next call begins with them.
    """
    given.folder.mkdir(parents=True, exist_ok=True)
    archs, end = given.arch or ["sm_90"], time.monotonic() + 60 * given.minutes
    summary = given.folder / SUMMARY
    known: dict[str, str] = json.loads(summary.read_text(encoding="utf-8")) if summary.exists() else {}
    left = [row for row in rows() if given.only in row.name and known.get(row.name) != ""]
    begun: set[str] = set()
    for name, why in _kept(given, left, archs, end):
        begun.add(name)
        known[name] = why
        summary.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        print(name, why or "prepared", flush=True)
    for row in left:
        if row.name not in begun:
            print(row.name, "left")
    return 0


def _kept(given: argparse.Namespace, left: list[BenchRow], archs: list[str], end: float) -> Iterator[tuple[str, str]]:
    """The name of each row that was begun before ``end``, and why preparing it failed, as they are done."""
    if given.jobs == 1:
        for row in left:
            if time.monotonic() < end:
                yield _keep(given.folder, row, given.target, archs)
        return
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait

    waiting, running = list(left), set[Future[tuple[str, str]]]()
    with ProcessPoolExecutor(given.jobs) as pool:
        while True:
            # no more than there are processes, so that what is handed over is begun at once
            while waiting and len(running) < given.jobs and time.monotonic() < end:
                running.add(pool.submit(_keep, given.folder, waiting.pop(0), given.target, archs))
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (each.result() for each in finished)


def _keep(folder: Path, row: BenchRow, target: str, archs: Sequence[str]) -> tuple[str, str]:
    """Prepare one row; its name, and why that failed."""
    from .prepare import attempt  # the generator: a machine that only runs need not have what it imports

    made, why = attempt(row, target, archs)
    for each in made:
        write_row(folder, each)
    return row.name, why


def _made(chosen: Sequence[BenchRow], target: str, archs: Sequence[str]) -> Iterator[Task]:
    """Rows generated as they are needed."""
    from .prepare import attempt

    for row in chosen:
        yield (row.name, *attempt(row, target, archs))


def _read(folder: Path, chosen: Sequence[BenchRow]) -> Iterator[Task]:
    """Rows that were prepared; the others with the reason."""
    known = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    for row in chosen:
        if why := known.get(row.name, "not prepared"):
            yield row.name, (), why
            continue
        names = [row.name, *[f"{row.name}-inverse"] * (row.n > 0)]
        yield row.name, [read_row(folder, name) for name in names], ""
