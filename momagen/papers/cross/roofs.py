"""The least times of momagen's kernels on TPUs, by counted operations and bytes: a model, which needs no TPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from momagen.he.parameters import preset
from momagen.papers.series import ResultSeries

from .operators.integers import parameters
from .operators.needs import KERNELS, kernel_needs, operator_needs, vectors
from .published import Row, published
from .sweeps import needs
from .workloads import estimated, workloads

SOURCE = "modelled by counted operations and momagen/explain/counts/tpus.toml: momagen paper cross"
CORES = 8
"""The tensor cores of a v6e-8, each of which is a chip."""
V6E, V4 = "v6e", "v4"
Counted = Callable[[Row], "needs.Needs | None"]


def roof_series() -> Iterator[ResultSeries]:
    """Yield the least times next to Tables V to X."""
    yield from _products()
    least = "momagen, least time on a v6e"
    yield _line("table-6", least, "µs", "table6", _conversion)
    yield _rates()
    yield from _transforms()
    for row in published()["table8"]["row"]:
        yield _operators(row)
    yield _bootstrapping()


def _line(exhibit: str, what: str, unit: str, table: str, count: Counted, tpu: str = V6E) -> ResultSeries:
    place, rows = published()[table]["place"], published()[table]["row"]
    points = {place.format(**row): _least(count(row), tpu) for row in rows}
    return ResultSeries(what, unit, points, exhibit, SOURCE)


def _least(found: Mapping[str, Any] | None, tpu: str) -> float:
    """Return the least microseconds on one chip."""
    assert found is not None
    return float(found["roof_us"][tpu])


def _products() -> Iterator[ResultSeries]:
    for sparse, name in ((False, "momagen"), (True, "momagen, sparse matrix")):

        def count(row: Row, sparse: bool = sparse) -> needs.Needs | None:
            return needs.product(row["rows"], row["inner"], row["columns"], sparse)

        yield _line("table-5", f"{name}, least time on a v6e", "µs", "table5", count)


def _conversion(row: Row) -> needs.Needs | None:
    return needs.conversion(row["taken"], row["made"], row["degree"], False)


def _rates() -> ResultSeries:
    """Return thousands of transforms of all limbs per second on eight chips, at most."""

    def thousands(row: Row) -> float:
        batch = row["best"]
        least = _least(needs.transform(1 << row["log_n"], row["limbs"], batch, {}), V6E)
        return float(CORES * batch / least * 1e3)

    table = published()["table7"]
    points = {table["place"].format(**row): thousands(row) for row in table["row"]}
    return ResultSeries("momagen, most on a v6e-8", "thousand transforms/s", points, "table-7", SOURCE)


def _transforms() -> Iterator[ResultSeries]:
    batch = published()["table10"]["batch"]
    options: dict[str, Callable[[Sequence[int]], dict[str, Any]]] = {
        "radix 2": lambda _: {"radix": 2}, "matrices": lambda sizes: {"factors": "x".join(map(str, sizes))},
    }  # fmt: skip
    for name, option in options.items():

        def count(row: Row, option: Callable[[Sequence[int]], dict[str, Any]] = option) -> needs.Needs | None:
            return needs.transform(1 << row["log_n"], 1, batch, option(row["taken"]))

        yield _line("table-10", f"momagen, {name}, least time on a v4", "µs", "table10", count, V4)


def _operators(row: Row) -> ResultSeries:
    """Return the amortised microseconds of the operators on eight chips, next to a row of Table VIII."""
    table, p = published()["table8"], parameters(row)
    found = {head: _least(operator_needs(p, name), V6E) / CORES
             for head, name in zip(table["heads"], table["operators"], strict=True)}  # fmt: skip
    return ResultSeries("momagen, least time on a v6e-8", "µs", found, row["exhibit"], SOURCE)


def _bootstrapping() -> ResultSeries:
    """Return the milliseconds of bootstrapping by the counts of CROSS, on eight chips."""
    p = preset("D")
    nanoseconds = {name: _least(kernel_needs(p, name), V6E) * 1e3 / vectors(p, name) for name in KERNELS}
    total = estimated(workloads()["bootstrapping"].kernels, nanoseconds)["total"] / CORES
    return ResultSeries("momagen’s kernels, least time on a v6e-8", "ms", {"v6e-8": total}, "table-9", SOURCE)
