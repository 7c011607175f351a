"""Conversion of the outputs of ``momagen mqx`` to the common format of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from momagen.papers.exhibit import read_exhibits
from momagen.papers.series import Place, Value

TABLE = Path(__file__).with_name("paper.toml")
CORES = {"(family 25, model 17)": "Zen 4", "(family 26, model 2)": "Zen 5"}
"""The names of cores, by the last part of the names of CPUs."""
INTEL, AMD = "Xeon 8352Y", "EPYC 9654"
ICE_LAKE = "Ice Lake, port floor"
FLOOR, TIME, CYCLES = "port floor, sunny-cove", "time", "cycles"
"""The quantities of the studies."""
PROJECTED = {("xeon-6980p", "rpu"): "RPU / MQX on Xeon 6980P", ("xeon-6980p", "fpmm"): "FPMM / MQX on Xeon 6980P",
             ("epyc-9965s", "rpu"): "RPU / MQX on EPYC 9965S", ("epyc-9965s", "fpmm"): "FPMM / MQX on EPYC 9965S",
             ("epyc-9965s", "moma-h100"): "MoMA / MQX on EPYC 9965S"}  # fmt: skip
"""The names of speed-ups in Figure 7, by CPU and system."""
SLOWER = {("xeon-6980p", "moma-h100"): "MQX on Xeon 6980P / MoMA"}
"""The names of the ratios whose inverse the paper states."""
ALONE = {"mqx": "one core with MQX / RPU, least", "avx512dq": "one core with AVX-512 / RPU, least"}
TEXT = {"OpenFHE / avx512dq": ("NTT, AVX-512 over the best baseline", "NTT, AVX-512 over OpenFHE on Xeon 8352Y"),
        "OpenFHE / mqx:proxy": ("NTT, MQX over the best baseline",),
        "GMP mpz / avx512dq": ("vectors, AVX-512 over the best baseline",),
        "GMP mpz / mqx:proxy": ("vectors, MQX over the best baseline",)}  # fmt: skip
"""The names of the numbers in the abstract and the conclusion, by pairs of Figures 4 and 5."""
PARTS = {"figure_4": ("GMP mpz / ",), "figure_5": ("OpenFHE / ",)}
"""The beginnings of the pairs from which these numbers follow, by figure."""
DRAWN = ("c", "avx2_words", "avx512dq", "avx512ifma", "mqx:proxy", "GMP mpz", "OpenFHE")
"""The contestants whose times are kept for Figures 4 and 5: the contestants of the paper, and IFMA."""
COMMAND = "momagen mqx {}"
Study = Mapping[str, Any]


class MqxCell(NamedTuple):
    """One number of a study.

    Attributes:
        exhibit: The name of the exhibit.
        what: The name of the series.
        unit: The unit.
        at: The place in the series.
        value: The number.
    """

    exhibit: str
    what: str
    unit: str
    at: Place
    value: Value


def convert(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the output of studies of ``momagen mqx`` in the common format of results.

    Args:
        told: The output of a study with ``--json``, or several of them by their names; other data is returned
            unchanged.
    """
    found = {name: told[name] for name in STUDIES if isinstance(told.get(name), dict)} or _alone(told)
    if not found:
        return told
    machine = next((each["machine"] for each in found.values() if "machine" in each), {"cpu": "any CPU", "date": ""})
    core = next((name for end, name in CORES.items() if machine["cpu"].endswith(end)), machine["cpu"])
    numbers = [each for name, study in found.items() for each in STUDIES[name](study, core) if _is_wanted(each)]
    groups = dict.fromkeys((each.exhibit, each.what, each.unit) for each in numbers)
    return {"machine": machine["cpu"], "date": machine["date"], "command": COMMAND.format(", ".join(found)),
            "series": [_series(group, numbers) for group in groups]}  # fmt: skip


@cache
def _stated() -> Mapping[str, frozenset[Place]]:
    """Return the places of the stated numbers, by exhibit."""
    return {each.name: frozenset(at for row in each.stated for at in row.points) for each in read_exhibits(TABLE)}


def _is_wanted(number: MqxCell) -> bool:
    """Return whether the number is part of the results.

    Of the many pairs of Figures 4 and 5, these are only the ones that the paper states.
    """
    return number.exhibit not in ("figure-4", "figure-5") or number.at in _stated()[number.exhibit]


def _series(group: tuple[str, str, str], numbers: list[MqxCell]) -> dict[str, Any]:
    points = {each.at: each.value for each in numbers if each[:3] == group}
    return {**dict(zip(("exhibit", "what", "unit"), group, strict=True)),
            "at": [*points], "values": [*points.values()]}  # fmt: skip


def _alone(told: Mapping[str, Any]) -> dict[str, Study]:
    """Return the only study in ``told`` by its name, which a key that only this study has determines."""
    return next(({name: told} for name, key in SIGNS.items() if key in told), {})


