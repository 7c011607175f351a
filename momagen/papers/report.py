"""Exhibits as text and as data for programs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType

from momagen.screen.tables import number_table

from .exhibit import TEXTS, Exhibit
from .lists import NONE, list_table, number_text, reasons
from .series import OUTCOMES, Place, ResultSeries, Series, StatedSeries, Value, ratios


def shown(exhibits: Sequence[Exhibit]) -> Iterator[RenderableType]:
    """Yield the title and the table of every exhibit, then a count of the outcomes of all stated numbers."""
    for exhibit in exhibits:
        yield f"\n{exhibit.where}: {exhibit.title}{f', {exhibit.unit}' * bool(exhibit.unit)}"
        if exhibit.stated or exhibit.measured:
            yield list_table(exhibit) if exhibit.form == "list" else _table(exhibit)
        yield from _notes(exhibit)
    yield f"\nStated numbers: {', '.join(f'{count} {name}' for name, count in outcomes(exhibits).items())}."


def outcomes(exhibits: Sequence[Exhibit]) -> dict[str, int]:
    """Return how many stated numbers have each outcome."""
    counts = Counter(series.outcome for exhibit in exhibits for series in exhibit.stated for _ in series.points)
    return {name: counts[name] for name in OUTCOMES}


def _table(exhibit: Exhibit) -> RenderableType:
    columns = exhibit.places([*exhibit.stated, *exhibit.measured])
    table = number_table(map(str, columns))
    for each in exhibit.stated:
        table.add_row(f"{each.what} (stated)", *_cells(each, columns))
    for own in exhibit.measured:
        table.add_row(own.what, *_cells(own, columns))
    for each in exhibit.stated:
        if found := ratios(each, exhibit.measured):
            cells = [_ratio(found[at]) if at in found else NONE for at in columns]
            table.add_row(f"{each.ours} / {each.what}", *cells)
    return table


def _cells(series: Series, columns: Sequence[Place]) -> list[str]:
    return [number_text(series.points[at]) if at in series.points else NONE for at in columns]


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def _notes(exhibit: Exhibit) -> Iterator[str]:
    yield from reasons(exhibit)
    yield from dict.fromkeys(f"{', '.join(map(str, each.points))}: {each.note}" for each in exhibit.stated if each.note)
    for source in dict.fromkeys(each.source for each in exhibit.measured if each.source):
        yield f"numbers of momagen: {source}"


def data(exhibits: Sequence[Exhibit]) -> list[dict[str, Any]]:
    """Return the exhibits as plain data for JSON."""
    return [{**{name: getattr(each, name) for name in (*TEXTS, "unprinted")},
             "stated": [_stated(row, each.measured) for row in each.stated],
             "measured": [{**_series(row), "source": row.source} for row in each.measured]}
            for each in exhibits]  # fmt: skip


def _series(series: Series) -> dict[str, Any]:
    values = [_finite(value) for value in series.points.values()]
    return {"what": series.what, "unit": series.unit, "at": [*series.points], "values": values}


def _finite(value: Value) -> object:
    """Return a value for JSON, which has no infinity: an open end of a range is null."""
    if isinstance(value, tuple):
        return [None if math.isinf(end) else end for end in value]
    return value


def _stated(series: StatedSeries, measured: Sequence[ResultSeries]) -> dict[str, Any]:
    names = ("where", "outcome", "why", "ours", "key", "note", "within", "points_off")
    more = {name: getattr(series, name) for name in names}
    return {**_series(series), **more, "ratios": [[at, ratio] for at, ratio in ratios(series, measured).items()]}
