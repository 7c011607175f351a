"""The command: check what was named, build, test, measure, print."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from . import benches, gtests, hexl_tests
from .build import Builder
from .packages import Broken
from .report import Report
from .sources import SOURCES, Refused, check
from .suites import DEPENDENCIES, SUITES, VARIANTS
from .trees import TREES

ABOUT = (
    "Build HEXL's tests, SEAL and OpenFHE with the drop-in replacement for HEXL and with HEXL itself, run their tests"
    " and benchmarks, and compare the results."
)
EPILOG = "scripts/dropin/README.md lists compatible versions and explains how to fetch them."


def parser() -> argparse.ArgumentParser:
    """Options; those of folders come from the table of sources."""
    made = argparse.ArgumentParser(prog="python scripts/dropin", description=ABOUT, epilog=EPILOG)
    for option, source in SOURCES.items():
        made.add_argument(f"--{option}", type=Path, metavar="DIR", help=source.title)
    made.add_argument("--work", type=Path, required=True, metavar="DIR", help="build folder; may be reused")
    made.add_argument("--only", action="append", choices=SUITES, help="project to build, repeatable (default: all)")
    made.add_argument(
        "--with", dest="variants", action="append", choices=VARIANTS, help="variant to build, repeatable (default: all)"
    )
    made.add_argument("--jobs", type=int, default=2, metavar="N", help="parallel compiler processes (default: 2)")
    made.add_argument(
        "--bench-rounds", type=int, default=5, metavar="N", help="benchmark rounds, 0 for none (default: 5)"
    )
    made.add_argument("--benchmark_repetitions", "--bench-repetitions", dest="bench_repetitions", type=_positive,
                      default=1, metavar="N", help="repetitions of every row in each round (default: 1)")  # fmt: skip
    made.add_argument("--bench-filter", default="", metavar="REGEX", help="benchmark rows to time (default: all)")
    made.add_argument("--lock", type=Path, metavar="FILE", help="hold this lock file while timing")
    made.add_argument("--no-tests", action="store_true", help="do not build or run the tests")
    made.add_argument("--json", type=Path, metavar="FILE", help="write all results to FILE as JSON")
    return made


def _positive(text: str) -> int:
    """Return a number from 1 on."""
    if not text.isdecimal() or not 0 < int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1000, got {text!r}")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all well; 1: a test that passes with an original fails with the package, or a step failed; 2: bad input."""
    given = parser().parse_args(arguments)
    try:
        folders = _folders(given)
    except Refused as refused:
        print(f"error: {str(refused).replace(chr(10), chr(10) + 'error: ')}", file=sys.stderr)
        return 2
    report = Report()
    try:
        _work(given, folders, report)
    finally:
        if given.json:
            given.json.write_text(json.dumps(report.as_json(), indent=1), encoding="utf-8")
    report.show(Console(width=None if sys.stdout.isatty() else 150, highlight=False))
    return 1 if report.missed() or report.broken else 0


def _variants(given: argparse.Namespace, name: str) -> list[str]:
    return [variant for variant in SUITES[name].variants if variant in (given.variants or VARIANTS)]


def _folders(given: argparse.Namespace) -> dict[str, Path]:
    """What was named, by option; raises ``Refused`` for what is missing or wrong, all at once."""
    named = {option: getattr(given, option.replace("-", "_")) for option in SOURCES}
    names = given.only or list(SUITES)
    needs = [need for name in names for need in SUITES[name].needs]
    needs += [need for name in names for v in _variants(given, name) for need in VARIANTS[v].needs]
    finds = [option for name in names for option in SUITES[name].finds if named[option]]
    check(named, dict.fromkeys(needs + finds))
    return {option: folder.resolve() for option, folder in named.items() if folder}


def _work(given: argparse.Namespace, folders: dict[str, Path], report: Report) -> None:
    given.work.mkdir(parents=True, exist_ok=True)
    tests, bench = not given.no_tests, given.bench_rounds > 0
    builder = Builder(given.work.resolve(), folders, given.jobs, tests, bench)
    names = [name for name in given.only or SUITES if SUITES[name].targets(tests, bench)]
    try:
        for dependency in (d for d in DEPENDENCIES if d in folders and any(d in SUITES[n].finds for n in names)):
            builder.dependency(dependency)
    except Broken as broken:
        report.broken.append(str(broken))
        return
    for name in names:
        built = dict(_build(given, builder, name, report))
        if tests:
            _test(builder, name, built, report)
        if bench and built:
            _bench(given, builder, name, built, report)


def _build(given: argparse.Namespace, builder: Builder, name: str, report: Report) -> Iterator[tuple[str, Path]]:
    """Build folders by variant; what does not build is said and left out."""
    for variant in _variants(given, name):
        _say(f"building {SUITES[name].title}, {VARIANTS[variant].title}")
        try:
            tree = TREES[name](builder.folders, builder.work, variant)
            yield variant, builder.suite(name, SUITES[name], variant, tree)
        except Broken as broken:
            report.broken.append(str(broken))


def _test(builder: Builder, name: str, built: dict[str, Path], report: Report) -> None:
    suite = SUITES[name]
    for title, program in suite.programs.items():
        for variant, folder in built.items():
            _say(f"running {title}, {VARIANTS[variant].title}")
            try:
                tests = gtests.run(folder / program, folder, suite.omitted, suite.because, _say)
            except RuntimeError as error:
                report.broken.append(str(error))
                continue
            rows = hexl_tests.split(tests, builder.work / "hexl-source", title) if name == "hexl" else {title: tests}
            report.tests |= {(row, variant): part for row, part in rows.items()}


def _bench(given: argparse.Namespace, builder: Builder, name: str, built: dict[str, Path], report: Report) -> None:
    suite = SUITES[name]
    if not suite.benches:
        return
    _say(f"timing {suite.title}, {given.bench_rounds} rounds")
    races = [{variant: folder / bench for variant, folder in built.items()} for bench in suite.benches]
    try:
        chosen = benches.Choice(given.bench_filter, given.bench_repetitions)
        report.times |= benches.race_all(races, builder.work, given.bench_rounds, chosen, given.lock)
    except RuntimeError as error:
        report.broken.append(str(error))


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
