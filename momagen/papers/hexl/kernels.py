"""Tables 1 to 4: transforms and element-wise products of HEXL, NFLlib and NTL, beside generated kernels."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from momagen.bench.measure.kernel import units
from momagen.bench.report.point import Point
from momagen.bench.suite.grid import Grid, Race, grid_races
from momagen.bench.suite.sweep import sweep_race
from momagen.errors import build_error
from momagen.papers.measuring import described
from momagen.papers.series import Place, ResultSeries, Value
from momagen.runtime import find_compiler
from momagen.screen.progress import Report

from .rivals import RIVALS, build

SIZES = (1024, 4096, 16384)
TARGETS = ("c", "avx512", "avx512ifma")
BASELINES = {"HEXL": "HEXL, AVX512-IFMA", "NTL": "NTL, cyclic"}
"""The names of baselines of the sweep in the tables."""
NATIVE = RIVALS["hexlnative"].title


@dataclass(frozen=True)
class KernelTable:
    """A table of the paper: one kernel, several implementations, three sizes.

    Attributes:
        kernel: The name of the kernel in a sweep.
        bits: The lengths of the moduli.
    """

    kernel: str
    bits: tuple[int, ...] = (50,)


TABLES = {
    "table-1": KernelTable("ntt"), "table-2": KernelTable("intt"), "table-3": KernelTable("vmul", (50, 51)),
    "table-4": KernelTable("axpy"),
}  # fmt: skip
"""HEXL multiplies vectors in integers only if the modulus has 51 bits or more."""


def measure(name: str, report: Report) -> Sequence[ResultSeries]:
    """Measure one of the tables on this machine.

    Raises:
        MomagenError: HEXL is not installed, or two libraries return different results.
    """
    table = TABLES[name]
    compiler = find_compiler()
    with tempfile.TemporaryDirectory() as folder:
        built = build(compiler, Path(folder))
        if NATIVE in built.missing:
            remedy = "set HEXL_ROOT to the install prefix of HEXL"
            raise build_error(f"HEXL cannot be used ({built.missing[NATIVE]})", name, remedy)
        grid = Grid(kernels=(table.kernel,), bits=table.bits, sizes=SIZES, targets=TARGETS, negacyclic=True,
                    baselines=("hexl", "ntl"), rivals=tuple(built.paths.values()), floors=False)  # fmt: skip
        races = grid_races(grid)
        points = []
        for at, race in enumerate(races):
            report(at / len(races), f"{race.kernel}, {race.spec.width} bits, {race.n}")
            points += [(race, point) for point in sweep_race(race, grid)]
    _check(points)
    source = f"{described()}: HEXL_ROOT=… NTL_ROOT=… NFLLIB_ROOT=… momagen paper hexl {name} --measure"
    return [*_series(name, table, points, source)]


def _check(points: Sequence[tuple[Race, Point]]) -> None:
    """Refuse results that differ; NFLlib's moduli are its own."""
    for race, point in points:
        rival = RIVALS.get(point.name)
        if point.wrong and (rival is None or rival.is_comparable):
            raise build_error(f"{point.name} returns other results than the rest", f"{race.kernel}, {race.n}")


def title(name: str) -> str:
    """Return the name of a contestant in the tables."""
    if name in RIVALS:
        return RIVALS[name].title
    return BASELINES.get(name, f"momagen, {name}")


def _series(name: str, table: KernelTable, points: Sequence[tuple[Race, Point]], source: str) -> Iterator[ResultSeries]:
    """Yield the times of every contestant in µs: the 10th and the 90th percentile."""
    found: dict[str, dict[Place, Value]] = {}
    for race, point in points:
        if point.ns is None:
            continue
        what = title(point.name) + f", {point.bits} bits" * (len(table.bits) > 1)
        scale = units(race.spec, 1 if race.spec.n else race.n) / 1000
        found.setdefault(what, {})[race.n] = (round(point.ns.low * scale, 4), round(point.ns.high * scale, 4))
    for what, times in found.items():
        yield ResultSeries(what, "µs", times, name, source)


MEASURES = {name: partial(measure, name) for name in TABLES}
"""The functions that measure the tables."""
