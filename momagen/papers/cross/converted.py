"""Results of scripts/bench_jax.py and scripts/bench_he.py as series of the paper's exhibits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from momagen.papers.series import Place, ResultSeries

from .estimates import ESTIMATES
from .operators.needs import NAMES
from .published import published
from .race.trials import SweepSettings

Told = Mapping[str, Any]
Key = tuple[str, str, str]
"""The exhibit, the name and the unit of a series."""
MEASURED, OURS, CROSS = "measured", "momagen", "CROSS "
CONTESTANTS = {
    "jax": OURS, "jax, sparse": "momagen, sparse matrix", "jax, exact": "momagen, exact",
    "jax, radix 2": "momagen, radix 2", "jax, matrices": "momagen, matrices",
}  # fmt: skip
"""The names of contestants in exhibits; other contestants have their names after "momagen"."""
KERNELS = {
    "Automorphism": ("permute",), "VecModMul": ("multiply",), "(I)NTT": ("transform", "ntt", "intt"),
    "VecModAdd": ("add",), "BConv": ("convert",),
}  # fmt: skip
"""The kernels of the bars of Table IX."""
BARRETT = ("CROSS Barrett", "CROSS Barrett, BAT")
"""The contestants that convert without and with BAT."""
WORKLOADS = {"MNIST, one image": ("text-mnist", "one image"), "HELR, one iteration": ("text-helr", "one iteration")}


def converted(told: Told) -> Told:
    """Return the output of a script in the common format, and other data unchanged."""
    if "sets" in told:
        script, rows = "bench_he.py", [*operator_series(told["sets"]), *estimated_series(told["sets"])]
    elif "device" in told:
        script, rows = "bench_jax.py", [*sweep_series(told["rows"]), *estimate_series(told.get("estimates", ()))]
    else:
        return told
    device = told["device"]
    cores = f"core {device['core']}" if device["core"] is not None else f"{device['cores']} cores"
    place = device["host"] if device["platform"] == "cpu" else device["kind"]
    return {"machine": f"{place}, {cores}, JAX {told['versions']['jax']}", "date": told["date"][:10],
            "command": f"python scripts/{script}", "series": [_entry(row) for row in rows]}  # fmt: skip


def _entry(row: ResultSeries) -> dict[str, Any]:
    places, values = [*row.points], [*row.points.values()]
    return {"exhibit": row.exhibit, "what": row.what, "unit": row.unit, "at": places, "values": values}


def _series(found: Iterable[tuple[Key, Place, float]]) -> Iterator[ResultSeries]:
    """Yield a series for each key, with all of its points."""
    points: defaultdict[Key, dict[Place, float]] = defaultdict(dict)
    for key, place, value in found:
        points[key][place] = float(f"{value:.5g}")
    for (exhibit, what, unit), each in points.items():
        yield ResultSeries(what, unit, each, exhibit, "")


def sweep_series(rows: Sequence[Told]) -> Iterator[ResultSeries]:
    """Yield the series of the rows of sweeps."""
    found = [row for row in rows if row["state"] == MEASURED and row["section"] in POINTS]
    yield from _series(point for row in found for point in POINTS[row["section"]](row))
    yield from _gains([row for row in found if row["section"] == "fig11b"])


def _timed(exhibit: str) -> Callable[[Told], Iterator[tuple[Key, Place, float]]]:
    def points(row: Told) -> Iterator[tuple[Key, Place, float]]:
        yield (exhibit, _contestant(row["name"]), "µs"), row["title"].partition(",")[0], row["median_us"]

    return points


def _contestant(name: str) -> str:
    if name.startswith(CROSS):
        return f"CROSS’s code on this CPU, {name.removeprefix(CROSS)}"
    return CONTESTANTS.get(name, f"{OURS}, {name}")


def _rates(row: Told) -> Iterator[tuple[Key, Place, float]]:
    (own,) = (each for each in published()["table7"]["row"] if each["name"] == row["set"])
    yield ("table-7", OURS, "thousand transforms/s"), f"2^{own['log_n']}", row["rate"] / 1e3


def _operator(row: Told) -> Iterator[tuple[Key, Place, float]]:
    (own,) = (each for each in published()["table8"]["row"] if each["name"] == row["set"])
    yield (own["exhibit"], OURS, "µs"), row["title"].partition(",")[0], row["median_us"]


def _reduced(row: Told) -> Iterator[tuple[Key, Place, float]]:
    exhibit, name = published()["fig13"]["exhibits"][row["part"]], f"{OURS}, {row['name']}"
    yield (exhibit, name, "µs"), row["batch"], row["median_us"]


def _gains(rows: Sequence[Told]) -> Iterator[ResultSeries]:
    """Yield the rates of Figure 11b over those of a batch of 1."""
    first = {row["set"]: row["rate"] for row in rows if row["batch"] == 1}
    yield from _series(
        (("figure-11b", f"{OURS}, Set {row['set']}", "times"), row["batch"], row["rate"] / first[row["set"]])
        for row in rows
        if row["set"] in first
    )


POINTS: Mapping[str, Callable[[Told], Iterator[tuple[Key, Place, float]]]] = {
    "table5": _timed("table-5"), "table6": _timed("table-6"), "table7": _rates, "table8": _operator,
    "table10": _timed("table-10"), "fig13": _reduced, "fig11b": lambda _: iter(()),
}  # fmt: skip
"""By section of scripts/bench_jax.py, the points of a row."""


def operator_series(sets: Sequence[Told]) -> Iterator[ResultSeries]:
    """Yield the microseconds of operators for the sets or rows of Table VIII."""
    exhibits = {row["name"]: row["exhibit"] for row in published()["table8"]["row"]} | {"B": "table-8-heap"}
    yield from _series(
        ((exhibits[each["set"]], OURS, "µs"), NAMES[name], row["median_us"])
        for each in sets
        if each["set"] in exhibits
        for name, row in each["operators"].items()
        if name in NAMES
    )


def estimated_series(sets: Sequence[Told]) -> Iterator[ResultSeries]:
    """Yield the estimates of Table IX, Figures 12 and 14, MNIST and HELR from the kernels of these sets."""
    rates = {each["set"]: each["nanoseconds"] for each in sets}
    every = (each for estimate in ESTIMATES.values() for each in estimate(SweepSettings(), lambda p: rates.get(p.name)))
    yield from estimate_series([*every])


def estimate_series(estimates: Sequence[Told]) -> Iterator[ResultSeries]:
    """Yield the series of estimates."""
    yield from _series(point for each in estimates for point in _estimated(each))
    transforms = [each["groups"]["NTT"] + each["groups"]["INTT"] for each in estimates if each["section"] == "fig14"]
    if transforms:
        ends = {"least": min(transforms), "most": max(transforms)}
        yield from _series((("figure-14", OURS, "percent"), name, value) for name, value in ends.items())


def _estimated(each: Told) -> Iterator[tuple[Key, Place, float]]:
    if each["section"] == "fig12":
        for kind, share in each["groups"].items():
            yield ("figure-12", f"{OURS}, {each['title']}", "percent"), kind, share
    elif each["title"] in WORKLOADS:
        exhibit, at = WORKLOADS[each["title"]]
        yield (exhibit, "momagen, estimate", "ms"), at, each["milliseconds"]
    elif each["section"] == "table9":
        yield ("table-9", "momagen, estimate", "ms"), "momagen", each["milliseconds"]
        for kernel, names in KERNELS.items():
            share = sum(each["shares"].get(name, 0.0) for name in names)
            yield ("table-9", "momagen, shares", "percent"), kernel, share


def derived(known: Sequence[ResultSeries]) -> Sequence[ResultSeries]:
    """Return the ratios of measured series of Tables V, VI and X, with the source of the numerator."""
    found = {(row.exhibit, row.what): row for row in known}
    ratios = {
        ("table-5", "momagen, sparse over dense"): ("momagen, sparse matrix", OURS),
        ("table-6", "CROSS’s code on this CPU, Barrett over BAT"): tuple(map(_contestant, BARRETT)),
        ("table-10", "momagen, radix 2 over matrices"): ("momagen, radix 2", "momagen, matrices"),
    }
    return [
        _ratio(exhibit, what, *[found[exhibit, name] for name in pair])
        for (exhibit, what), pair in ratios.items()
        if all((exhibit, name) in found for name in pair)
    ]


def _ratio(exhibit: str, what: str, above: ResultSeries, below: ResultSeries) -> ResultSeries:
    shared = [at for at in above.points if at in below.points]
    points = {at: _number(above.points[at]) / _number(below.points[at]) for at in shared}
    return ResultSeries(what, "times", points, exhibit, above.source)


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return value