def _validate(study: Study, core: str) -> Iterator[MqxCell]:
    for pair in study["pairs"]:
        found = {ICE_LAKE: ("Intel", FLOOR), core: ("AMD", CYCLES)}
        for what, (cpu, quantity) in found.items():
            if quantity in pair["errors"]:
                value = pair["errors"][quantity]["median"]
                yield MqxCell("table-6", what, "%", f"{pair['instruction']}, {cpu}", value)


def _figures(study: Study, core: str) -> Iterator[MqxCell]:
    for figure in study["figures"]:
        name = figure["figure"].replace("_", "-")
        if name.startswith("products"):
            yield from _products(figure, core)
            continue
        for ratio in figure["ratios"]:
            yield from _ratio(figure["figure"], f"{ratio['above']} / {ratio['below']}", ratio["by"], core)
        for row in figure["rows"]:
            at = row["n"] if row["kernel"] == "ntt" else row["kernel"]
            if row["timing"] and row["name"] in DRAWN:
                yield MqxCell(f"{name}-times", row["name"], f"ns per {row['unit']}", at, row["timing"]["ns"]["median"])


def _ratio(figure: str, pair: str, by: Mapping[str, Any], core: str) -> Iterator[MqxCell]:
    """Yield the mean ratio of a pair by time and by port floors, at the CPUs of the paper."""
    exhibit = figure.replace("_", "-")
    if TIME in by:
        value = by[TIME]["mean"]
        for cpu in (INTEL, AMD, "both CPUs"):
            yield MqxCell(exhibit, core, "", f"{pair}, {cpu}", value)
        if pair == "avx512dq / mqx:proxy" and figure == "figure_5":
            yield MqxCell("figure-1", core, "", f"{pair}, {AMD} (Section 1)", value)
        if pair.startswith(PARTS[figure]):
            yield from (MqxCell("text", core, "", at, value) for at in TEXT.get(pair, ()))
    if FLOOR in by:
        yield MqxCell(exhibit, ICE_LAKE, "", f"{pair}, {INTEL}", by[FLOOR]["mean"])


def _products(figure: Study, core: str) -> Iterator[MqxCell]:
    if figure["figure"] != "products_ntt":
        return
    found = {each["above"].partition(",")[0]: each["by"][TIME]["mean"] for each in figure["ratios"]
             if TIME in each["by"]}  # fmt: skip
    if found:
        yield MqxCell("section-5.5", core, "", "Karatsuba / schoolbook, mean of four targets", fmean(found.values()))
    for target, value in found.items():
        yield MqxCell("section-5.5", core, "", f"Karatsuba / schoolbook, {target}", value)


def _sensitivity(study: Study, core: str) -> Iterator[MqxCell]:
    names = {CYCLES: core, FLOOR: ICE_LAKE}
    rows = {(row["title"], row["what"]): row["over_base"] for row in study["normalised"]
            if row["kind"] == "ntt" and row["bits"] == 124 and row["what"] in names}  # fmt: skip
    for (title, what), value in rows.items():
        if title != "Base":
            yield MqxCell("figure-6", names[what], "", title, value)
    for what, name in names.items():
        if ("+M,C,P", what) in rows:
            yield MqxCell("figure-6", name, "", "+M,C / +M,C,P", rows["+M,C", what] / rows["+M,C,P", what])


def _sol(study: Study, core: str) -> Iterator[MqxCell]:
    for each in study["projected"]:
        for row in each["comparisons"]:
            pair = row["cpu"], row["system"]
            if row["series"] == "mqx" and pair in PROJECTED:
                yield MqxCell("figure-7", core, "", PROJECTED[pair], row["speedup"])
            if row["series"] == "mqx" and pair in SLOWER:
                yield MqxCell("figure-7", core, "", SLOWER[pair], 1 / row["speedup"])
    first, ghz = study["projected"][0], study["machine"]["clock_ghz"]
    rpu = {row["n"]: row["us"] / 1e6 for row in first["reported"]["times"] if row["system"] == "rpu"}
    for series, at in ALONE.items():
        over = [row["measured"] / ghz / rpu[row["n"]] for row in first["times"]
                if row["series"] == series and row["n"] in rpu]  # fmt: skip
        if over and ghz:
            yield MqxCell("text", core, "", at, min(over))


def _ports(study: Study, core: str) -> Iterator[MqxCell]:
    for title, side in (("AVX-512", "before"), ("MQX", "after")):
        found = study[side]
        yield MqxCell("listing-4", "momagen", "", f"{title}, instructions", found["instructions"])
        for port in ("0", "1", "5"):
            yield MqxCell("listing-4", "momagen", "", f"{title}, port {port}", found["totals"].get(port, 0))


STUDIES: Mapping[str, Callable[[Study, str], Iterator[MqxCell]]] = {
    "validate": _validate, "figures": _figures, "products": _figures, "sensitivity": _sensitivity, "sol": _sol,
    "ports": _ports,
}  # fmt: skip
SIGNS = {"validate": "pairs", "figures": "figures", "sensitivity": "normalised", "sol": "projected", "ports": "before"}
