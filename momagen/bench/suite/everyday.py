"""What everyday use costs: a call from Python above the kernel itself, and the start of Python and the command line."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from momagen.bench.measure.sample import spread
from momagen.bench.report.figure import Figure, failure, spread_figure
from momagen.errors import MomagenError, build_error
from momagen.processes import HERE, run

CALL = 10.0
"""The bar of a call, in µs above the kernel."""
STARTS: dict[str, tuple[list[str], float | None]] = {
    "import momagen": (["-c", "import momagen"], 0.15),
    "momagen --help": (["-m", "momagen", "--help"], 0.25),
    "momagen ntt --help": (["-m", "momagen", "ntt", "--help"], 0.25),
    "momagen targets": (["-m", "momagen", "targets"], None),
    "import momagen, mg.ntt": (["-c", "import momagen as mg; mg.ntt"], None),
    "python without any of it": (["-c", "pass"], None),
}
"""Processes of Python, from start to end, and their bars in seconds."""
STARTED = 11
figure = partial(Figure, "everyday")


def everyday() -> Iterator[Figure]:
    """The section: calls by kind, width and ``out``; the check of ranges; processes."""
    try:
        told = json.loads(python(["-m", "momagen.api.overhead"]))
    except MomagenError as error:
        yield failure("everyday", "calls", error)
    else:
        yield from _calls(told["calls"])
        for row in told["checks"]:
            name = f"check of ranges, {row['words']} word{'s' * (row['words'] > 1)}"
            yield figure(name, row["ns"], "ns/number", note="part of every call")
    for name in STARTS:
        yield _started(name)


def _calls(rows: list[dict[str, Any]]) -> Iterator[Figure]:
    """The slowest size of each kind of call."""
    for name in dict.fromkeys(str(row["kernel"]) for row in rows):
        sizes = [row for row in rows if row["kernel"] == name]
        worst = max(sizes, key=lambda row: float(row["median"]))
        note = "µs above the kernel at n = " + ", ".join(f"{row['n']}: {row['median']:.1f}" for row in sizes)
        yield figure(
            f"call of {name}", worst["median"], "µs", CALL, low=worst["low"], high=worst["high"],
            samples=worst["count"], note=note,
        )  # fmt: skip


def _started(name: str) -> Figure:
    """Seconds of a process, start to end."""
    arguments, limit = STARTS[name]
    try:
        found = [_seconds(arguments) for _ in range(STARTED + 1)][1:]  # the first one writes byte code
    except MomagenError as error:
        return failure("everyday", name, error)
    return spread_figure("everyday", name, spread(found), "s", limit)


def _seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    python(arguments)
    return time.perf_counter() - start


def python(arguments: list[str]) -> str:
    """Run a new Python process with this momagen and return what it prints.

    Raises:
        MomagenError: the process fails.
    """
    path = os.pathsep.join(filter(None, (HERE, os.environ.get("PYTHONPATH"))))
    done = run([sys.executable, *arguments], environment={**os.environ, "PYTHONPATH": path})
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise build_error(f"the Python process failed ({last})", " ".join(arguments))
    return done.stdout
