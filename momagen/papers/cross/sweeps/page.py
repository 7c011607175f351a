"""Results as tables of a page: the rows after a mark such as ``<!-- table5 -->`` are replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError, reason
from momagen.tables import parse_json

from ..race.contest import ABSENT
from .tables import efficiency_lines, estimate_lines, head, lines

MARK = re.compile(r"^<!-- (\w+) -->\n(?:\|.*\n)*", re.MULTILINE)
ESTIMATES, EFFICIENCIES = "estimates", "efficiencies"
Told = Mapping[str, Any]


def read_results(path: Path) -> dict[str, Any]:
    """Return the results of an earlier run.

    Raises:
        MomagenError: The file is missing, or has another content.
    """
    try:
        found = parse_json(path.read_text(encoding="utf-8"), "results of bench_jax.py as JSON", path.name)
    except (OSError, UnicodeError) as error:
        raise MomagenError("results of bench_jax.py", reason(error), "--read") from None
    if not isinstance(found, dict) or not {"rows", "device", "date"} <= set(found):
        raise MomagenError("results of bench_jax.py", "another file", "--read")
    return found


def renewed(text: str, told: Told) -> str:
    """Return the page ``text`` with the tables of results; other sections remain unchanged."""

    def table(found: re.Match[str]) -> str:
        rows = "\n".join(_table(found[1], told))
        return f"<!-- {found[1]} -->\n{rows}\n" if rows else found[0]

    return MARK.sub(table, text)


def _table(section: str, told: Told) -> Iterator[str]:
    """Yield the lines of a table, without contestants of CROSS that were absent."""
    if section == EFFICIENCIES and section in told:
        yield from efficiency_lines(told[section]["rows"])
    if estimates := [each for each in told.get(ESTIMATES, ()) if each["section"] == section]:
        yield from estimate_lines(estimates)
    rows = [row for row in told["rows"] if row.get("section") == section and not _left_out(row)]
    if rows:
        yield from (*head(), *lines(rows))


def _left_out(row: Told) -> bool:
    return bool(row["name"].startswith("CROSS") and row["state"] == ABSENT)
