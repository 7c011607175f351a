"""Tables and plots of the sensitivity to the parts of a proposal, and of the errors of proxies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from momagen.plots import renderer
from momagen.plots.looks import look
from momagen.plots.picture import Bars, Panel, Picture
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
    """Yield a title and a table for every quantity: a row per variant, and a column per kind of kernel and width."""
    for what in dict.fromkeys(row.what for row in rows):
        own = [row for row in rows if row.what == what]
        columns = list(dict.fromkeys((row.kind, row.bits) for row in own))
        result = number_table(f"{kind}, {bits}" for kind, bits in columns)
        at = {(row.title, row.kind, row.bits): f"{row.over_base:.3f}" for row in own}
        for title in dict.fromkeys(row.title for row in own):
            result.add_row(title, *(at.get((title, *column), "–") for column in columns))
        yield f"{what}, relative to the base", result


def error_table(found: Sequence[ProxyError]) -> ReportTable:
    """Return a table with a row per pair, a column per quantity, and the errors that the paper states."""
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
    """Write sensitivity.KIND in the style of Figure 6 of the MQX paper.

    It has a panel per quantity, with bars of all variants by kernel.

    Raises:
        MomagenError: The format is unknown, or matplotlib is missing.
    """
    renderer.check(kind)
    names = list(dict.fromkeys(row.what for row in rows))
    panels = [_panel([row for row in rows if row.what == name], rows, name, at) for at, name in enumerate(names)]
    return renderer.write(Picture("sensitivity", panels), folder / f"sensitivity.{kind}")


def _panel(own: Sequence[Normalised], rows: Sequence[Normalised], name: str, at: int) -> Panel:
    titles = dict.fromkeys(row.title for row in rows)
    groups = dict.fromkeys(_group(row) for row in own)
    bars = [
        Bars(title, {_group(row): row.over_base for row in own if row.title == title}, look(number))
        for number, title in enumerate(titles)
    ]
    return Panel("", "over the base" * (at == 0), name, bars=bars, groups=[*groups], slanted=True)


def _group(row: Normalised) -> str:
    return f"{row.kind}, {row.bits}"
