"""``momagen verify``: compare saved kernels with gmpy2, each in a separate process."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from momagen.api import load
from momagen.api.calls.isolated import SECONDS, verify_isolated
from momagen.cli.options import add_compiler, add_json, add_saved, seconds
from momagen.errors import MomagenError
from momagen.screen import console
from momagen.screen.progress import Phases, part_of
from momagen.signals import noting
from momagen.values.numbers import integer
from momagen.verify import Report

WARNING = """\
A saved kernel is code, which is compiled and run with your permissions. It runs in a separate process, so that a \
crash or an endless loop ends there, but this is no sandbox: verify only kernels that you would run."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen verify``."""
    parser.set_defaults(run=_run)
    parser.epilog = WARNING
    add_saved(parser, "+")
    parser.add_argument("--seed", default="0", help="seed of the random vectors (default: 0)")
    step = f"time limit of each step in seconds; compilation has its own limit of one hour (default: {SECONDS:g})"
    parser.add_argument("--seconds", default=SECONDS, metavar="S", help=step)
    add_compiler(parser)
    add_json(parser)


def manifests(path: Path, where: str = "verify") -> list[Path]:
    """Return the manifests of the kernels at ``path``: those of a folder, or the one next to a .c or .h file.

    Raises:
        MomagenError: There is none.
    """
    found = sorted(path.glob("*.json")) if path.is_dir() else [path.with_suffix(".json")]
    if not found or not found[0].is_file():
        raise MomagenError("saved kernels (NAME.c, NAME.h, NAME.json)", path, where)
    return found


def _run(given: argparse.Namespace) -> int:
    limit = seconds(given.seconds)
    kernels = [load(manifest) for path in given.paths for manifest in manifests(path)]
    seed, reports = integer(given.seed, "seed"), list[Report]()
    asked = {"compiler": given.compiler, "seed": seed, "seconds": limit}
    done = noting(lambda: f"of {len(kernels)} kernels, {_verdicts(reports) or 'none'} so far")
    with done, Phases() as phases, phases.of("verify") as progress:
        for at, kernel in enumerate(kernels):
            own = part_of(progress, at, len(kernels))
            reports.append(verify_isolated(kernel, progress=own, **asked))
    if given.json:
        print(json.dumps([report.to_dict() for report in reports], indent=2, ensure_ascii=False))
    else:
        _show(reports)
    return int(not all(report.ok for report in reports))


def _show(reports: list[Report]) -> None:
    screen = console()
    for report in reports:
        screen.print(str(report), style="" if report.ok else "bold red", markup=False, soft_wrap=True)
    style = "bold green" if all(report.ok for report in reports) else "bold red"
    screen.print(f"kernels: {_verdicts(reports)}", style=style)


def _verdicts(reports: list[Report]) -> str:
    """Return how many kernels failed, and how many passed: "1 FAIL, 2 PASS"."""
    failed = sum(not report.ok for report in reports)
    counts = {"FAIL": failed, "PASS": len(reports) - failed}
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
