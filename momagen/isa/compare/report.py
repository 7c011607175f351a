"""Comparisons of instruction sets as tables, as JSON data and as plots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from momagen.bench.measure.kernel import unit_of
from momagen.bench.measure.machine import machine
from momagen.bench.measure.sample import spread
from momagen.bench.report.figure import number
from momagen.plots import renderer
from momagen.plots.looks import look
from momagen.plots.picture import Bars, Panel, Picture
from momagen.screen.tables import ReportTable, number_table

from .workload import Measured, Workload, quantities, ratios

EXPLAINED = """\
All numbers are per butterfly or element. instructions: all instructions that the compiled kernel executes, including
those of loops and addresses. port floor: the fewest cycles in which that core can issue them. cycles: measured on this
CPU, side by side. In brackets: the first row divided by this one. * projected: proxies replace instructions that no CPU
has."""


def kernels(found: Sequence[Measured]) -> list[str]:
    """Return the names of the compared kernels, in order."""
    return list(dict.fromkeys(row.case.kernel for row in found))


def tables(found: Sequence[Measured], base: str) -> Iterator[tuple[str, ReportTable]]:
    """Yield a title and a table for every kernel and quantity.

    The tables have a row for each target and a column for each width and size.

    Args:
        found: The measurements.
        base: The name of the target with which the others are compared.
    """
    for kernel in kernels(found):
        rows = [row for row in found if row.case.kernel == kernel]
        unit = unit_of(kernel)
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
    """Return the heading of a column: its width and its size.

    A width or a size that all columns share is omitted; if they share both, the heading is the width.
    """
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
    """Return the comparison as plain data for JSON."""
    bases = {row.case: row for row in found if row.target == base}
    rows = []
    for row in found:
        told = ratios(row, bases[row.case])
        rows.append({**row.data(), "over_base": {what: vars(found) for what, found in told.items()}})
    return {"machine": machine(), "base": base, "rows": rows}


def draw(found: Sequence[Measured], base: str, folder: Path, kind: str) -> list[Path]:
    """Write a plot KERNEL.KIND for every kernel, and return the paths.

    A plot has a panel for each quantity. Its bars, in groups by width or size, show the quantity of ``base``
    divided by that of each target.

    Args:
        found: The measurements.
        base: The name of the target with which the others are compared.
        folder: The folder, which exists.
        kind: The format, "svg" or "png".

    Raises:
        MomagenError: The format is unknown, or matplotlib is not installed.
    """
    renderer.check(kind)
    return [
        renderer.write(_picture([row for row in found if row.case.kernel == kernel], kernel, base), path)
        for kernel in kernels(found)
        for path in (folder / f"{kernel}.{kind}",)
    ]


def _picture(rows: Sequence[Measured], kernel: str, base: str) -> Picture:
    names = list(dict.fromkeys(name for row in rows for name in quantities(row)))
    panels = [_panel(rows, base, name, f"{base} / target" * (at == 0)) for at, name in enumerate(names)]
    return Picture(kernel, panels)


def _panel(rows: Sequence[Measured], base: str, name: str, up: str) -> Panel:
    bases = {row.case: row for row in rows if row.target == base}
    columns, targets = (list(dict.fromkeys(getattr(row, key) for row in rows)) for key in ("case", "target"))
    bars = []
    for at, target in enumerate(targets):
        own = {row.case: ratios(row, bases[row.case]) for row in rows if row.target == target}
        heights = {label(case, columns): told[name].median for case, told in own.items() if name in told}
        bars.append(Bars(target, heights, look(at)))
    groups = [label(case, columns) for case in columns]
    return Panel("", up, name, bars=bars, groups=groups, slanted=True)
