"""``momagen bench``: the bars of this project, or saved kernels, on this machine."""

from __future__ import annotations

import argparse
import json

from momagen.api import load
from momagen.bench import Result
from momagen.bench.suite import TITLES, Options, main
from momagen.errors import MomagenError
from momagen.screen import console

from .options import add_compiler, add_json, add_saved, path_of, seconds
from .progress import Phases
from .sweep import add_sweep, refuse_alone, run_sweep
from .verify import manifests


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run)
    add_saved(parser, "*")
    parser.add_argument(
        "--section", action="append", default=[], metavar="NAME", help=f"only {', '.join(TITLES)}; may be repeated"
    )
    parser.add_argument("--large", action="store_true", help="transforms of 2^22 points too: minutes, several GB")
    parser.add_argument(
        "--repetitions", type=int, metavar="R", help="rounds of a race at most (default: 401; of a sweep's 101)"
    )
    parser.add_argument(
        "--seconds", metavar="S", help="no round of a race starts later (default: 30; of a sweep's 3)"
    )
    parser.add_argument("--csv", action="store_true", help="CSV on standard output")
    parser.add_argument("--output", type=path_of, metavar="DIR", help="write tables and JSON there")
    add_compiler(parser)
    add_json(parser)
    add_sweep(parser)


def _run(given: argparse.Namespace) -> int:
    if given.repetitions is not None and given.repetitions < 1:
        raise MomagenError("at least 1", given.repetitions, "repetitions")
    if given.csv and given.json:
        raise MomagenError("--csv or --json", "both", "bench")
    given.seconds = None if given.seconds is None else seconds(given.seconds)
    if given.sweep:
        return run_sweep(given)
    refuse_alone(given)
    return _kernels(given) if given.paths else _bars(given)


def _bars(given: argparse.Namespace) -> int:
    limits = {"repetitions": given.repetitions, "seconds": given.seconds}
    chosen = {key: value for key, value in limits.items() if value is not None}
    told = {"json": given.json, "csv": given.csv, "folder": given.output}
    return main(Options(tuple(given.section), given.large, **chosen, **told))


def _kernels(given: argparse.Namespace) -> int:
    kernels = [load(manifest) for path in given.paths for manifest in manifests(path, "bench")]
    results = list[Result]()
    with Phases() as phases:
        for at, kernel in enumerate(kernels, 1):
            with phases.of(f"{at} of {len(kernels)}") as progress:
                progress(0.0, kernel.name)
                kernel.compile(given.compiler)
                results.append(kernel.bench())
    if given.json:
        print(json.dumps([result.to_dict() for result in results], indent=2))
    else:
        for kernel, result in zip(kernels, results, strict=True):
            emulated = ", emulated" if kernel.emulated else ""
            console().print(f"{result.kernel}: {result}{emulated}", markup=False, soft_wrap=True)
    return 0
