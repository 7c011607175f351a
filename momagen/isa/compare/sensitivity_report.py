"""Sensitivity to the parts of a proposal, and errors of proxies, as tables and plots."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from momagen.bench.report import plot
from momagen.screen.tables import ReportTable, number_table

from .sensitivity import Normalised
from .validate import ProxyError

EXPLAINED = """\
Numbers are relative to the base: means over all sizes of a transform, and over the four operations at 1024 elements.
instructions: all that the kernels execute; port floors: the fewest cycles in which that core can issue them; cycles:
measured on this CPU."""
ERRORS = """\
Errors are (t_target - t_proxy) / t_target in per cent, with the 10th to 90th percentile of the rounds in brackets. If
an error is below zero, the proxy is slower than the instruction. Counted quantities compare the compiled code of both.
paper: Table 6, Xeon 8352Y and EPYC 9654."""


def tables(rows: Sequence[Normalised]) -> Iterator[tuple[str, ReportTable]]:
    """For every quantity a row per variant and a column per kind of kernel and width."""
    for what in dict.fromkeys(row.what for row in rows):
        own = [row for row in rows if row.what == what]
        columns = list(dict.fromkeys((row.kind, row.bits) for row in own))
        result = number_table(f"{kind}, {bits}" for kind, bits in columns)
        at = {(row.title, row.kind, row.bits): f"{row.over_base:.3f}" for row in own}
        for title in dict.fromkeys(row.title for row in own):
            result.add_row(title, *(at.get((title, *column), "–") for column in columns))
        yield f"{what}, relative to the base", result


def error_table(found: Sequence[ProxyError]) -> ReportTable:
    """A row per pair, a column per quantity, and the paper's figures."""
    names = list(dict.fromkeys(what for row in found for what in row.errors))
    result = number_table((*names, "paper, Intel", "paper, AMD"), ("target instruction", "proxy"))
    for row in found:
        cells = [_error(row, name) for name in names]
        pair = row.pair
        result.add_row(pair.instruction, pair.proxy, *cells, f"{pair.intel:.2f} %", f"{pair.amd:.2f} %")
    return result


def _error(row: ProxyError, name: str) -> str:
    found = row.errors.get(name)
    if not found:
        return "–"
    spread = f" ({found.low:.1f} … {found.high:.1f})" if found.count > 1 else ""
    return f"{found.median:.2f} %{spread}"


def draw(rows: Sequence[Normalised], folder: Path, kind: str) -> Path:
    """Write sensitivity.KIND, as Figure 6 of the MQX paper: a panel per quantity, bars of all variants by kernel.

    Raises:
        MomagenError: an unknown format, or matplotlib is missing.
    """
    plot.check(kind)
    names = list(dict.fromkeys(row.what for row in rows))
    size = plot.PANEL[0] * len(names), plot.PANEL[1]
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=size, layout="constrained")
    titles = list(dict.fromkeys(row.title for row in rows))
    for name, ax in zip(names, figure.subplots(1, len(names), squeeze=False)[0], strict=True):
        own = [row for row in rows if row.what == name]
        columns = list(dict.fromkeys((row.kind, row.bits) for row in own))
        for at, title in enumerate(titles):
            bars = {columns.index((row.kind, row.bits)): row.over_base for row in own if row.title == title}
            places = [x + (at + 0.5) * 0.8 / len(titles) - 0.4 for x in bars]
            ax.bar(places, list(bars.values()), 0.8 / len(titles), label=title, color=plot.COLOURS[at % 8])
        ax.set_xticks(range(len(columns)), [f"{kernel}, {bits}" for kernel, bits in columns], rotation=30)
        ax.set_title(name, fontsize=9)
    figure.axes[0].set_ylabel("over the base")
    figure.axes[0].legend(frameon=False, fontsize=8)
    path = folder / f"sensitivity.{kind}"
    figure.savefig(path, dpi=150, bbox_inches="tight")
    return path
