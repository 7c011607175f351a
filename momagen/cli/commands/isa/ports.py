"""Port pressure of a codelet with and without proposed instructions, for ``momagen isa`` and ``momagen mqx``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from momagen.cli.commands.sweep import items, numbers
from momagen.isa.pressure import ANALYZERS, CODELETS, CPUS, pressure_change
from momagen.targets import Target

from .options import one
from .telling import told

USUAL = "addmod"
PORTS = "bits cpu codelet analyzer output"
"""The options of ``ports``."""
WIDTH = 124


def add_ports(parser: argparse.ArgumentParser) -> None:
    """Add the options for the codelet and the analyzer."""
    group = parser.add_argument_group("Ports", "Options of `ports`, for which --cpu is a name that the analyzer knows.")
    group.add_argument("--codelet", metavar="|".join(CODELETS), help=f"codelet to analyze (default: {USUAL})")
    known = f"{', '.join(each.name for each in ANALYZERS)}, or its path (default: the first installed one)"
    group.add_argument("--analyzer", metavar="NAME", help=known)


def ports(targets: Sequence[Target], given: argparse.Namespace) -> int:
    """Print the listings of both targets as JSON or text; return 0.

    Raises:
        MomagenError: There is no analyzer, or it does not know the CPU.
    """
    bits, cpu = one(numbers(given.bits, "bits"), WIDTH, "--bits"), one(items(given.cpu), CPUS[0], "--cpu")
    before, after = targets
    found = pressure_change(
        before.timed_build, after.timed_build, given.codelet or USUAL, bits, cpu=cpu,
        analyzer=given.analyzer or "", compiler=given.compiler,
    )  # fmt: skip
    told("ports", [found.rendered()], found.to_dict(), given)
    return 0
