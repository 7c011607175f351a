"""GMP on one core of this CPU, and momagen beside it: the vector operations of Figure 2 and transforms of Figure 4."""

from __future__ import annotations

from collections.abc import Iterator

from momagen.bench.report.point import Point
from momagen.bench.suite.grid import Grid, grid_races
from momagen.bench.suite.sweep import sweep_race
from momagen.errors import build_error
from momagen.papers.series import Place, ResultSeries, Value
from momagen.screen.progress import Report

from .convert import ELEMENT, TIME
from .derived import GMP

KINDS, LENGTH = ("vadd", "vsub", "vmul", "axpy"), 1 << 16
POINTS = 1 << 16
VECTOR_BITS, POINT_BITS = (128, 256, 512, 1024), (128, 256, 384, 512, 768, 1024)
LESS = 4
"""How many bits a modulus has less than the width that the paper names."""
BASELINE = "gmp_mpz"


def measure_vectors(progress: Report) -> list[ResultSeries]:
    """Time vector operations by GMP and by momagen's best target of this CPU, in nanoseconds per element.

    Raises:
        MomagenError: There is no compiler, or no GMP.
    """
    found = _points(KINDS, VECTOR_BITS, LENGTH, 1.0, progress)
    return [
        _series("figure-2", ELEMENT, name, {f"{point.kernel} {point.bits + LESS}": _ns(point) for point in points})
        for name, points in found.items()
    ]


def measure_transforms(progress: Report) -> list[ResultSeries]:
    """Time transforms of 2^16 points by GMP and by momagen's best target of this CPU, in picoseconds per butterfly.

    Raises:
        MomagenError: There is no compiler, or no GMP.
    """
    found = _points(("ntt",), POINT_BITS, POINTS, 2.0, progress)
    return [
        _series("figure-4", TIME, name, {point.bits + LESS: 1e3 * _ns(point) for point in points})
        for name, points in found.items()
    ]


def _points(
    kernels: tuple[str, ...], widths: tuple[int, ...], n: int, seconds: float, progress: Report
) -> dict[str, list[Point]]:
    """Return by series the points that were measured, those of a kernel in the order of widths."""
    bits = tuple(width - LESS for width in widths)
    targets, baselines = ("native",), (BASELINE,)
    grid = Grid(kernels, bits, (n,), targets, baselines=baselines, floors=False, rounds=11, seconds=seconds)
    found: dict[str, list[Point]] = {}
    races = grid_races(grid)
    for at, race in enumerate(races):
        progress(at / len(races), f"{race.kernel}, {race.spec.width}-bit modulus")
        for point in _correct(sweep_race(race, grid)):
            found.setdefault(GMP if point.baseline else f"momagen, {point.name}, one core", []).append(point)
    return found


def _correct(points: list[Point]) -> Iterator[Point]:
    """Yield the points that have a time.

    Raises:
        MomagenError: The result of a kernel differs from GMP's, or there is no GMP.
    """
    for point in points:
        if point.wrong:
            raise build_error(f"{point.name} computes another result for {point.kernel}", "measure", "report it")
        if point.baseline and not point.ns:
            raise build_error(f"GMP cannot be measured: {point.note}", "measure", "install libgmp-dev")
        if point.ns:
            yield point


def _ns(point: Point) -> float:
    assert point.ns
    return point.ns.median


def _series(exhibit: str, unit: str, name: str, values: dict[Place, float]) -> ResultSeries:
    points: dict[Place, Value] = {at: float(f"{value:.4g}") for at, value in values.items()}
    return ResultSeries(name, unit, points, exhibit, "")
