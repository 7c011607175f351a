"""Programs of Google Benchmark: several rounds, the variants in turn, medians with their spread."""

from __future__ import annotations

import fcntl
import json
import statistics
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
Times = dict[str, dict[str, list[float]]]
"""Microseconds by row and variant, one for every round."""


@dataclass(frozen=True)
class Figure:
    """Median of some times; ``spread`` is half the distance between the quartiles over the median."""

    median: float
    spread: float

    @classmethod
    def of(cls, times: Sequence[float]) -> Figure:
        """Of one time or more."""
        middle = statistics.median(times)
        low, _, high = statistics.quantiles(times, method="inclusive") if len(times) > 1 else (middle,) * 3
        return cls(middle, (high - low) / 2 / middle if middle else 0.0)


@dataclass(frozen=True)
class Choice:
    """What a program runs: the rows that match ``pattern``, or all, each of them ``repetitions`` times in a row.

    A row of SEAL's benchmark lasts ten iterations, which is too short: two runs of one binary differed by 1.28 times.
    """

    pattern: str = ""
    repetitions: int = 1

    def options(self) -> list[str]:
        """Return the options of Google Benchmark."""
        chosen = [f"--benchmark_filter={self.pattern}"] if self.pattern else []
        several = [f"--benchmark_repetitions={self.repetitions}"] if self.repetitions > 1 else []
        return [*chosen, *several]


def parse(report: str) -> dict[str, float]:
    """Return the processor time of each benchmark in microseconds, from Google Benchmark's JSON.

    A row that is repeated has the median of its repetitions; aggregates are left out.
    """
    times: dict[str, list[float]] = {}
    for row in json.loads(report)["benchmarks"]:
        if row.get("run_type", "iteration") == "iteration" and not row.get("error_occurred"):
            times.setdefault(_name(row["name"]), []).append(row["cpu_time"] * MICROSECONDS[row["time_unit"]])
    return {name: statistics.median(found) for name, found in times.items()}


def _name(name: str) -> str:
    """Return the name without what Google Benchmark appends for fixed numbers of iterations and repetitions."""
    return name.partition("/iterations:")[0].partition("/repeats:")[0].strip()


def race_all(races: Iterable[Mapping[str, Path]], work: Path, rounds: int, choice: Choice,
             lock: Path | None = None) -> Times:  # fmt: skip
    """Return the times of several programs, each given by its variants.

    Raises:
        RuntimeError: a program failed, or none has a row that was chosen.
    """
    times: Times = {}
    for programs in races:
        times |= race(programs, work, rounds, choice, lock)
    if not times:
        raise RuntimeError(f"expected benchmarks that --bench-filter matches, got none for {choice.pattern}")
    return times


def race(programs: Mapping[str, Path], work: Path, rounds: int, choice: Choice | None = None,
         lock: Path | None = None) -> Times:  # fmt: skip
    """Run every program once a round, each round beginning with another one."""
    times: Times = {}
    order = list(programs)
    for turn in range(rounds):
        shift = turn % len(order)
        for variant in order[shift:] + order[:shift]:
            with _locked(lock):
                found = _once(programs[variant], work / f"bench-{variant}.json", choice or Choice())
            for row, time in found.items():
                times.setdefault(row, {}).setdefault(variant, []).append(time)
    return times


def _once(program: Path, report: Path, choice: Choice) -> dict[str, float]:
    """Return the times of the rows that were chosen; a program without such rows writes an empty report."""
    command = [str(program), f"--benchmark_out={report}", "--benchmark_out_format=json", *choice.options()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{program}: expected exit status 0, got {done.returncode}: {done.stderr[-400:]}")
    text = report.read_text(encoding="utf-8")
    return parse(text) if text else {}


@contextmanager
def _locked(path: Path | None) -> Iterator[None]:
    """Hold a lock file while timing, where several programs measure on one machine."""
    if path is None:
        yield
        return
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
