"""``momagen bench``: time common kernels, saved kernels or sweeps, or run the performance acceptance tests."""

from __future__ import annotations

import argparse
import json
from functools import partial

from momagen.api import Kernel, load
from momagen.bench import Result
from momagen.bench.measure.kernel import UNTIMED
from momagen.bench.report.figure import Figure
from momagen.bench.report.report import Output
from momagen.bench.suite.quick import quick
from momagen.bench.suite.suite import ALL, TITLES, Options, main
from momagen.cli.options import add_compiler, add_json, add_saved, path_of, seconds
from momagen.cli.resume import kept_rows
from momagen.errors import MomagenError
from momagen.screen import console
from momagen.screen.progress import Phases
from momagen.signals import noting

from .sweep import add_sweep, refuse_alone, run_sweep
from .verify import manifests

SECTIONS = (
    f"run one section of the performance acceptance tests, as listed below, or {ALL} (all sections except large); may "
    "be repeated (default: none)"
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen bench``."""
    parser.set_defaults(run=_run)
    parser.epilog = "sections:\n" + "\n".join(f"  {name:<12}{title}" for name, title in TITLES.items())
    add_saved(parser, "*")
    parser.add_argument("--section", action="append", default=[], metavar="NAME", help=SECTIONS)
    parser.add_argument(
        "--large",
        action="store_true",
        help="also run the section large, which takes minutes and several GB; without --section, run all sections",
    )
    samples = "largest number of samples of each kernel (default: 101; with --section 401)"
    parser.add_argument("--repetitions", type=int, metavar="R", help=samples)
    limit = "time limit for each set of kernels in seconds (default: 1; with --sweep 3, with --section 30)"
    parser.add_argument("--seconds", metavar="S", help=limit)
    parser.add_argument("--csv", action="store_true", help="print CSV instead of text")
    parser.add_argument("--output", type=path_of, metavar="DIR", help="folder for tables and JSON (default: none)")
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
    if given.paths:
        return _kernels(given)
    if given.section or given.large:
        return _bars(given)
    return quick(Output(given.json, given.csv, given.output), given.repetitions, given.seconds, given.compiler)


def _bars(given: argparse.Namespace) -> int:
    limits = {"repetitions": given.repetitions, "seconds": given.seconds}
    chosen = {key: value for key, value in limits.items() if value is not None}
    told = {"json": given.json, "csv": given.csv, "folder": given.output}
    options = Options(tuple(given.section), given.large, **chosen, **told)
    return main(options, partial(kept_rows, given, "bench", Figure))


def _kernels(given: argparse.Namespace) -> int:
    kernels = [load(manifest) for path in given.paths for manifest in manifests(path, "bench")]
    results = list[Result | None]()
    done = noting(lambda: f"{len(results)} of {len(kernels)} kernels were timed; nothing was written")
    with done, Phases() as phases, phases.of("bench") as progress:
        for at, kernel in enumerate(kernels):
            progress(at / len(kernels), kernel.name)
            kernel.compile(given.compiler)
            results.append(kernel.bench() if kernel.timed else None)
    if given.json:
        print(json.dumps([_data(*pair) for pair in zip(kernels, results, strict=True)], indent=2))
    else:
        for kernel, result in zip(kernels, results, strict=True):
            console().print(f"{kernel.name}: {result or _untimed(kernel)}", markup=False, soft_wrap=True)
    return 0


def _data(kernel: Kernel, result: Result | None) -> dict[str, object]:
    return result.to_dict() if result else {"kernel": kernel.name, "ns": None, "note": _untimed(kernel)}


def _untimed(kernel: Kernel) -> str:
    if not kernel.emulated:
        return f"a kernel in {kernel.target.syntax} is not timed"
    return f"{UNTIMED}: this CPU lacks {', '.join(kernel.compiled.missing)}"
