"""Ratios that follow from measured and stated times: over RPU and OpenFHE, over GMP, and between two sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from momagen.papers.series import Place, ResultSeries, Value, middle
from momagen.tables import read_toml

PAPER = Path(__file__).with_name("paper.toml")
GMP = "GMP, one core"
ARTEFACT = "MoMA, H100, artefact"
"""The paper's curve in Figure 3a, by its public artefact."""
RIVALS = {"RPU": "RPU, ASIC", "OpenFHE": "OpenFHE, 32 cores"}
"""Columns of factors in Figure 3a, and the stated series that they follow from."""
TIMES = "times as fast"
SIMPLE, PRODUCTS = ("vadd", "vsub"), ("vmul", "axpy")


def derive(rows: Sequence[ResultSeries]) -> list[ResultSeries]:
    """Return the series that follow from ``rows`` and from stated times."""
    stated = stated_points("figure-3a")
    curves = {row.what: row for row in rows if row.exhibit == "figure-3a"}
    return [
        *_over_rivals(curves, stated),
        *(_shared(name, points) for name, points in _curves(curves, stated)),
        *_over_gmp([row for row in rows if row.exhibit == "figure-2"]),
    ]


def stated_points(exhibit: str) -> dict[str, dict[Place, Value]]:
    """Return the stated points of an exhibit by series."""
    table: Mapping[str, Any] = read_toml(PAPER, "the numbers of a paper in TOML", PAPER.name)
    (found,) = [each for each in table["exhibit"] if each["name"] == exhibit]
    return {row["what"]: dict(zip(row["at"], row["values"], strict=True)) for row in found["series"]}


def _curves(
    curves: Mapping[str, ResultSeries], stated: Mapping[str, Mapping[Place, Value]]
) -> Iterator[tuple[str, Mapping[Place, Value]]]:
    yield ARTEFACT, stated[ARTEFACT]
    yield from ((name, row.points) for name, row in curves.items())


def _over_rivals(
    curves: Mapping[str, ResultSeries], stated: Mapping[str, Mapping[Place, Value]]
) -> Iterator[ResultSeries]:
    """Yield how many times as fast curves are as RPU and OpenFHE: the geometric mean over sizes that both have."""
    for name, points in _curves(curves, stated):
        found: dict[Place, Value] = {
            rival: mean(middle(value) / middle(points[at]) for at, value in stated[what].items() if at in points)
            for rival, what in RIVALS.items()
        }
        source = curves[name].source if name in curves else ""
        yield ResultSeries(name, TIMES, found, "figure-3a-factors", source)


def _shared(name: str, points: Mapping[Place, Value]) -> ResultSeries:
    """Return the time of a butterfly at sizes above 2^10 points over that at 2^10."""
    at_most = middle(points[10])
    found: dict[Place, Value] = {f"2^{at}": middle(points[at]) / at_most for at in (11, 12, 13)}
    return ResultSeries(name, "times as slow", found, "text-shared-memory", "")


def _over_gmp(rows: Sequence[ResultSeries]) -> Iterator[ResultSeries]:
    """Yield the least factors over GMP of the kernels on GPUs: of sums, of wide products, and of all kernels."""
    gmp = next((row.points for row in rows if row.what == GMP), {})
    for row in rows if gmp else ():
        if row.what.startswith("momagen, ") and "core" not in row.what:
            found = {str(at): middle(gmp[at]) / middle(value) for at, value in row.points.items()}
            sums, wide = (_of(found, kinds) for kinds in (SIMPLE, PRODUCTS))
            points: dict[Place, Value] = {
                "vadd, vsub over GMP": min(sums.values()),
                "vmul, axpy over GMP, 1024 bits": min(value for at, value in wide.items() if at.endswith(" 1024")),
                "all over GMP and GRNS": min(found.values()),
            }
            yield ResultSeries(f"{row.what} over {GMP}", TIMES, points, "figure-2-factors", row.source)


def _of(found: Mapping[str, float], kinds: Sequence[str]) -> dict[str, float]:
    return {at: value for at, value in found.items() if at.split()[0] in kinds}


def mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))
