"""Outcomes as a table in Markdown, line by line, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from momagen.bench.measure.machine import machine
from momagen.bench.measure.sample import Spread
from momagen.bench.report.figure import VERDICTS, number
from momagen.errors import MomagenError

from .race import Outcome

HEAD = ("race", "n", "target", "ours", "theirs", "", "ours / theirs", "10 … 90 %", "bar", "", "note")


def head() -> Iterator[str]:
    """The first lines of the table."""
    yield cells_line(HEAD)
    yield cells_line(["---"] * len(HEAD))


def line(outcome: Outcome) -> str:
    """The line of one race."""
    span = outcome.ratio and f"{number(outcome.ratio.low)} … {number(outcome.ratio.high)}"
    verdict = "FAIL" if outcome.failed else VERDICTS[outcome.ok]
    bar = "" if outcome.most is None else f"≤ {outcome.most:g}"
    ours, theirs = (_middle(found, " ns" * (outcome.unit == "ns")) for found in (outcome.ours, outcome.theirs))
    return cells_line([
        outcome.name, str(outcome.n), outcome.target, ours, theirs, outcome.rival, _middle(outcome.ratio), span or "",
        bar, verdict, outcome.note,
    ])  # fmt: skip


def _middle(found: Spread | None, unit: str = "") -> str:
    return "" if found is None else f"{number(found.median)}{unit}"


def cells_line(cells: Sequence[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


BEGIN, END = "<!-- races -->\n", "<!-- end of races -->\n"
"""Lines of a page around its table."""


def renewed(page: str, outcomes: Sequence[Outcome]) -> str:
    """The page with a table of these outcomes between its marks, under the machine and the date.

    Raises:
        MomagenError: the page has no marks.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise MomagenError(f"a page with the lines {BEGIN.strip()} and {END.strip()}", "one without", "--page")
    facts = machine()
    where = f"*{facts['cpu']}, {facts['compilers'][0]}, {facts['date']}.*"  # type: ignore[index]
    table = "".join(f"{each}\n" for each in [*head(), *map(line, outcomes)])
    return f"{before}{begin}\n{where}\n\n{table}\n{end}{after}"


def write(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Machine and outcomes as JSON."""
    told = {"machine": machine(), "rows": [outcome.to_dict() for outcome in outcomes]}
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
