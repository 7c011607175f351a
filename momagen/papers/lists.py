"""Single numbers of a paper as the rows of a table, each with the numbers of momagen, and the reasons for outcomes."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from momagen.screen.tables import number_table

from .exhibit import Exhibit
from .series import Place, StatedSeries, Value, ratios

NONE = "–"
"""The text of a cell without a number."""


def list_table(exhibit: Exhibit) -> RenderableType:
    """Return a table with a row for each stated number, and a column for each measured series."""
    names = list(dict.fromkeys(each.what for each in exhibit.measured))
    table = number_table(["stated", *names, "ratio"])
    for column in ("threshold", "outcome"):
        table.add_column(column)
    rows = [(each, at) for each in exhibit.stated for at in each.points]
    for each, at in rows:
        found = ratios(each, exhibit.measured).get(at)
        threshold = each.threshold(at)
        cells = [_found(exhibit, name, at) for name in names]
        judged = [threshold.bar, each.outcome]
        ratio = f"{found:.2f}" if found else NONE
        table.add_row(named(each, at), number_text(each.points[at]), *cells, ratio, *judged)
    for at in dict.fromkeys(at for each in exhibit.measured for at in each.points):
        if at not in {place for _, place in rows}:
            table.add_row(str(at), NONE, *(_found(exhibit, name, at) for name in names), NONE, "", "")
    return table


def number_text(value: Value) -> str:
    """Return a number or a range as text."""
    if isinstance(value, tuple):
        low, high = value
        return f"≥ {number_text(low)}" if high == float("inf") else f"{number_text(low)} to {number_text(high)}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def named(series: StatedSeries, at: Place) -> str:
    """Return the name of a stated number with its unit."""
    return f"{at}, {series.unit}" if series.unit else str(at)


def reasons(exhibit: Exhibit) -> Iterator[str]:
    """Yield each outcome that has a reason, with the reason."""
    if exhibit.why and not exhibit.stated:
        yield f"{exhibit.outcome}: {exhibit.why}"
    yield from dict.fromkeys(f"{each.outcome}: {each.why}" for each in exhibit.stated if each.why)
    if exhibit.unprinted:
        yield f"out of reach: the paper draws {', '.join(exhibit.unprinted)}, but prints no number"


def _found(exhibit: Exhibit, name: str, at: Place) -> str:
    own = [each.points[at] for each in exhibit.measured if each.what == name and at in each.points]
    return number_text(own[0]) if own else NONE
