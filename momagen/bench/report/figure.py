"""A measured figure with its performance threshold, and the tables, JSON and CSV of several figures."""

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
    """A measured value, its threshold, and remarks about it.

    Attributes:
        section: The section of the suite.
        name: The name of the figure: what was measured.
        value: The value, or None if nothing could be measured, in which case ``note`` says why.
        unit: The unit of the value, the percentiles and the threshold; "" for a pure number.
        limit: The threshold, or None if the figure has none.
        at_least: Whether the threshold is a lower bound.
        low: The 10th percentile of the sample, or None.
        high: The 90th percentile of the sample, or None.
        samples: The size of the sample.
        note: A remark.
        error: Whether the measurement failed.
        detail: Whether only JSON and CSV contain the figure; in tables another figure represents it.
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
        """Whether the threshold is met, or None without a threshold or a value."""
        if self.error:
            return False
        if self.limit is None or self.value is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def bar(self) -> str:
        """The threshold as text, such as "≤ 1.1", or ""."""
        return "" if self.limit is None else f"{'≥' if self.at_least else '≤'} {self.limit:g}"

    def row(self) -> dict[str, object]:
        """Return the figure as plain data, with the keys ``COLUMNS`` in order."""
        data = {**asdict(self), "bar": self.bar, "ok": self.ok}
        return {column: data[column] for column in COLUMNS}

    def cells(self) -> list[str]:
        """Return the texts of a table row: name, value with unit, percentiles, threshold, verdict and note."""
        span = f"{number(self.low)} … {number(self.high)}" if self.low is not None else ""
        return [self.name, f"{number(self.value)} {self.unit}".strip(), span, self.bar, VERDICTS[self.ok], self.note]


def spread_figure(
    section: str, name: str, sample: Spread, unit: str = "", limit: float | None = None, at_least: bool = False
) -> Figure:
    """Return the figure of a sample: its median with its percentiles."""
    return Figure(section, name, sample.median, unit, limit, at_least, sample.low, sample.high, sample.count)


def failure(section: str, name: str, error: Exception) -> Figure:
    """Return the figure for a measurement that failed."""
    return Figure(section, name, None, note=str(error), error=True)


def shown(figures: Iterable[Figure]) -> list[Figure]:
    """Return the figures that a table lists and a verdict counts: all except details."""
    return [figure for figure in figures if not figure.detail]


def number(value: float | None) -> str:
    """Return a number with three significant digits.

    Integers and numbers of at least 1000 have no decimals; None is a dash.
    """
    if value is None:
        return "–"
    return f"{value:.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"


def table(title: str, figures: Iterable[Figure]) -> ReportTable:
    """Return the table of a section for the terminal."""
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
    """Return the table of a section in Markdown."""
    head = ["figure", *HEADERS, "", "note"]
    return texts.markdown(title, head, (figure.cells() for figure in shown(figures)))


def as_json(machine: Mapping[str, object], figures: Iterable[Figure]) -> str:
    """Return the machine and the figures as a JSON object."""
    return json.dumps({"machine": machine, "figures": [f.row() for f in figures]}, indent=2, ensure_ascii=False)


def as_csv(figures: Iterable[Figure]) -> str:
    """Return the figures as CSV with a header."""
    return texts.as_csv(COLUMNS, (figure.row() for figure in figures))
