"""What comparisons print and write."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from io import StringIO

from rich.console import RenderableType

from momagen import files
from momagen.isa.compare import report
from momagen.isa.compare.workload import Measured
from momagen.screen import SafeConsole, console

WIDE = 160
"""Columns of tables in files."""


def told(name: str, shown: Sequence[RenderableType], data: str, given: argparse.Namespace) -> None:
    """Print tables, or ``data`` where JSON is asked for; write NAME.txt and NAME.json to --output."""
    if given.json:
        print(data)
    else:
        for part in shown:
            console().print(part, highlight=False)
    written(name, shown, data, given)


def written(name: str, shown: Sequence[RenderableType], data: str, given: argparse.Namespace) -> None:
    """Write tables and ``data`` to --output, where it is given."""
    if given.output:
        given.output.mkdir(parents=True, exist_ok=True)
        files.write_all(given.output, {f"{name}.txt": _text(shown), f"{name}.json": f"{data}\n"})


def _text(shown: Sequence[RenderableType]) -> str:
    text = StringIO()
    page = SafeConsole(file=text, width=WIDE)
    for part in shown:
        page.print(part, highlight=False)
    return text.getvalue()


def tell(found: list[Measured], base: str, given: argparse.Namespace) -> int:
    """Print tables or JSON; write them, and plots, where that is asked for."""
    text = json.dumps(report.data(found, base), indent=2, ensure_ascii=False)
    lacking = [f"{row.case}, {row.target}: {row.missing}" for row in found if row.missing]
    shown = [part for titled in report.tables(found, base) for part in titled]
    told("compare", [*shown, report.EXPLAINED, *lacking], text, given)
    if given.plot:
        report.draw(found, base, given.output, given.plot)
    return 0
