"""Workloads estimated as CROSS does: counts of kernels times what each takes alone, and nothing fused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError, among
from momagen.tables import parse_toml, read_toml

from .counts import Counts, counts, summed
from .parameters import HeParameters, preset

WORKLOADS = Path(__file__).with_name("workloads.toml")
KERNELS = ("add", "multiply", "permute", "transform")
"""Of workloads that count kernels; conversions beside them."""


@dataclass(frozen=True)
class HeWorkload:
    """What is estimated.

    Attributes:
        title: in words. parameters: that its operators have. source: of its counts. stated, assumed: what the paper
            says of it, and what it does not. milliseconds: that the paper has.
        kernels: how many vectors of N residues go through which kernel, and pairs of limbs through "convert".
        calls: of kernels, or of operators, by name.
    """

    title: str
    parameters: HeParameters
    source: str
    stated: str
    assumed: str
    milliseconds: float
    kernels: Mapping[str, int]
    calls: Mapping[str, int]


def workloads() -> dict[str, HeWorkload]:
    """Those of workloads.toml: "bootstrapping", "mnist", "helr"."""
    found = read_toml(WORKLOADS, "workloads", WORKLOADS.name)
    return {name: _workload(row, f"{WORKLOADS.name}, {name}") for name, row in found.items()}


def workload_text(text: str) -> dict[str, HeWorkload]:
    """Workloads of a text as workloads.toml has them.

    Raises:
        MomagenError: keys that it lacks, an operator that does not exist, or limbs that its parameters do not have.
    """
    found = parse_toml(text, "workloads", "workloads")
    return {name: _workload(row, f"workloads, {name}") for name, row in found.items()}


def _workload(row: dict[str, Any], where: str) -> HeWorkload:
    wanted = ("title", "parameters", "source", "stated", "assumed", "milliseconds")
    if missing := [name for name in wanted if name not in row]:
        raise MomagenError(f"the key “{missing[0]}”", ", ".join(row), where)
    parameters = preset(row["parameters"])
    calls: Counter[str] = Counter()
    if "operators" in row:
        total: Counts = Counter()
        for operator, limbs, times in row["operators"]:
            calls[operator] += times
            for key, count in counts(operator, parameters, limbs).items():
                total[key] += count * times
        kernels = summed(total)
    else:
        kernels = {name: sum(limbs * times for limbs, times in row[name]) for name in KERNELS}
        kernels["convert"] = sum(low * high * times for low, high, times in row["convert"])
        calls = Counter({name: sum(each[-1] for each in row[name]) for name in (*KERNELS, "convert")})
    source, stated, assumed, milliseconds = (row[name] for name in wanted[2:])
    return HeWorkload(row["title"], parameters, source, stated, assumed, milliseconds, kernels, dict(calls))


def estimated(kernels: Mapping[str, int], nanoseconds: Mapping[str, float]) -> dict[str, float]:
    """Milliseconds by kernel, from nanoseconds of one vector, or of one pair of limbs; "total" too.

    "transform", of either direction, takes the mean of "ntt" and "intt".

    Raises:
        MomagenError: a kernel without a time.
    """
    known = {"transform": (nanoseconds.get("ntt", 0.0) + nanoseconds.get("intt", 0.0)) / 2, **nanoseconds}
    for name in kernels:
        if name not in known:
            raise among("times of", known, name, "kernel")
    spent = {name: count * known[name] / 1e6 for name, count in kernels.items()}
    return {**spent, "total": sum(spent.values())}
