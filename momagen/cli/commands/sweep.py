"""``momagen bench --sweep``: the arguments of a sweep."""

from __future__ import annotations

import argparse
import shlex
from functools import partial

from momagen.api.numbers import integer
from momagen.bench.report.point import Point
from momagen.bench.report.report import Output, sweep
from momagen.bench.suite.grid import Grid
from momagen.bench.x86.rates import read_rates
from momagen.build import find_compiler
from momagen.cli.options import add_wisdom, path_of
from momagen.cli.resume import kept_rows
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.params.choice import BITS
from momagen.params.primes import HEADROOM
from momagen.tune import advise, check

LISTS: dict[str, tuple[str, str]] = {
    "kernel": ("NAME", "kinds (default: ntt)"),
    "bits": ("B", "bits of the container, as papers count: the modulus has 4 fewer (default: 64,128,256)"),
    "modulus_bits": ("B", "bits of the modulus itself"),
    "n": ("N", "points, or lengths of vectors"),
    "target": ("NAME", "targets, native or TOML files, also to count what cannot run here (default: all that run)"),
}
"""Options that take several values, with commas between."""


def add_sweep(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "Sweep",
        "Time the kernels of all targets and the baselines over sizes and widths, beside the port floor: the cycles "
        "in which this CPU can issue a kernel's instructions at best.",
    )
    group.add_argument("--sweep", action="store_true", help="time kernels over sizes and widths")
    for name, (metavar, text) in LISTS.items():
        group.add_argument(f"--{name.replace('_', '-')}", metavar=f"{metavar},…", help=f"only these {text}")
    group.add_argument("--negacyclic", action="store_true", help="transforms and products modulo x^n + 1")
    group.add_argument("--columns", metavar="M", help="transforms of every column of a matrix, without the baselines")
    baseline = "time a library of your own too (scripts/baselines/README.md says how); may be repeated"
    group.add_argument("--baseline", action="append", default=[], type=path_of, metavar="LIB.so", help=baseline)
    counted = "floors of targets that this CPU lacks by the rates in sweep.json, from a sweep on a CPU that has them"
    group.add_argument("--rates", metavar="FILE", type=path_of, help=counted)
    add_wisdom(group)
    group.add_argument("--plain", action="store_true", help="without the baselines")
    group.add_argument("--plot", metavar="png|svg", help="draw plots in --output too (extra “bench”: matplotlib)")


def run_sweep(given: argparse.Namespace) -> int:
    """Run the sweep that was asked for."""
    for what, other in (("saved kernels", given.paths), ("section", given.section)):
        if other:
            raise MomagenError(f"no {what} with it", ", ".join(map(str, other)), "--sweep")
    chosen = {
        "kernels": items(given.kernel), "targets": items(given.target), "bits": _widths(given),
        "sizes": numbers(given.n, "n"), "rounds": given.repetitions, "seconds": given.seconds,
        "choose": partial(_advised, wish=given.wisdom, compiler=given.compiler),
        "columns": None if given.columns is None else integer(given.columns, "columns"),
        "negacyclic": given.negacyclic, "rivals": tuple(given.baseline), "plain": given.plain,
        "compiler": given.compiler,
    }  # fmt: skip
    check(given.wisdom)
    if given.rates:
        chosen["elsewhere"] = read_rates(given.rates)
    grid = Grid(**{key: value for key, value in chosen.items() if value is not None})
    output = Output(given.json, given.csv, given.output, given.plot)
    return sweep(grid, output, partial(kept_rows, given, "sweep", Point))


def _advised(spec: Spec, wish: bool | str | None, compiler: str | None) -> Spec:
    """``spec`` with the options that wisdom has for it, where it is asked; all kernels of a sweep have one compiler."""
    advice = advise(spec, wish, shlex.join(find_compiler(compiler).command))
    if not advice:
        return spec
    try:
        generate(advice.spec)
    except MomagenError as error:
        raise advice.blamed(error) from None
    return advice.spec


def _widths(given: argparse.Namespace) -> tuple[int, ...] | None:
    """Bits of the moduli, given as such or by their containers."""
    if given.bits and given.modulus_bits:
        raise MomagenError("--bits or --modulus-bits", "both", "--sweep")
    containers = numbers(given.bits, "bits")
    return tuple(map(_modulus_bits, containers)) if containers else numbers(given.modulus_bits, "modulus_bits")


def _modulus_bits(container: int) -> int:
    if not BITS[0] <= container <= BITS[1]:
        raise MomagenError(f"between {BITS[0]} and {BITS[1]} bits", container, "bits")
    return container - HEADROOM


def items(text: str | None) -> tuple[str, ...] | None:
    """What stands between commas."""
    return None if text is None else tuple(part.strip() for part in text.split(","))


def numbers(text: str | None, where: str) -> tuple[int, ...] | None:
    """The same as integers; expressions as everywhere."""
    found = items(text)
    return None if found is None else tuple(integer(part, where) for part in found)


def refuse_alone(given: argparse.Namespace) -> None:
    """Refuse options of a sweep without --sweep."""
    for name in (*LISTS, "negacyclic", "columns", "baseline", "plain", "plot", "rates", "wisdom"):
        if getattr(given, name):
            raise MomagenError("--sweep with it", "none", f"--{name.replace('_', '-')}")
