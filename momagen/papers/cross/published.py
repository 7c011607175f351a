"""The paper's shapes, with its numbers from paper.toml, as sweeps use them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError
from momagen.tables import read_toml

from .race.trials import SweepSettings

SHAPES, PAPER = (Path(__file__).with_name(name) for name in ("shapes.toml", "paper.toml"))
Row = Mapping[str, Any]
Points = dict[str, Any]
SIZES = {"table5": "inner", "table6": "degree", "table7": "log_n", "table8": "degree", "table10": "log_n"}
"""By table, the entry to whose binary logarithm ``--sizes`` refers, or which is that logarithm."""


@functools.cache
def numbers() -> Mapping[str, Mapping[str, Points]]:
    """Return the paper's numbers by exhibit, series and place."""
    every = read_toml(PAPER, "the paper's numbers in TOML", PAPER.name)["exhibit"]
    return {
        each["name"]: {row["what"]: dict(zip(row["at"], row["values"], strict=True)) for row in each.get("series", ())}
        for each in every
    }


@functools.cache
def published() -> Mapping[str, Any]:
    """Return the shapes of shapes.toml, with the paper's numbers in the rows."""
    found = read_toml(SHAPES, "the paper's shapes in TOML", SHAPES.name)
    for name in ("table5", "table6", "table10"):
        _fill(found[name])
    _fill_rates(found["table7"])
    _fill_operators(found["table8"])
    _fill_power(found["power"])
    _fill_bootstrapping(found["table9"])
    _fill_figures(found)
    return found


def _fill(table: dict[str, Any]) -> None:
    for row in table["row"]:
        at = table["place"].format(**row)
        row |= {key: numbers()[table["exhibit"]][what][at] for key, what in table["numbers"].items()}


def _fill_rates(table: dict[str, Any]) -> None:
    for row in table["row"]:
        at = table["place"].format(**row)
        row["thousands"] = {machine: points[at] for machine, points in numbers()[table["exhibit"]].items()}
        row["by_batch"] = [*numbers()["figure-11b"][f"CROSS, Set {row['name']}"].values()]


def _fill_operators(table: dict[str, Any]) -> None:
    """Add the latencies of the operators; 0 stands for a number that the paper lacks."""
    stated = numbers()["text-efficiency"]["throughput per watt over"]
    for row in table["row"]:
        found = numbers()[row["exhibit"]]
        own = found[f"{row['library']} ({row['device']})"]
        row["latency"] = [own.get(head, 0) for head in table["heads"]]
        cross = {what.removeprefix("CROSS, "): points for what, points in found.items() if what.startswith("CROSS, ")}
        row["cross"] = {machine: [*points.values()] for machine, points in cross.items()}
        row["stated"] = stated.get(row["library"], 0)


def _fill_power(table: dict[str, Any]) -> None:
    watts = numbers()[table["exhibit"]]["power"]
    table["watts"] = {name: watts[device] * table["count"].get(name, 1) for name, device in table["devices"].items()}


def _fill_bootstrapping(table: dict[str, Any]) -> None:
    found = numbers()[table["exhibit"]]
    times = {**found["other libraries"], **found["CROSS"]}
    table["milliseconds"] = {table["labels"].get(name, name): value for name, value in times.items()}
    shares = found["CROSS, shares on the v6e-8"]
    table["shares"] = {name: shares[what] for name, what in table["kernels"].items()}


def _fill_figures(found: dict[str, Any]) -> None:
    shares, reductions, profiles = (found[name] for name in ("fig12", "fig13", "fig14"))
    for operator, what in shares["numbers"].items():
        shares[operator] = [*numbers()[shares["exhibit"]][what].values()]
    for part, exhibit in reductions["exhibits"].items():
        reductions[part] = {name: [*numbers()[exhibit][f"CROSS, {name}"].values()] for name in reductions["reductions"]}
    profiles["transforms"] = [*numbers()[profiles["exhibit"]]["OpenFHE, AMD Ryzen 9 5950X"].values()]


def rows(table: str, settings: SweepSettings) -> Sequence[Row]:
    """Return the rows of a table that have the requested sizes and names, or the small rows that replace them.

    Raises:
        MomagenError: No row has a requested size or name.
    """
    every: Sequence[Row] = published()[table]["quick" if settings.quick else "row"]
    if settings.quick:
        return every
    sized = [row for row in every if not settings.sizes or log_of(table, row) in settings.sizes]
    if not sized:
        known = sorted({log_of(table, row) for row in every})
        raise MomagenError(f"sizes of {table} among {_listed(known)}", _listed(settings.sizes), "--sizes")
    chosen = [row for row in sized if not settings.names or row.get("name") in (None, *settings.names)]
    if not chosen:
        names = (row["name"] for row in sized)
        raise MomagenError(f"names of {table} among {_listed(names)}", _listed(settings.names), "--names")
    return chosen


def log_of(table: str, row: Row) -> int:
    """Return the binary logarithm of a row's size."""
    value = int(row[SIZES[table]])
    return value if SIZES[table].startswith("log") else value.bit_length() - 1


def figure(value: float, unit: str, of: str) -> dict[str, Any]:
    """Return a number of the paper in the format of results."""
    return {"value": value, "unit": unit, "of": of}


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))
