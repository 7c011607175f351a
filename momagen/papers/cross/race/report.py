"""Results as JSON, rewritten after each race, and as a table in Markdown."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FORMAT = 1
HEAD = ("kernel", "size", "bits", "batch", "contestant", "median µs", "least to most", "compile s", "over ours", "note")
MOST = 1e7
"""The smallest number that is written with a power of ten."""
Row = dict[str, Any]


class JaxResults:
    """A file of results.

    Attributes:
        path: The file; None: no file is written.
        told: All results: ``format``, ``date`` (UTC), ``device``, ``versions``, ``x64`` and ``rows``, one for each
            contestant of each race, with times in microseconds, ``compile_s`` in seconds, and ``ratio``, the time over
            that of the first contestant. Rows of the paper's sections have more entries (docs/papers/cross.md).
    """

    def __init__(self, path: Path | None, described: dict[str, Any]) -> None:
        self.path = path
        date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self.told: dict[str, Any] = {"format": FORMAT, "date": date, **described, "rows": []}

    def add(self, rows: list[Row]) -> None:
        """Add the rows of a race and write the file."""
        self.told["rows"] += rows
        self.write()

    def write(self) -> None:
        """Write the file atomically."""
        if self.path is None:
            return
        beside = self.path.with_suffix(".tmp")
        beside.write_text(json.dumps(self.told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(beside, self.path)


def head() -> Iterator[str]:
    """Yield the first lines of the table."""
    yield cells_line(*HEAD)
    yield cells_line(*["---"] * len(HEAD))


def lines(rows: list[Row]) -> Iterator[str]:
    """Yield a line for each row."""
    for row in rows:
        size = (row["kernel"], row["shape"], row["bits"], row["batch"], row["name"])
        if "median_us" not in row:
            yield cells_line(*size, row["state"], "", "", "", row["why"])
            continue
        spread = f"{number(row['least'])} to {number(row['most'])}"
        times = (number(row["median_us"]), spread, number(row["compile_s"]), number(row["ratio"]))
        yield cells_line(*size, *times, row["note"])


def cells_line(*cells: object) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"


def number(value: float | None) -> str:
    """Return a number with three digits or as an integer; from 10^7 on with a power of ten."""
    if value is None:
        return ""
    if value >= MOST:
        return f"{value:.2e}".replace("e+0", "e").replace("e+", "e")
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
