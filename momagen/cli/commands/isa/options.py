"""Options of comparisons of instruction sets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TypeVar

from momagen.cli.commands.sweep import items, numbers
from momagen.cli.make import check_folder
from momagen.cli.options import add_compiler, add_json, path_of
from momagen.errors import MomagenError, among
from momagen.isa.compare.workload import KERNELS, POINTS, FloorOf, Workload, cases
from momagen.isa.cores.cpus import core_names, load_core, load_cpu
from momagen.plots import renderer
from momagen.runtime import missing_features
from momagen.targets import Target

BITS = (60, 124, 252)
CORES = ("sunny-cove", "zen4")
"""The cores of the CPUs in the MQX paper, whose port floors are shown by default."""
TIMED = ("auto", "no", "yes")
T = TypeVar("T")
USUAL = {
    **dict.fromkeys(("kernel", "bits", "n", "cpu", "output", "plot", "codelet", "analyzer")), "timed": TIMED[0],
    "no_verify": False,
}  # fmt: skip
"""The options that not every action accepts, with their defaults."""


def add_workload(parser: argparse.ArgumentParser) -> None:
    """Add the options for kernels, widths, sizes, cores and results."""
    parser.add_argument("--kernel", metavar="NAME,…", help=f"kernels (default: {','.join(KERNELS)})")
    parser.add_argument(
        "--bits",
        metavar="B,…",
        help=f"widths of the modulus (not of the container) in bits (default: {','.join(map(str, BITS))})",
    )
    parser.add_argument("--n", metavar="N,…", help=f"numbers of points of transforms (default: {POINTS})")
    known = f"{', '.join(core_names())}, a CPU or its TOML file (default: {','.join(CORES)})"
    parser.add_argument("--cpu", metavar="NAME,…", help=f"cores whose port floors are shown: {known}")
    timed = "time no kernel (no), those that this CPU runs (auto), or all, and fail if it cannot (yes) (default: auto)"
    parser.add_argument("--timed", metavar="|".join(TIMED), default=TIMED[0], help=timed)
    add_compiler(parser)
    add_json(parser)
    parser.add_argument("--output", metavar="DIR", type=path_of, help="folder for tables and JSON (default: none)")
    plot = "also draw plots in --output; needs matplotlib (extra “bench”) (default: none)"
    parser.add_argument("--plot", metavar="png|svg", help=plot)


def one(values: Sequence[T] | None, usual: T, option: str) -> T:
    """Return the value of an option that accepts only one here.

    Raises:
        MomagenError: There are several.
    """
    if values and len(values) > 1:
        raise MomagenError("one value", ", ".join(map(str, values)), option)
    return values[0] if values else usual


def floors(text: str | None) -> dict[str, FloorOf]:
    """Return the functions that compute port floors, by the names of the cores."""
    found: dict[str, FloorOf] = {}
    for name in items(text) or CORES:
        core = load_core(name) if name in core_names() else load_cpu(name).core
        if core is None:
            raise MomagenError("a CPU whose core's ports are known", name, "--cpu")
        found[name] = core.floor
    return found


def timed(given: argparse.Namespace, targets: Sequence[Target]) -> bool:
    """Return whether kernels are timed.

    Raises:
        MomagenError: --timed yes is given, and this CPU cannot run one of the targets.
    """
    if given.timed not in TIMED:
        raise among("one of", TIMED, given.timed, "--timed")
    for target in targets if given.timed == "yes" else ():
        if missing := missing_features(target.timed_build.features):
            raise MomagenError(f"a CPU with {', '.join(missing)}", "this CPU", f"--timed yes, {target}")
    return bool(given.timed != "no")


def workloads(given: argparse.Namespace, bits: tuple[int, ...] = BITS) -> list[Workload]:
    """Return the kernels, widths and sizes to compare."""
    widths, sizes = numbers(given.bits, "bits") or bits, numbers(given.n, "n") or (POINTS,)
    return cases(items(given.kernel) or KERNELS, widths, sizes)


def check_output(given: argparse.Namespace) -> None:
    """Check, before anything is measured, that plots have a folder and matplotlib."""
    if given.plot and not given.output:
        raise MomagenError("--output DIR for the plots", "none", "--plot")
    renderer.check(given.plot)
    if given.output:
        check_folder(given.output)
