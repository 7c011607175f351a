"""``momagen mqx``: the MQX paper's studies, each a comparison of targets."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

from momagen.bench.measure.machine import machine
from momagen.build import find_compiler
from momagen.cli.commands.sweep import items, numbers
from momagen.cli.progress import Phases
from momagen.errors import among
from momagen.isa.compare import report, sensitivity, sensitivity_report, validate
from momagen.isa.compare.timing import runs_here
from momagen.isa.compare.workload import Asked, cases, compare

from .figures import both_products, figures
from .options import add_workload, check_output, floors, timed
from .ports import add_ports, ports
from .sol import sol
from .telling import tell, told

TIERS = ("c", "avx2", "avx512dq", "avx512", "avx512ifma", "mqx")
WIDTHS = (50, 60, 124, 252, 381, 753)


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run)
    text = "; ".join(f"{name}: {what}" for name, (what, _) in ACTIONS.items())
    parser.add_argument("action", metavar="|".join(ACTIONS), help=text)
    add_workload(parser)
    add_ports(parser)


def _run(given: argparse.Namespace) -> int:
    if given.action not in ACTIONS:
        raise among("a study among", ACTIONS, given.action, "momagen mqx")
    check_output(given)
    return ACTIONS[given.action][1](given)


def _asked(given: argparse.Namespace, targets: tuple[str, ...]) -> Asked:
    return Asked(targets, (), floors(given.cpu), timed(given, targets), find_compiler(given.compiler))


def _compare(given: argparse.Namespace) -> int:
    chosen = cases(items(given.kernel) or ("ntt", "vmul"), numbers(given.bits, "bits") or WIDTHS, _sizes(given, 4096))
    with Phases(lines=True) as phases, phases.of("compare") as progress:
        found = compare(_asked(given, TIERS)._replace(cases=chosen), progress)
    return tell(found, TIERS[0], given)


def _sizes(given: argparse.Namespace, usual: int) -> tuple[int, ...]:
    return numbers(given.n, "n") or (usual,)


def _validate(given: argparse.Namespace) -> int:
    asked, (n, *_) = _asked(given, tuple(pair.truth for pair in validate.PAIRS)), _sizes(given, validate.POINTS)
    with Phases(lines=True) as phases, phases.of("validate") as progress:
        found = validate.validate(asked, n, progress)
    lacking = [pair.truth for pair in validate.PAIRS if not runs_here(pair.truth)]
    text = _text({"n": n, "pairs": [row.data() for row in found]})
    why = [f"This CPU lacks what {', '.join(dict.fromkeys(lacking))} needs: counted, not timed."] * bool(lacking)
    told("validate", [sensitivity_report.error_table(found), sensitivity_report.ERRORS, *why], text, given)
    return 0


def _sensitivity(given: argparse.Namespace) -> int:
    sizes, wide = numbers(given.n, "n") or sensitivity.SIZES, numbers(given.bits, "bits") or sensitivity.WIDE
    targets, base = tuple(sensitivity.VARIANTS), next(iter(sensitivity.VARIANTS))
    asked = _asked(given, targets)._replace(cases=sensitivity.workloads(sizes, wide))
    with Phases(lines=True) as phases, phases.of("sensitivity") as progress:
        found = compare(asked, progress)
    rows = list(sensitivity.normalised(found, base))
    text = _text({"normalised": [{**vars(row), "title": row.title} for row in rows], **report.data(found, base)})
    shown = [part for titled in sensitivity_report.tables(rows) for part in titled]
    told("sensitivity", [*shown, sensitivity_report.EXPLAINED], text, given)
    if given.plot:
        sensitivity_report.draw(rows, given.output, given.plot)
    return 0


def _text(data: dict[str, object]) -> str:
    return json.dumps({"machine": machine(), **data}, indent=2, ensure_ascii=False)


ACTIONS: dict[str, tuple[str, Callable[[argparse.Namespace], int]]] = {
    "figures": ("transforms and vectors on all tiers, by the paper's protocol (Figures 4 and 5)", figures),
    "products": ("Karatsuba against schoolbook (Section 5.5)", both_products),
    "ports": ("port pressure of one codelet (Listing 4)", lambda given: ports("avx512dq", "mqx", given)),
    "sol": ("speed of light on whole CPUs, beside papers (Section 6)", sol),
    "compare": ("scalar, AVX2, AVX-512, IFMA and MQX at all widths", _compare),
    "validate": ("three proxies of instructions that exist (Tables 5 and 6)", _validate),
    "sensitivity": ("what each part of MQX brings (Figure 6)", _sensitivity),
}
