"""``momagen isa``: verify, count and time kernels that use proposed instructions."""

from __future__ import annotations

import argparse
import json

from momagen.cli.options import refuse_others
from momagen.cli.resume import kept_rows
from momagen.errors import MomagenError, among
from momagen.isa.compare.workload import Asked, Measured, cases, compare, targets_named
from momagen.isa.soundness.sound import sound
from momagen.runtime import find_compiler
from momagen.screen import console
from momagen.screen.progress import Phases
from momagen.targets import Target

from .options import USUAL, add_workload, check_output, floors, timed, workloads
from .ports import PORTS, add_ports, ports
from .telling import tell, written

ACTIONS = {
    "check": "verify operations, rules and kernels, and count proxies in the object code",
    "ports": "compare the port pressure of a codelet on two targets, without and with the proposals",
    "compare": "count and time kernels and find port floors, relative to the first target",
}
EPILOG = """\

A proxy is an existing instruction that takes the place of a proposed one. A port floor is the number of cycles that a \
core needs to issue the instructions of a kernel, a lower bound on its time.

example:
  momagen isa compare avx512 mqx --bits 124"""
OPTIONS = {"check": "kernel bits n output", "ports": PORTS, "compare": "kernel bits n cpu timed output plot no_verify"}
"""The options of each action."""
FEW = 64
"""Points of the transforms with which proposals are verified before they are compared."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen isa``."""
    parser.set_defaults(run=_run)
    parser.usage = "momagen isa ACTION TARGET [TARGET …] [options]"
    actions = "\n".join(f"  {name:<10}{text}" for name, text in ACTIONS.items())
    parser.epilog = f"actions:\n{actions}\n{EPILOG}"
    parser.add_argument("action", metavar="ACTION", help="check, ports or compare, as listed below")
    targets = "targets, by name or TOML file; proposed instructions are counted and timed as proxies (default: none)"
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=targets)
    add_workload(parser)
    add_ports(parser)
    parser.add_argument("--no-verify", action="store_true", help="skip the verification of proposals before `compare`")


def _run(given: argparse.Namespace) -> int:
    if given.action not in ACTIONS:
        raise among("an action among", ACTIONS, given.action, "isa")
    if not given.targets:
        raise MomagenError("at least one target", "none", f"isa {given.action}")
    refuse_others(given, USUAL, OPTIONS[given.action], f"isa {given.action}")
    check_output(given)
    targets = targets_named(given.targets)
    if given.action == "ports":
        if len(targets) != 2:
            raise MomagenError("two targets: without and with proposed instructions", len(targets), "isa ports")
        return ports(targets, given)
    return _check(targets, given) if given.action == "check" else _compare(targets, given)


def _check(targets: list[Target], given: argparse.Namespace) -> int:
    compiler, found, lines = find_compiler(given.compiler), list[dict[str, str]](), list[str]()
    with Phases() as phases, phases.of("check") as progress:
        for at, target in enumerate(targets):
            for finding in sound(target, workloads(given), compiler):
                progress(at / len(targets), f"{target}: {finding.what} done")
                found.append({"target": str(target), "checked": finding.what, "found": finding.found})
                lines.append(f"{target}: {finding.what}: {finding.found}")
                if not given.json:
                    with phases.paused():
                        console().print(lines[-1])
    data = json.dumps(found, indent=2, ensure_ascii=False)
    if given.json:
        print(data)
    written("check", lines, data, given)
    return 0


def _compare(targets: list[Target], given: argparse.Namespace) -> int:
    chosen, compiler = workloads(given), find_compiler(given.compiler)
    asked = Asked(targets, chosen, floors(given.cpu), timed(given, targets), compiler)
    with kept_rows(given, "compare", Measured) as kept:
        with Phases() as phases:
            if not given.no_verify:
                verified(targets, given, phases)
            with phases.of("compare") as progress:
                found = compare(asked, progress, kept.once)
        return tell(found, str(targets[0]), given, kept.reused)


def verified(targets: list[Target], given: argparse.Namespace, phases: Phases) -> None:
    """Check each target with proposed instructions: its operations, its rules and one transform per width."""
    widths = {case.bits for case in workloads(given)}
    for target in targets:
        if target.instructions:
            with phases.of("verify") as progress:
                few = cases(("ntt",), sorted(widths), (FEW,))
                for finding in sound(target, few, find_compiler(given.compiler)):
                    progress(0.0, f"{target}: {finding.what}")
