"""``momagen mqx``: repeat the studies of the MQX paper."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import NamedTuple

from momagen.bench.measure.machine import machine
from momagen.cli.commands.sweep import items, numbers
from momagen.cli.options import refuse_others
from momagen.cli.resume import kept_rows
from momagen.errors import among
from momagen.isa.compare import report
from momagen.isa.compare.timing import runs_here
from momagen.isa.compare.workload import SIZES, Asked, Measured, cases, compare, targets_named
from momagen.papers.mqx.studies import sensitivity, sensitivity_report, validate
from momagen.runtime import find_compiler
from momagen.screen.progress import Phases

from .figures import both_products, figures
from .options import USUAL, add_workload, check_output, floors, one, timed
from .ports import PORTS, add_ports, ports
from .sol import sol
from .telling import tell, told

EPILOG = """\

MQX is a proposed extension of AVX-512, whose instructions are counted and timed as proxies: existing instructions in \
their place. A port floor is the number of cycles that a core needs to issue the instructions of a kernel.

example:
  momagen mqx figures --bits 124 --output figures"""
TIERS = ("c", "avx2", "avx512dq", "avx512", "avx512ifma", "mqx")
POINTS = 4096
WIDTHS = (50, 60, 124, 252, 381, 753)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen mqx``."""
    parser.set_defaults(run=_run)
    parser.usage = "momagen mqx STUDY [options]"
    studies = "\n".join(f"  {name:<13}{study.text}" for name, study in STUDIES.items())
    parser.epilog = f"studies:\n{studies}\n{EPILOG}"
    parser.add_argument("action", metavar="STUDY", help="study to repeat, as listed below")
    add_workload(parser)
    add_ports(parser)


def _run(given: argparse.Namespace) -> int:
    if given.action not in STUDIES:
        raise among("a study among", STUDIES, given.action, "mqx")
    study = STUDIES[given.action]
    refuse_others(given, USUAL, study.options, f"mqx {given.action}")
    check_output(given)
    return study.run(given)


def _asked(given: argparse.Namespace, names: Iterable[str]) -> Asked:
    targets = targets_named(names)
    return Asked(targets, (), floors(given.cpu), timed(given, targets), find_compiler(given.compiler))


def _compare(given: argparse.Namespace) -> int:
    sizes = numbers(given.n, "n") or (POINTS,)
    chosen = cases(items(given.kernel) or ("ntt", "vmul"), numbers(given.bits, "bits") or WIDTHS, sizes)
    with kept_rows(given, "compare", Measured) as kept:
        with Phases() as phases, phases.of("compare") as progress:
            found = compare(_asked(given, TIERS)._replace(cases=chosen), progress, kept.once)
        return tell(found, TIERS[0], given, kept.reused)


def _validate(given: argparse.Namespace) -> int:
    asked = _asked(given, tuple(pair.truth for pair in validate.PAIRS))
    n = one(numbers(given.n, "n"), validate.POINTS, "--n")
    with kept_rows(given, "validate", Measured) as kept:
        with Phases() as phases, phases.of("validate") as progress:
            found = validate.validate(asked, n, progress, once=kept.once)
        data = {"machine": machine(), "n": n, "pairs": [row.data() for row in found]}
        told("validate", [sensitivity_report.error_table(found), *_validate_notes()], data, given, kept.reused)
    return 0


def _validate_notes() -> list[str]:
    """Return the notes below the table of errors."""
    targets = dict.fromkeys(targets_named(pair.truth for pair in validate.PAIRS))
    lacking = [str(target) for target in targets if not runs_here(target)]
    why = [f"This CPU lacks what {', '.join(lacking)} needs: counted, not timed."] * bool(lacking)
    return [sensitivity_report.ERRORS, *why]


def _sensitivity(given: argparse.Namespace) -> int:
    sizes, wide = numbers(given.n, "n") or SIZES, numbers(given.bits, "bits") or sensitivity.WIDE
    targets, base = tuple(sensitivity.VARIANTS), next(iter(sensitivity.VARIANTS))
    asked = _asked(given, targets)._replace(cases=sensitivity.workloads(sizes, wide))
    with kept_rows(given, "sensitivity", Measured) as kept:
        with Phases() as phases, phases.of("sensitivity") as progress:
            found = compare(asked, progress, kept.once)
        rows = list(sensitivity.normalised(found, base))
        data = {"normalised": [{**vars(row), "title": row.title} for row in rows], **report.data(found, base)}
        shown = [part for titled in sensitivity_report.tables(rows) for part in titled]
        told("sensitivity", [*shown, sensitivity_report.EXPLAINED], data, given, kept.reused)
        if given.plot:
            sensitivity_report.draw(rows, given.output, given.plot)
    return 0


class Study(NamedTuple):
    """A study: its help text, the options that it accepts, and the function that runs it."""

    text: str
    options: str
    run: Callable[[argparse.Namespace], int]


RACES = "bits n cpu timed output plot"
STUDIES = {
    "figures": Study("time vectors and NTTs by the paper's protocol (Figures 4 and 5)", RACES, figures),
    "products": Study("compare Karatsuba with schoolbook multiplication (Section 5.5)", RACES, both_products),
    "ports": Study(
        "show the port pressure of one codelet (Listing 4)", PORTS,
        lambda given: ports(targets_named(("avx512dq", "mqx")), given),
    ),
    "sol": Study("project NTTs to whole CPUs (speed of light), and compare with papers (Section 6)", RACES, sol),
    "compare": Study("compare scalar code, AVX2, AVX-512, IFMA and MQX at several widths", f"kernel {RACES}", _compare),
    "validate": Study(
        "measure the error of proxies for three existing instructions (Tables 5 and 6)", "n cpu timed output", _validate
    ),
    "sensitivity": Study("measure what each part of MQX contributes (Figure 6)", RACES, _sensitivity),
}
