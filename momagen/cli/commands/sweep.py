"""``momagen bench --sweep``: the arguments of a sweep."""

from __future__ import annotations

import argparse
import shlex
from functools import partial

from momagen.bench.report.point import Point
from momagen.bench.report.report import Output, sweep
from momagen.bench.suite.grid import Grid
from momagen.bench.x86.rates import read_rates
from momagen.cli.options import add_wisdom, path_of
from momagen.cli.resume import kept_rows
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec
from momagen.params.choice import BITS
from momagen.params.primes import HEADROOM
from momagen.runtime import find_compiler
from momagen.tune import advise, check
from momagen.values.numbers import integer

LISTS: dict[str, tuple[str, str]] = {
    "kernel": ("NAME", "kernels: ntt, intt (inverse), polymul, basemul, lde, or operations of blas (default: ntt)"),
    "bits": ("B", "widths of the container in bits; moduli are 4 bits narrower (default: 64,128,256)"),
    "modulus_bits": ("B", "widths of the moduli in bits, instead of --bits (default: none)"),
    "n": ("N", "numbers of points, or lengths of vectors (default: 1024,4096,16384 for ntt)"),
    "target": ("NAME", "targets: names, native or TOML files (default: all that this CPU runs)"),
}
"""Options that accept several values, separated by commas."""


def add_sweep(parser: argparse.ArgumentParser) -> None:
    """Add the options of a sweep."""
    group = parser.add_argument_group(
        "Sweep",
        "Time the kernels of all targets over sizes and widths, next to the baselines: hand-written C, and GMP, FLINT, "
        "NTL, HEXL and OpenFHE if they are installed. The port floor next to each time is a lower bound: the cycles "
        "that this CPU needs to issue the kernel's instructions.",
    )
    group.add_argument("--sweep", action="store_true", help="time kernels over sizes and widths")
    for name, (metavar, text) in LISTS.items():
        group.add_argument(f"--{name.replace('_', '-')}", metavar=f"{metavar},…", help=text)
    group.add_argument("--negacyclic", action="store_true", help="compute modulo x^n + 1 instead of x^n - 1")
    columns = "transform each of the M columns of a matrix, without baselines if M > 1 (default: 1)"
    group.add_argument("--columns", metavar="M", help=columns)
    baseline = "also time a shared library, as scripts/baselines/README.md describes; may be repeated (default: none)"
    group.add_argument("--baseline", action="append", default=[], type=path_of, metavar="LIB.so", help=baseline)
    counted = (
        "sweep.json of a sweep on another CPU, whose instruction rates give the port floors of targets that this CPU "
        "does not support (default: none)"
    )
    group.add_argument("--rates", metavar="FILE", type=path_of, help=counted)
    add_wisdom(group)
    group.add_argument("--plain", action="store_true", help="leave out the baselines")
    plot = "also draw plots in --output; needs matplotlib (extra “bench”) (default: none)"
    group.add_argument("--plot", metavar="png|svg", help=plot)


def run_sweep(given: argparse.Namespace) -> int:
    """Run the sweep that the arguments describe; return the exit code."""
    for what, other in (("saved kernels", given.paths), ("option --section", given.section)):
        if other:
            raise MomagenError(f"no {what}", ", ".join(map(str, other)), "--sweep")
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
    """Return ``spec`` with the options that wisdom has for it and for the compiler of the sweep."""
    advice = advise(spec, wish, shlex.join(find_compiler(compiler).command))
    if not advice:
        return spec
    try:
        generate(advice.spec)
    except MomagenError as error:
        raise advice.blamed(error) from None
    return advice.spec


def _widths(given: argparse.Namespace) -> tuple[int, ...] | None:
    """Return the widths of the moduli, from --modulus-bits or from --bits."""
    if given.bits and given.modulus_bits:
        raise MomagenError("--bits or --modulus-bits", "both", "--sweep")
    containers = numbers(given.bits, "bits")
    return tuple(map(_modulus_bits, containers)) if containers else numbers(given.modulus_bits, "modulus_bits")


def _modulus_bits(container: int) -> int:
    if not BITS[0] <= container <= BITS[1]:
        raise MomagenError(f"between {BITS[0]} and {BITS[1]} bits", container, "bits")
    return container - HEADROOM


def items(text: str | None) -> tuple[str, ...] | None:
    """Return the parts of a text between commas."""
    return None if text is None else tuple(part.strip() for part in text.split(","))


def numbers(text: str | None, where: str) -> tuple[int, ...] | None:
    """Return the parts of a text between commas as integers; they may be expressions."""
    found = items(text)
    return None if found is None else tuple(integer(part, where) for part in found)


def refuse_alone(given: argparse.Namespace) -> None:
    """Check that options of a sweep are given with --sweep only."""
    for name in (*LISTS, "negacyclic", "columns", "baseline", "plain", "plot", "rates", "wisdom"):
        if getattr(given, name):
            raise MomagenError("the option --sweep too", "none", f"--{name.replace('_', '-')}")
