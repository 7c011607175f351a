"""Estimates of workloads by the method of the CROSS paper: counts of kernels times the time of each kernel alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from momagen.errors import among
from momagen.he.counts import Counts, counts, summed
from momagen.he.parameters import HeParameters, preset
from momagen.tables import checked, parse_toml, read_toml, rows_of

WORKLOADS = Path(__file__).with_name("workloads.toml")
KERNELS = ("add", "multiply", "permute", "transform")
"""The kernels that workloads count, in addition to conversions."""
CONVERT, OPERATORS = "convert", "operators"
COUNT = "a whole number"
KERNEL_ROW, CONVERT_ROW, OPERATOR_ROW = (COUNT,) * 2, (COUNT,) * 3, ("a text", COUNT, COUNT)
"""The types of the entries of a row.

They are limbs and calls; source limbs, target limbs and calls; and an operator, limbs and calls.
"""
FACTS = dict.fromkeys(("title", "parameters", "source", "stated", "assumed"), "a text") | {"milliseconds": "a number"}
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class HeWorkload:
    """A workload to be estimated.

    Attributes:
        title: A description of the workload.
        parameters: The parameters of its operators.
        source: The source of its counts.
        stated: The assumptions that the paper states.
        assumed: The assumptions that the paper does not state.
        milliseconds: The time that the paper reports, in milliseconds.
        kernels: The number of vectors of N residues for each kernel, and of pairs of limbs for "convert".
        calls: The number of calls of kernels or operators, by name.
        limbs: The sum of the limbs of all calls, by operator; empty if the workload counts kernels.
    """

    title: str
    parameters: HeParameters
    source: str
    stated: str
    assumed: str
    milliseconds: float
    kernels: Mapping[str, int]
    calls: Mapping[str, int]
    limbs: Mapping[str, int]


def workloads() -> dict[str, HeWorkload]:
    """Return the workloads of workloads.toml by name: "bootstrapping", "mnist" and "helr"."""
    found = read_toml(WORKLOADS, "workloads", WORKLOADS.name)
    return {name: _workload(row, f"{WORKLOADS.name}, {name}") for name, row in found.items()}


def workload_text(text: str) -> dict[str, HeWorkload]:
    """Return the workloads in a text that has the format of workloads.toml.

    Raises:
        MomagenError: A key is missing, an operator is unknown, or a number of limbs is out of range.
    """
    found = parse_toml(text, "workloads", "workloads")
    return {name: _workload(row, f"workloads, {name}") for name, row in found.items()}


def _workload(raw: object, where: str) -> HeWorkload:
    """Return the workload of one table, which counts either operators or kernels."""
    by_operator = isinstance(raw, dict) and "operators" in raw
    lists = {OPERATORS: OPERATOR_ROW} if by_operator else dict.fromkeys(KERNELS, KERNEL_ROW) | {CONVERT: CONVERT_ROW}
    row = checked(raw, {**FACTS, **dict.fromkeys(lists, "a list")}, where)
    rows = {name: rows_of(row[name], kinds, f"{where}, {name}") for name, kinds in lists.items()}
    facts = {name: row[name] for name in FACTS} | {"parameters": preset(row["parameters"])}
    found = _of_operators(rows[OPERATORS], facts["parameters"]) if by_operator else _of_kernels(rows)
    limbs = Counter[str]()
    for operator, each, times in rows.get(OPERATORS, ()):
        limbs[operator] += each * times
    return HeWorkload(**facts, kernels=found[0], calls=found[1], limbs=dict(limbs))


def _of_operators(rows: Rows, parameters: HeParameters) -> tuple[dict[str, int], dict[str, int]]:
    """Return the counts of kernels and of operators."""
    total, calls = Counts(), Counter[str]()
    for operator, limbs, times in rows:
        calls[operator] += times
        for key, count in counts(operator, parameters, limbs).items():
            total[key] += count * times
    return summed(total), dict(calls)


def _of_kernels(rows: dict[str, Rows]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the counts of vectors, or of pairs of limbs, and of calls."""
    return {name: sum(map(prod, row)) for name, row in rows.items()}, {
        name: sum(each[-1] for each in row) for name, row in rows.items()
    }


def estimated(kernels: Mapping[str, int], nanoseconds: Mapping[str, float]) -> dict[str, float]:
    """Return the estimated time in milliseconds of each kernel, and of all as "total".

    Args:
        kernels: The number of vectors, or of pairs of limbs, by kernel. "transform" is in either direction.
        nanoseconds: The time of one vector, or of one pair of limbs, by kernel. "transform" takes the mean of "ntt" and
            "intt".

    Raises:
        MomagenError: A kernel has no time.
    """
    known = {"transform": (nanoseconds.get("ntt", 0.0) + nanoseconds.get("intt", 0.0)) / 2, **nanoseconds}
    for name in kernels:
        if name not in known:
            raise among("one of the kernels whose time is known:", known, name, "kernel")
    spent = {name: count * known[name] / 1e6 for name, count in kernels.items()}
    return {**spent, "total": sum(spent.values())}
