"""The command line: what is raced, where, and how long."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError

from .sections import EVERY, PAPER, SECTIONS, SIZED, sections_of

MOST_BATCH, MOST_LOG = 1 << 16, 28
TARGETS = ("jax", "jax_cpu", "jax_gpu", "jax_tpu")
PAPER_ABOUT = "\n".join(f"  {name:<8}{what}" for name, what in PAPER.items())

ABOUT = f"""Race kernels for the target jax on the device that JAX has, against the target c and against CROSS.

  ntt     negacyclic transforms modulo a prime of 28 bits
  wide    the same at 60 and 124 bits
  matmul  a matrix product modulo a prime of 28 bits
  bconv   basis conversions, 12 to 28 and 24 to 56 limbs

Not run unless named:

  factors matrices of several shapes in a transform, beside butterflies (docs/guides/jax-matrices.md)
  engine  products of square matrices on each engine of targets/jax.toml
  sharded a transform on all devices (docs/guides/jax-devices.md);
          XLA_FLAGS=--xla_force_host_platform_device_count=8 makes eight devices of one CPU

Of the paper on CROSS (arXiv:2501.07047), all by the name paper; results have its figures, counts, and what TPUs need:

{PAPER_ABOUT}

CROSS (github.com/EfficientPPML/CROSS) is called in the folder that CROSS_ROOT names; without it, it is not measured.
Every result is first compared with integers. Exit code 1: one of ours is wrong or failed; 2: bad input."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="bench_jax.py", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--only", default=",".join(SECTIONS), help="sections, with commas (default: %(default)s)")
    made.add_argument(
        "--sizes", default="", metavar="LOGS", help="log2 of points, rows, coefficients or terms, as 12,14"
    )
    made.add_argument("--repeat", type=int, default=30, metavar="N", help="samples of each (default: 30)")
    made.add_argument("--seconds", type=float, default=10, metavar="S", help="of the samples of each (default: 10)")
    made.add_argument("--batch", type=int, default=1, metavar="B", help="transforms at a time (default: 1)")
    made.add_argument("--core", type=int, metavar="N", help="run on this core alone")
    made.add_argument("--output", type=Path, metavar="FILE.json", help="write results there")
    paper = made.add_argument_group("sections of the paper")
    paper.add_argument("--target", choices=TARGETS, default=TARGETS[0], help="of our kernels (default: %(default)s)")
    paper.add_argument("--names", default="", metavar="LIST", help="only rows of these names, as D,HEAP of table8")
    paper.add_argument("--batches", default="", metavar="LIST", help="in place of the paper's, as 1,2,4")
    paper.add_argument("--quick", action="store_true", help="small shapes of no published size, to see that all runs")
    paper.add_argument(
        "--watts", type=float, default=0.0, metavar="W", help="power of this machine; without it, no energy"
    )
    paper.add_argument(
        "--read", type=Path, metavar="FILE.json", help="run nothing: draw what an earlier run wrote there"
    )
    paper.add_argument("--page", type=Path, metavar="FILE.md", help="renew the tables behind the marks of this page")
    paper.add_argument("--plots", type=Path, metavar="FOLDER", help="write figures there, as SVG; needs matplotlib")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all well; 1: one of ours is wrong or failed; 2: bad input."""
    given = parser().parse_args(arguments)
    try:
        sections, sizes, batches = _sections(given.only), _sizes(given.sizes), _batches(given.batches)
        for name in ("repeat", "batch"):
            if getattr(given, name) < 1:
                raise MomagenError("at least 1", getattr(given, name), f"--{name}")
        if not 0 <= given.watts < float("inf"):
            raise MomagenError("a number of watts from 0 on", given.watts, "--watts")
        if given.core is not None:
            from momagen.papers.cross.race.machine import pin

            pin(given.core)
        return _run(given, sections, sizes, batches)
    except (MomagenError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _sections(text: str) -> list[str]:
    chosen = text.split(",")
    known = [*SIZED, *PAPER, EVERY]
    for name in chosen:
        if name not in known:
            raise MomagenError(f"sections among {', '.join(known)}", name, "--only")
    return sections_of(chosen)


def _batches(text: str) -> list[int]:
    chosen = text.split(",") if text else []
    for each in chosen:
        if not each.isdecimal() or not 1 <= int(each) <= MOST_BATCH:
            raise MomagenError(f"numbers from 1 to {MOST_BATCH} with commas", each, "--batches")
    return sorted({int(each) for each in chosen})


def _sizes(text: str) -> list[int]:
    chosen = text.split(",") if text else []
    for each in chosen:
        if not each.isdecimal() or not 2 <= int(each) <= MOST_LOG:
            raise MomagenError(f"numbers from 2 to {MOST_LOG} with commas", each, "--sizes")
    return [int(each) for each in chosen]


def _run(given: argparse.Namespace, sections: list[str], sizes: list[int], batches: list[int]) -> int:
    """Imports JAX, which takes its threads from where it is."""
    try:
        from momagen.papers.cross.race import report
        from momagen.papers.cross.race.contest import FAILED, race
        from momagen.papers.cross.race.entries import WRONG
        from momagen.papers.cross.race.machine import described
        from momagen.papers.cross.race.trials import SweepSettings
        from momagen.papers.cross.sweeps import run
        from momagen.papers.cross.sweeps.page import read_results
        from momagen.papers.cross.sweeps.plots import KIND
        from momagen.plots import renderer

        from . import races
    except ImportError as error:
        raise MomagenError("JAX, which the extra “jax” installs", error, "bench_jax.py") from None
    if given.plots:
        renderer.check(KIND)
    if given.read:
        _draw(given, read_results(given.read))
        return 0
    options = {"repeat": given.repeat, "seconds": given.seconds, "quick": given.quick}
    results = report.JaxResults(given.output, described(given.core) | {"options": options})
    if plain := [name for name in sections if name in SIZED]:
        print(*report.head(), sep="\n")
    for section in plain:
        for problem in races.problems(section, sizes, given.batch):
            rows = race(problem, races.entrants(section, problem), given.repeat, given.seconds)
            print(*report.lines(rows), sep="\n", flush=True)
            results.add(rows)
    names = given.names.split(",") if given.names else []
    settings = SweepSettings(given.target, sizes, names, batches, given.quick, given.watts, given.seconds)
    papers = [name for name in sections if name in PAPER]
    run.sections(papers, settings, given.repeat, results, partial(print, flush=True))
    _draw(given, results.told)
    bad = [
        row for row in results.told["rows"] if row["state"] in (WRONG, FAILED) and not row["name"].startswith("CROSS")
    ]
    return 1 if bad else 0


def _draw(given: argparse.Namespace, told: dict[str, Any]) -> None:
    """Figures and a page of results, where they are asked for."""
    from momagen.papers.cross.sweeps.page import renewed
    from momagen.papers.cross.sweeps.plots import plot

    if given.plots:
        print(*(f"wrote {path}" for path in plot(told, given.plots)), sep="\n")
    if given.page:
        given.page.write_text(renewed(given.page.read_text(encoding="utf-8"), told), encoding="utf-8")
