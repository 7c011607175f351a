"""Figures as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from momagen.bench.measure.sample import Spread
from momagen.bench.report.figure import number
from momagen.screen.tables import ReportTable, number_table

from .figures import PaperFigure
from .protocol import Protocol
from .ratios import Ratio
from .rows import COUNTED, PROJECTED, TIME, FigureRow

EXPLAINED = f"""\
{COUNTED}: this CPU lacks the instructions, which are counted but not timed.
{PROJECTED}: proxies replace instructions that no CPU has; results are incorrect, and the time is a projection.
spread: the range from the 10th to the 90th percentile of the rounds' times, divided by the median; the widest of a row.
Ratios: the first divided by the second; the mean over columns, with the least and the greatest ratio."""
Quantity = Callable[[FigureRow], float | None]


def tables(figure: PaperFigure) -> Iterator[tuple[str, ReportTable]]:
    """Yield a title and a table for every known quantity, then those of the ratios."""
    for what, quantity in quantities(figure.rows).items():
        if any(quantity(row) is not None for row in figure.rows):
            yield f"{what} per {figure.rows[0].unit}", _table(figure.rows, quantity, timed=what == "ns")
    if figure.ratios:
        yield "ratios", ratio_table(figure.ratios)


def quantities(rows: Sequence[FigureRow]) -> dict[str, Quantity]:
    """Return the functions that compute a row's quantities for tables, by name."""
    others = dict.fromkeys(what for row in rows for what in row.quantities() if what != TIME)
    return {"ns": nanoseconds, "cycles": cycles, **{what: _named(what) for what in others}}


def nanoseconds(row: FigureRow) -> float | None:
    """Return the nanoseconds per unit, as the median of the rounds, or None."""
    return row.timing.ns.median if row.timing else None


def cycles(row: FigureRow) -> float | None:
    """Return the cycles per unit, as the median of the rounds; None if the clock of this machine is unknown."""
    return row.timing.cycles.median if row.timing and row.timing.cycles else None


def _named(what: str) -> Quantity:
    return lambda row: row.quantities().get(what)


def _table(rows: Sequence[FigureRow], quantity: Quantity, timed: bool) -> ReportTable:
    """Return a table with a row per contestant and a column per size or kernel.

    A table of times also has the spread, and whether the row was measured, counted or projected.
    """
    labels = list(dict.fromkeys(row.label for row in rows))
    result = number_table(labels)
    for header in ("spread", "") if timed else ():
        result.add_column(header, justify="right" if header else "left")
    for name in dict.fromkeys(row.name for row in rows):
        own = {row.label: row for row in rows if row.name == name}
        if not timed and not any(quantity(row) is not None for row in own.values()):
            continue
        cells = [number(quantity(own[label]) if label in own else None) for label in labels]
        status = next((row.status for row in own.values() if row.status), "")
        more = [widest(list(own.values())), status] if timed else []
        result.add_row(name, *cells, *more)
    return result


def widest(rows: Sequence[FigureRow]) -> str:
    """Return the widest spread of the rows that were timed, such as "6 %"."""
    parts = [(row.timing.ns.high - row.timing.ns.low) / row.timing.ns.median for row in rows if row.timing]
    return f"{100 * max(parts):.0f} %" if parts else ""


def ratio_table(found: Sequence[Ratio]) -> ReportTable:
    """Return a table with a row per pair, a column per quantity, and a column for each CPU of the paper."""
    names = list(dict.fromkeys(what for each in found for what in each.by))
    cpus = list(dict.fromkeys(cpu for each in found for cpu in each.paper))
    result = number_table([*names, *(f"paper: {cpu}" for cpu in cpus)])
    for each in found:
        cells = [ratio_text(each.by[what]) if what in each.by else "–" for what in names]
        paper = [f"{each.paper[cpu]:g} ×" if cpu in each.paper else "" for cpu in cpus]
        result.add_row(f"{each.above} / {each.below}", *cells, *paper)
    return result


def ratio_text(labels: Mapping[str, Spread]) -> str:
    """Return the mean with the least and the greatest ratio, such as "2.31 × (2.2 … 2.4)"."""
    values = [found.median for found in labels.values()]
    span = f" ({min(values):.2f} … {max(values):.2f})" if len(values) > 1 else ""
    return f"{sum(values) / len(values):.2f} ×{span}"


def notes(figure: PaperFigure) -> Iterator[str]:
    """Yield the notes on a figure, one line each.

    They state the protocol, missing libraries, incorrect outputs, options, and the reasons for empty rows.
    """
    if any(row.timing for row in figure.rows):
        yield protocol_text(figure.protocol)
    yield from figure.missing.values()
    wrong = [f"{row.name}, {row.label}" for row in figure.rows if row.wrong]
    yield from [f"FAIL: wrong output of {'; '.join(wrong)}"] if wrong else []
    yield from dict.fromkeys(f"{row.name}: {row.note}" for row in figure.rows if row.note)


def protocol_text(protocol: Protocol) -> str:
    """Return a description of a protocol."""
    return f"timed: the mean of the final {protocol.kept} of {protocol.runs:,} runs, {protocol.rounds} times; medians"
