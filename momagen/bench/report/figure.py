"""One measured figure and its bar, and what a set of them looks like to a person and to a program."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from momagen.bench.measure.sample import Spread
from momagen.screen.tables import ReportTable

from . import texts

HEADERS = ("value", "p10 … p90", "threshold")
COLUMNS = ("section", "name", "value", "low", "high", "samples", "unit", "bar", "ok", "note")
VERDICTS = {True: "PASS", False: "FAIL", None: ""}
STYLES = {True: "green", False: "bold red", None: "dim"}


@dataclass(frozen=True)
class Figure:
    """A number, what it should be, and what is to be known about it.

    Attributes:
        section, name: what was measured. unit: of value, low, high and limit; "" for a pure number.
        value: None where there was nothing to measure; ``note`` says why.
        limit: the bar, or None for a figure without one. at_least: the bar is a lower one.
        low, high, samples: 10th and 90th percentile of the sample and its size, where there is one.
        error: it could not be measured although it should have been.
        detail: for programs only; in tables another figure stands for it.
    """

    section: str
    name: str
    value: float | None
    unit: str = ""
    limit: float | None = None
    at_least: bool = False
    low: float | None = None
    high: float | None = None
    samples: int = 1
    note: str = ""
    error: bool = False
    detail: bool = False

    @property
    def ok(self) -> bool | None:
        """Whether the bar is met; None without a bar or a value."""
        if self.error:
            return False
        if self.limit is None or self.value is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def bar(self) -> str:
        """The bar as text: "≤ 1.1"."""
        return "" if self.limit is None else f"{'≥' if self.at_least else '≤'} {self.limit:g}"

    def row(self) -> dict[str, object]:
        """Plain data, ``COLUMNS`` in order."""
        data = {**asdict(self), "bar": self.bar, "ok": self.ok}
        return {column: data[column] for column in COLUMNS}

    def cells(self) -> list[str]:
        """Text for a table: name, value with unit, spread, bar, verdict, note."""
        span = f"{number(self.low)} … {number(self.high)}" if self.low is not None else ""
        return [self.name, f"{number(self.value)} {self.unit}".strip(), span, self.bar, VERDICTS[self.ok], self.note]


def spread_figure(
    section: str, name: str, sample: Spread, unit: str = "", limit: float | None = None, at_least: bool = False
) -> Figure:
    """The figure of a sample: its median between its percentiles."""
    return Figure(section, name, sample.median, unit, limit, at_least, sample.low, sample.high, sample.count)


def failure(section: str, name: str, error: Exception) -> Figure:
    """The figure that could not be had."""
    return Figure(section, name, None, note=str(error), error=True)


def shown(figures: Iterable[Figure]) -> list[Figure]:
    """What a table lists and a verdict counts: everything but the details, which a worst one stands for."""
    return [figure for figure in figures if not figure.detail]


def number(value: float | None) -> str:
    """Three significant digits, whole numbers whole."""
    if value is None:
        return "–"
    return f"{value:.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"


def table(title: str, figures: Iterable[Figure]) -> ReportTable:
    """A section for the terminal."""
    result = ReportTable(title=title, title_justify="left")
    result.add_column("figure", overflow="fold")
    for header in HEADERS:
        result.add_column(header, justify="right")
    result.add_column("")
    result.add_column("note", overflow="fold")
    for figure in shown(figures):
        name, *numbers, verdict, note = figure.cells()
        result.add_row(name, *numbers, f"[{STYLES[figure.ok]}]{verdict}[/]" if verdict else "", note)
    return result


def markdown(title: str, figures: Iterable[Figure]) -> str:
    """A section for a document."""
    head = ["figure", *HEADERS, "", "note"]
    return texts.markdown(title, head, (figure.cells() for figure in shown(figures)))


def as_json(machine: Mapping[str, object], figures: Iterable[Figure]) -> str:
    """Machine and figures as one JSON object."""
    return json.dumps({"machine": machine, "figures": [f.row() for f in figures]}, indent=2, ensure_ascii=False)


def as_csv(figures: Iterable[Figure]) -> str:
    """One line a figure under a header."""
    return texts.as_csv(COLUMNS, (figure.row() for figure in figures))
