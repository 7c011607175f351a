"""Estimates for Table IX and Figures 12 and 14: the number of calls of each kernel times its time alone.

Nothing is fused or overlapped. The paper estimates bootstrapping, MNIST and HELR in this way. Its Figures 12 and 14
are profiles; ours are estimates for this device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from momagen.he.counts import counts, summed
from momagen.he.parameters import HeParameters, preset

from .operators.needs import NAMES
from .published import published
from .race.trials import SweepSettings
from .workloads import estimated, workloads

Rates = Callable[[HeParameters], Mapping[str, float] | None]
"""A function that returns the nanoseconds of one vector, or of one pair of limbs, by kernel; None if one was not
measured."""
Estimate = dict[str, Any]
MADE = "counts of kernels times what each takes alone"
TINY = HeParameters(16, 2, 28, 2, name="quick")
GROUPS = {"VecModOps": ("multiply", "add"), "NTT": ("ntt",), "INTT": ("intt",), "BConv": ("convert",),
          "Permutation": ("permute",)}  # fmt: skip
"""The kernels by the paper's names."""


def table9(settings: SweepSettings, rates: Rates) -> Iterator[Estimate]:
    """Yield the estimates of the workloads."""
    table = published()["table9"]
    for name, work in workloads().items():
        found = rates(TINY if settings.quick else work.parameters)
        paper: dict[str, Any] = {"milliseconds": work.milliseconds, "stated": work.stated, "assumed": work.assumed}
        if name == "bootstrapping":
            paper |= {"others": table["milliseconds"], "shares": table["shares"], "of": table["of"]}
        if found is not None:
            yield _estimate("table9", work.title, work.parameters.name, work.kernels, found, paper)


def fig12(settings: SweepSettings, rates: Rates) -> Iterator[Estimate]:
    """Yield the estimates of HE-Mult and Rotate of Set D."""
    table = published()["fig12"]
    for operator in ("multiply", "rotate"):
        paper = {"shares": dict(zip(table["kinds"], table[operator], strict=True)), "of": table["of"]}
        yield from _operator("fig12", settings, rates, table["set"], operator, paper)


def fig14(settings: SweepSettings, rates: Rates) -> Iterator[Estimate]:
    """Yield the estimates of operators of several sets on this device; the paper profiles another library on a CPU."""
    table = published()["fig14"]
    least, most = table["transforms"]
    paper = {"transforms": f"{least} to {most} %", "of": table["of"]}
    for name in table["sets"]:
        for operator in table["operators"]:
            yield from _operator("fig14", settings, rates, name, operator, paper)


def _operator(
    section: str, settings: SweepSettings, rates: Rates, name: str, operator: str, paper: dict[str, Any]
) -> Iterator[Estimate]:
    p = TINY if settings.quick else preset(name)
    found = rates(p)
    if found is not None:
        yield _estimate(section, NAMES[operator], name, summed(counts(operator, p)), found, paper)


def _estimate(
    section: str, title: str, name: str, kernels: Mapping[str, int], rates: Mapping[str, float], paper: dict[str, Any]
) -> Estimate:
    spent = estimated(kernels, rates)
    total = spent.pop("total")
    percent = {kernel: 100 * each / total for kernel, each in spent.items()}
    return {"section": section, "title": title, "set": name, "made": MADE, "milliseconds": total,
            "kernels": dict(kernels), "shares": percent, "groups": groups(percent), "paper": paper}  # fmt: skip


def groups(shares: Mapping[str, float]) -> dict[str, float]:
    """Return the shares by the paper's names; transforms that are counted in both directions together count as NTT."""
    found = {kind: sum(shares.get(name, 0.0) for name in names) for kind, names in GROUPS.items()}
    found["NTT"] += shares.get("transform", 0.0)
    return found


ESTIMATES: Mapping[str, Callable[[SweepSettings, Rates], Iterator[Estimate]]] = {
    "table9": table9, "fig12": fig12, "fig14": fig14,
}  # fmt: skip
