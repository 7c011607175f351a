"""``momagen mqx sol``: project the time of transforms to all cores of a CPU."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from momagen.bench.measure.machine import machine
from momagen.bench.measure.sample import spread
from momagen.cli.commands.sweep import items, numbers
from momagen.cli.resume import kept_rows
from momagen.errors import MomagenError
from momagen.isa.compare.workload import SIZES, Asked, Measured, cases, compare, floor_name, quantities, targets_named
from momagen.isa.cores.core import Core
from momagen.isa.cores.cpus import Cpu, load_cpus
from momagen.papers.mqx.sol.papers import load_papers
from momagen.papers.mqx.sol.report import EXPLAINED, SpeedOfLight, draw, speeds_of_light, tables
from momagen.papers.mqx.sol.speed_of_light import MeasuredSeries, in_cycles
from momagen.papers.mqx.studies import sensitivity
from momagen.runtime import find_compiler
from momagen.screen.progress import Phases

from .options import one, timed
from .telling import told

CPUS = ("xeon-6980p", "epyc-9965s")
TARGETS = ("avx512dq", "avx512ifma", "mqx")
BOUND = """\
Cycles per butterfly are measured if this CPU has AVX-512; otherwise they are the port floor of the core, a lower
bound."""


def sol(given: argparse.Namespace) -> int:
    """Project times, compare them with those in papers, and report both; return the exit code.

    Raises:
        MomagenError: The ports of a CPU's core, or its all-core clock, are not known.
    """
    cpus = [cpu for name in items(given.cpu) or CPUS for cpu in load_cpus(name)]
    bits = one(numbers(given.bits, "bits"), sensitivity.BITS, "--bits")
    chosen = cases(("ntt",), (bits,), numbers(given.n, "n") or SIZES)
    floors = {cpu.name: _core(cpu).floor for cpu in cpus}
    targets = targets_named(TARGETS)
    asked = Asked(targets, chosen, floors, timed(given, targets), find_compiler(given.compiler))
    with kept_rows(given, "sol", Measured) as kept:
        with Phases() as phases, phases.of("sol") as progress:
            counted = compare(asked, progress, kept.once)
        found = [speeds_of_light(series(counted, cpu), [cpu], load_papers()) for cpu in cpus]
        return _tell(found, given, kept.reused)


def _core(cpu: Cpu) -> Core:
    if cpu.core is None:
        raise MomagenError("a CPU whose core's ports are known", cpu.name, "--cpu")
    return cpu.core


def series(counted: Sequence[Measured], cpu: Cpu) -> list[MeasuredSeries]:
    """Return the cycles per butterfly by number of points, for each target."""
    return [
        in_cycles(target, {row.case.n: _cycles(row, cpu) for row in counted if row.target == target})
        for target in dict.fromkeys(row.target for row in counted)
    ]


def _cycles(row: Measured, cpu: Cpu) -> float:
    known = quantities(row)
    return spread(known.get("cycles", known[floor_name(cpu.name)])).median


def _tell(found: Sequence[SpeedOfLight], given: argparse.Namespace, reused: int) -> int:
    data = {"machine": machine(), "projected": [each.to_dict() for each in found]}
    shown = [table for each in found for table in tables(each)]
    told("sol", [*shown, f"{EXPLAINED}\n{BOUND}"], data, given, reused)
    if given.plot:
        for each in found:
            draw(each, given.output, given.plot).rename(given.output / f"sol_{each.cpus[0].name}.{given.plot}")
    return 0
