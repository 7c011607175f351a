"""Speed-ups, which follow from measured times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from momagen.papers.series import Place, ResultSeries, middle

from .kernels import NATIVE

OVER = "{}, over HEXL's native C++"
LARGEST = {
    "table-1": ("HEXL, AVX512-IFMA", "HEXL, forward NTT"), "table-2": ("HEXL, AVX512-IFMA", "HEXL, inverse NTT"),
    "table-3": ("HEXL, AVX512-DQ, 50 bits", "HEXL, vector-vector multiplication"),
    "table-4": ("HEXL, AVX512-IFMA", "HEXL, vector-scalar multiplication"),
}  # fmt: skip
"""By table, the row whose largest speed-up the abstract states, and the name of that number."""


def derive(known: Sequence[ResultSeries]) -> list[ResultSeries]:
    """Return the speed-ups of all rows of Tables 1 to 4 over HEXL's native code, and the largest ones.

    Args:
        known: All measured series; a later one replaces an earlier one of the same name.
    """
    times = {(row.exhibit, row.what): row for row in known if row.exhibit in LARGEST and row.unit == "µs"}
    speeds = [*_speeds(times)]
    return [*speeds, *_largest(speeds)]


def _speeds(times: Mapping[tuple[str, str], ResultSeries]) -> Iterator[ResultSeries]:
    for (exhibit, what), row in times.items():
        suffix = what[what.rindex(",") :] if what.endswith("bits") else ""
        native = times.get((exhibit, NATIVE + suffix))
        if native:
            points: dict[Place, float] = {
                at: middle(native.points[at]) / middle(value) for at, value in row.points.items() if at in native.points
            }
            yield ResultSeries(OVER.format(what), "×", points, exhibit, row.source)


def _largest(speeds: Sequence[ResultSeries]) -> Iterator[ResultSeries]:
    rows = {(row.exhibit, row.what): row for row in speeds}
    for exhibit, (what, name) in LARGEST.items():
        row = rows.get((exhibit, OVER.format(what)))
        if row:
            largest = max(middle(value) for value in row.points.values())
            yield ResultSeries(name, "×", {"largest": largest}, "abstract", row.source)
