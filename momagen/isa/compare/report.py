"""Comparisons of instruction sets as tables, as data for programs, and as plots."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from momagen.bench.measure.machine import machine
from momagen.bench.measure.sample import spread
from momagen.bench.report import plot
from momagen.bench.report.figure import number
from momagen.kernels.spec.kinds import BLAS
from momagen.screen.tables import ReportTable, number_table

from .workload import Measured, Workload, quantities, ratios

EXPLAINED = """\
All numbers are per butterfly or element. instructions: all instructions that the compiled kernel executes, including
those of loops and addresses. port floor: the fewest cycles in which that core can issue them. cycles: measured on this
CPU, side by side. In brackets: the first row divided by this one. * projected: proxies replace instructions that no CPU
has."""


def kernels(found: Sequence[Measured]) -> list[str]:
    """What was compared, in order."""
    return list(dict.fromkeys(row.case.kernel for row in found))


def tables(found: Sequence[Measured], base: str) -> Iterator[tuple[str, ReportTable]]:
    """For every kernel and quantity a title, and a table with a row per target and a column per width and size."""
    for kernel in kernels(found):
        rows = [row for row in found if row.case.kernel == kernel]
        unit = "element" if kernel in BLAS else "butterfly"
        for what in dict.fromkeys(name for row in rows for name in quantities(row)):
            yield f"{kernel}: {what} per {unit}", _table(rows, what, base)


def _table(rows: Sequence[Measured], what: str, base: str) -> ReportTable:
    columns = list(dict.fromkeys(row.case for row in rows))
    result = number_table(label(case, columns) for case in columns)
    at = {(row.target, row.case): row for row in rows}
    for target in dict.fromkeys(row.target for row in rows):
        cells = [_cell(at[target, case], at[base, case], what) for case in columns]
        projected = any(at[target, case].projected for case in columns)
        result.add_row(f"{target}{' *' * projected}", *cells)
    return result


def label(case: Workload, among: Sequence[Workload]) -> str:
    """Its width, and its size where they differ."""
    sizes, widths = {each.n for each in among}, {each.bits for each in among}
    parts = [f"{case.bits} bits"] * (len(widths) > 1 or len(sizes) == 1)
    return ", ".join([*parts, *[f"2^{case.n.bit_length() - 1}"] * (len(sizes) > 1)])


def _cell(row: Measured, base: Measured, what: str) -> str:
    values = quantities(row).get(what)
    if not values:
        return "–"
    told = ratios(row, base).get(what)
    return f"{number(spread(values).median)} ({told.median:.2f} ×)" if told else number(spread(values).median)


def data(found: Sequence[Measured], base: str) -> dict[str, object]:
    """Plain data for JSON."""
    bases = {row.case: row for row in found if row.target == base}
    rows = []
    for row in found:
        told = ratios(row, bases[row.case])
        rows.append({**row.data(), "over_base": {what: vars(found) for what, found in told.items()}})
    return {"machine": machine(), "base": base, "rows": rows}


def draw(found: Sequence[Measured], base: str, folder: Path, kind: str) -> list[Path]:
    """Write KERNEL.KIND for every kernel: a panel per quantity, how many times less than ``base`` each target takes, in
    groups of bars by width or size.

    Raises:
        MomagenError: an unknown format, or matplotlib is missing.
    """
    plot.check(kind)
    return [_figure([row for row in found if row.case.kernel == kernel], kernel, base, folder, kind)
            for kernel in kernels(found)]  # fmt: skip


def _figure(rows: Sequence[Measured], kernel: str, base: str, folder: Path, kind: str) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in quantities(row)))
    size = plot.PANEL[0] * max(len(names), 1), plot.PANEL[1]
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=size, layout="constrained")
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for name, ax in zip(names, panels, strict=True):
        _bars(ax, rows, base, name)
    panels[0].set_ylabel(f"times less than {base}")
    handles = dict(zip(*panels[0].get_legend_handles_labels()[::-1], strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle(kernel, fontsize=10)
    path = folder / f"{kernel}.{kind}"
    figure.savefig(path, dpi=150, bbox_inches="tight")
    return path


def _bars(ax: Any, rows: Sequence[Measured], base: str, name: str) -> None:
    bases = {row.case: row for row in rows if row.target == base}
    columns, targets = (list(dict.fromkeys(getattr(row, key) for row in rows)) for key in ("case", "target"))
    width = 0.8 / len(targets)
    for at, target in enumerate(targets):
        own = {row.case: ratios(row, bases[row.case]) for row in rows if row.target == target}
        bars = {columns.index(case): told[name].median for case, told in own.items() if name in told}
        places = [place + (at + 0.5) * width - 0.4 for place in bars]
        ax.bar(places, list(bars.values()), width, label=target, color=plot.COLOURS[at % len(plot.COLOURS)])
    ax.set_xticks(range(len(columns)), [label(case, columns) for case in columns], rotation=30)
    ax.set_title(name, fontsize=9)
