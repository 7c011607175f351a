"""The output of comparisons of instruction sets."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from io import StringIO

from rich.console import RenderableType

from momagen import files
from momagen.bench.report.kept import EARLIER
from momagen.isa.compare import report
from momagen.isa.compare.workload import Measured
from momagen.screen import SafeConsole, console

WIDE = 160
"""The width of tables in files."""


def told(
    name: str, shown: Sequence[RenderableType], data: Mapping[str, object], given: argparse.Namespace, reused: int = 0
) -> None:
    """Print tables, or with --json ``data``; write NAME.txt and NAME.json to --output.

    Args:
        name: The name of the study.
        shown: The tables and texts.
        data: The data for JSON.
        given: The parsed arguments.
        reused: The number of rows that an interrupted run had measured.
    """
    shown = [*shown, *[EARLIER.format(reused)] * bool(reused)]
    text = json.dumps({**data, **({"reused": reused} if reused else {})}, indent=2, ensure_ascii=False)
    if given.json:
        print(text)
    else:
        for part in shown:
            console().print(part, highlight=False)
    written(name, shown, text, given)


def written(name: str, shown: Sequence[RenderableType], data: str, given: argparse.Namespace) -> None:
    """Write tables and ``data`` to --output, if it is given."""
    if given.output:
        given.output.mkdir(parents=True, exist_ok=True)
        files.write_all(given.output, {f"{name}.txt": _text(shown), f"{name}.json": f"{data}\n"})


def _text(shown: Sequence[RenderableType]) -> str:
    text = StringIO()
    page = SafeConsole(file=text, width=WIDE)
    for part in shown:
        page.print(part, highlight=False)
    return text.getvalue()


def tell(found: list[Measured], base: str, given: argparse.Namespace, reused: int = 0) -> int:
    """Print and write tables, JSON and plots as the options request; ``reused`` as in :func:`told`."""
    lacking = [f"{row.case}, {row.target}: {row.missing}" for row in found if row.missing]
    shown = [part for titled in report.tables(found, base) for part in titled]
    told("compare", [*shown, report.EXPLAINED, *lacking], report.data(found, base), given, reused)
    if given.plot:
        report.draw(found, base, given.output, given.plot)
    return 0
