"""New measurements of the exhibits of a paper, and their file."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Sequence
from dataclasses import replace

from momagen import __version__
from momagen.bench.measure.machine import cpu
from momagen.errors import MomagenError
from momagen.screen.progress import Report, part_of

from .exhibit import Paper
from .series import ResultSeries


def measure(paper: Paper, names: Sequence[str], progress: Report) -> tuple[list[ResultSeries], dict[str, str]]:
    """Measure exhibits of a paper.

    Args:
        paper: The paper.
        names: The exhibits, which have a function that measures them.
        progress: The report of progress.

    Returns:
        The series with their source, and by exhibit why it was not measured.

    Raises:
        MomagenError: The only exhibit cannot be measured.
    """
    found: list[ResultSeries] = []
    failed: dict[str, str] = {}
    for at, name in enumerate(names):
        source = f"{described()}: momagen paper {paper.name} {name} --measure"
        try:
            rows = paper.measure[name](part_of(progress, at, len(names)))
        except MomagenError as error:
            if len(names) == 1:
                raise
            failed[name] = str(error)
        else:
            found += [row if row.source else replace(row, source=source) for row in rows]
    return found, failed


def described() -> str:
    """Return this machine and the date, as files of results name them."""
    return f"{cpu()}, {os.cpu_count()} cores, momagen {__version__}, {datetime.date.today().isoformat()}"


def as_results(rows: Sequence[ResultSeries]) -> list[str]:
    """Return the texts of files of results in the common format, one for each source of ``rows``."""
    return [
        _text([row for row in rows if row.source == source]) for source in dict.fromkeys(row.source for row in rows)
    ]


def _text(rows: Sequence[ResultSeries]) -> str:
    where, _, command = rows[0].source.partition(": ")
    place, _, date = where.rpartition(", ")
    head = json.dumps({"machine": place, "date": date, "command": command}, ensure_ascii=False)
    series = ",\n".join(json.dumps(_entry(row), ensure_ascii=False) for row in rows)
    return f'{head[:-1]}, "series": [\n{series}\n]}}\n'


def _entry(row: ResultSeries) -> dict[str, object]:
    numbers = {"at": [*row.points], "values": [*row.points.values()]}
    return {"exhibit": row.exhibit, "what": row.what, "unit": row.unit, **numbers}
