"""The costs of everyday use: the overhead of a call from Python, and the start of Python and of commands."""

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
"""The threshold of a call in µs above the kernel."""
STARTS: dict[str, tuple[list[str], float | None]] = {
    "import momagen": (["-c", "import momagen"], 0.15),
    "momagen --help": (["-m", "momagen", "--help"], 0.25),
    "momagen ntt --help": (["-m", "momagen", "ntt", "--help"], 0.25),
    "momagen targets": (["-m", "momagen", "targets"], None),
    "import momagen, mg.ntt": (["-c", "import momagen as mg; mg.ntt"], None),
    "python without any of it": (["-c", "pass"], None),
}
"""The arguments of Python processes that are timed from start to end, and their thresholds in seconds."""
STARTED = 11
"""The number of timed starts of each process."""
figure = partial(Figure, "everyday")


def everyday() -> Iterator[Figure]:
    """Yield the figures of the section: calls by kind, width and ``out``, the range check, and processes."""
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
    """Yield the time of each kind of call at its slowest size."""
    for name in dict.fromkeys(str(row["kernel"]) for row in rows):
        sizes = [row for row in rows if row["kernel"] == name]
        worst = max(sizes, key=lambda row: float(row["median"]))
        note = "µs above the kernel at n = " + ", ".join(f"{row['n']}: {row['median']:.1f}" for row in sizes)
        yield figure(
            f"call of {name}", worst["median"], "µs", CALL, low=worst["low"], high=worst["high"],
            samples=worst["count"], note=note,
        )  # fmt: skip


def _started(name: str) -> Figure:
    """Return the time of a process in seconds from start to end."""
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
    """Run a new Python process that imports this copy of momagen, and return its output.

    Raises:
        MomagenError: The process fails.
    """
    path = os.pathsep.join(filter(None, (HERE, os.environ.get("PYTHONPATH"))))
    done = run([sys.executable, *arguments], environment={**os.environ, "PYTHONPATH": path})
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise build_error(f"the Python process failed ({last})", " ".join(arguments))
    return done.stdout
