"""The command line: what is raced, where, and how long."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from momagen.errors import MomagenError

from .sections import SECTIONS

ABOUT = """Race kernels for the target jax on the device that JAX has, against the target c and against CROSS.

  ntt     negacyclic transforms modulo a prime of 28 bits
  wide    the same at 60 and 124 bits
  matmul  a matrix product modulo a prime of 28 bits
  bconv   basis conversions, 12 to 28 and 24 to 56 limbs

CROSS (github.com/EfficientPPML/CROSS) is called in the folder that CROSS_ROOT names; without it, it is not measured.
Every result is first compared with integers. Exit code 1: one of ours is wrong or failed; 2: bad input."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="bench_jax.py", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--only", default=",".join(SECTIONS), help="sections, with commas (default: %(default)s)")
    made.add_argument("--sizes", default="", metavar="LOGS", help="log2 of points, of rows, of coefficients, as 12,14")
    made.add_argument("--repeat", type=int, default=30, metavar="N", help="samples of each (default: 30)")
    made.add_argument("--seconds", type=float, default=10, metavar="S", help="of the samples of each (default: 10)")
    made.add_argument("--batch", type=int, default=1, metavar="B", help="transforms at a time (default: 1)")
    made.add_argument("--core", type=int, metavar="N", help="run on this core alone")
    made.add_argument("--output", type=Path, metavar="FILE.json", help="write results there")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all well; 1: one of ours is wrong or failed; 2: bad input."""
    given = parser().parse_args(arguments)
    try:
        sections, sizes = _sections(given.only), _sizes(given.sizes)
        for name in ("repeat", "batch"):
            if getattr(given, name) < 1:
                raise MomagenError("at least 1", getattr(given, name), f"--{name}")
        if given.core is not None:
            from .machine import pin

            pin(given.core)
        return _run(given, sections, sizes)
    except (MomagenError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _sections(text: str) -> list[str]:
    chosen = text.split(",")
    for name in chosen:
        if name not in SECTIONS:
            raise MomagenError(f"sections among {', '.join(SECTIONS)}", name, "--only")
    return chosen


def _sizes(text: str) -> list[int]:
    chosen = text.split(",") if text else []
    for each in chosen:
        if not each.isdecimal() or not 2 <= int(each) <= 24:
            raise MomagenError("numbers from 2 to 24 with commas", each, "--sizes")
    return [int(each) for each in chosen]


def _run(given: argparse.Namespace, sections: list[str], sizes: list[int]) -> int:
    """Imports JAX, which takes its threads from where it is."""
    try:
        from . import races, report
        from .contest import FAILED, race
        from .entries import WRONG
        from .machine import described
    except ImportError as error:
        raise MomagenError("JAX, which the extra “jax” installs", error, "bench_jax.py") from None
    told = described(given.core)
    results = report.Results(given.output, told | {"options": {"repeat": given.repeat, "seconds": given.seconds}})
    print(*report.head(), sep="\n")
    for section in sections:
        for problem in races.problems(section, sizes, given.batch):
            rows = race(problem, races.ENTRANTS[section], given.repeat, given.seconds)
            print(*report.lines(rows), sep="\n", flush=True)
            results.add(rows)
    bad = [
        row for row in results.told["rows"] if row["state"] in (WRONG, FAILED) and not row["name"].startswith("CROSS")
    ]
    return 1 if bad else 0
