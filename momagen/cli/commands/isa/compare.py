"""``momagen isa``: proposed instruction sets, from a file to a projected speed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from momagen import files
from momagen.bench.report import plot
from momagen.build import find_compiler, missing_features
from momagen.cli.commands.sweep import items, numbers
from momagen.cli.make import check_folder
from momagen.cli.options import add_compiler, add_json, path_of
from momagen.cli.progress import Phases
from momagen.errors import MomagenError, among
from momagen.isa.compare import report
from momagen.isa.compare.workload import KERNELS, POINTS, Asked, FloorOf, Measured, Workload, build_name, cases, compare
from momagen.isa.cores.cpus import core_names, load_core, load_cpu
from momagen.isa.soundness.sound import sound
from momagen.screen import console
from momagen.targets import load_target

from .ports import add_ports, ports

BITS = (60, 124, 252)
CORES = ("sunny-cove", "zen4")
"""Whose floors are told by default: the CPUs of the MQX paper."""
TIMED = ("auto", "no", "yes")
ACTIONS = {
    "check": "verify operations, rules and kernels of a target, and count its proxies in the object code",
    "ports": "port pressure of one codelet on two targets, before and after",
    "compare": "count, time where this CPU can, and find the port floors, of each target beside the first",
}


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run)
    text = "; ".join(f"{name}: {what}" for name, what in ACTIONS.items())
    parser.add_argument("action", metavar="|".join(ACTIONS), help=text)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="names or TOML files; proposals run by proxies")
    add_workload(parser)
    add_ports(parser)
    parser.add_argument("--no-verify", action="store_true", help="compare without checking proposals first")


def add_workload(parser: argparse.ArgumentParser) -> None:
    """Kernels, widths, sizes, CPUs, and what is told of them."""
    parser.add_argument("--kernel", metavar="NAME,…", help=f"only these kernels (default: {','.join(KERNELS)})")
    parser.add_argument("--bits", metavar="B,…", help=f"bits of the modulus (default: {','.join(map(str, BITS))})")
    parser.add_argument("--n", metavar="N,…", help=f"points of transforms (default: {POINTS})")
    known = f"{', '.join(core_names())}, a CPU's name or a TOML file of one (default: {','.join(CORES)})"
    parser.add_argument("--cpu", metavar="NAME,…", help=f"cores whose port floors are told: {known}")
    timed = "auto: kernels that this CPU can run; no: none; yes: all, or refuse (default: auto)"
    parser.add_argument("--timed", metavar="|".join(TIMED), default=TIMED[0], help=timed)
    add_compiler(parser)
    add_json(parser)
    parser.add_argument("--output", metavar="DIR", type=path_of, help="write tables and JSON there")
    parser.add_argument("--plot", metavar="png|svg", help="draw plots in --output too (extra “bench”: matplotlib)")


def floors(text: str | None) -> dict[str, FloorOf]:
    """The port floors of the cores that are named, by these names."""
    found: dict[str, FloorOf] = {}
    for name in items(text) or CORES:
        core = load_core(name) if name in core_names() else load_cpu(name).core
        if core is None:
            raise MomagenError("a CPU whose core's ports are known", name, "--cpu")
        found[name] = core.floor
    return found


def timed(given: argparse.Namespace, targets: Sequence[str]) -> bool:
    """Whether kernels are timed.

    Raises:
        MomagenError: they are to be, and this CPU cannot run one of the targets.
    """
    if given.timed not in TIMED:
        raise among("one of", TIMED, given.timed, "--timed")
    for target in targets if given.timed == "yes" else ():
        if missing := missing_features(load_target(build_name(target)).features):
            raise MomagenError(f"a CPU with {', '.join(missing)}", "this one", f"--timed yes, {target}")
    return bool(given.timed != "no")


def workloads(given: argparse.Namespace, bits: tuple[int, ...] = BITS) -> list[Workload]:
    """What is compared."""
    widths, sizes = numbers(given.bits, "bits") or bits, numbers(given.n, "n") or (POINTS,)
    return cases(items(given.kernel) or KERNELS, widths, sizes)


def _run(given: argparse.Namespace) -> int:
    if given.action not in ACTIONS:
        raise among("an action among", ACTIONS, given.action, "momagen isa")
    if not given.targets:
        raise MomagenError("a target or more", "none", f"momagen isa {given.action}")
    check_output(given)
    for target in given.targets:
        load_target(target)
    if given.action != "ports":
        floors(given.cpu)
    else:
        if len(given.targets) != 2:
            raise MomagenError("two targets, before and after", len(given.targets), "momagen isa ports")
        before, after = given.targets
        return ports(before, after, given)
    return _check(given) if given.action == "check" else _compare(given)


def check_output(given: argparse.Namespace) -> None:
    """Refuse plots without a folder or matplotlib, before anything is measured."""
    if given.plot and not given.output:
        raise MomagenError("--output, for the plots to go to", "none", "--plot")
    plot.check(given.plot)
    if given.output:
        check_folder(given.output)


def _check(given: argparse.Namespace) -> int:
    compiler, told = find_compiler(given.compiler), []
    for target in given.targets:
        chosen = workloads(given)
        for finding in sound(target, chosen, compiler):
            told.append({"target": target, "checked": finding.what, "found": finding.found})
            if not given.json:
                console().print(f"{target}: {finding.what}: {finding.found}")
    if given.json:
        print(json.dumps(told, indent=2, ensure_ascii=False))
    return 0


def _compare(given: argparse.Namespace) -> int:
    chosen, compiler = workloads(given), find_compiler(given.compiler)
    asked = Asked(given.targets, chosen, floors(given.cpu), timed(given, given.targets), compiler)
    with Phases(lines=True) as phases:
        if not given.no_verify:
            verified(given.targets, given, phases)
        with phases.of("compare") as progress:
            found = compare(asked, progress)
    return tell(found, given.targets[0], given)


def verified(targets: list[str], given: argparse.Namespace, phases: Phases) -> None:
    """Check every proposal: its operations, rules, and one transform at every width."""
    widths = {case.bits for case in workloads(given)}
    for target in targets:
        if load_target(target).instructions:
            with phases.of("verify") as progress:
                few = cases(("ntt",), sorted(widths), (64,))
                for finding in sound(target, few, find_compiler(given.compiler)):
                    progress(0.0, f"{target}: {finding.what}")


def tell(found: list[Measured], base: str, given: argparse.Namespace) -> int:
    """Print tables or JSON; write them, and plots, where that is asked for."""
    text = json.dumps(report.data(found, base), indent=2, ensure_ascii=False)
    if given.json:
        print(text)
    else:
        for title, table in report.tables(found, base):
            console().print(title, style="bold", highlight=False)
            console().print(table)
        console().print(report.EXPLAINED, style="dim", highlight=False)
        for row in (row for row in found if row.missing):
            console().print(f"{row.case}, {row.target}: {row.missing}", style="dim", highlight=False)
    if given.output:
        files.write(given.output / "compare.json", f"{text}\n")
    if given.plot:
        report.draw(found, base, given.output, given.plot)
    return 0
