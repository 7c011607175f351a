"""A parser of the output of OSACA (0.5 and newer), whose report contains a table of port pressures as text."""

from __future__ import annotations

import re

from momagen.errors import MomagenError

from .body import normal
from .table import PortTable, PressureRow, total

HEAD = re.compile(r"^ +\|.*\|\|\s*CP\s*\|")
ROW = re.compile(r"^\s*\d+ \|.*\|\|.*\|")
FLAGS = re.compile(r"^\s*(?:([XP*]) )?\s*")
"""The flags of an instruction. X means that there are no data for it; the other flags say how it is counted."""


def parse(text: str) -> PortTable:
    """Return the table of the only block. OSACA itself distributes uops optimally over ports.

    If a cell names two ports, such as “0 - 0DV”, the second one is a pipe of the first one.

    Raises:
        MomagenError: The output has another form.
    """
    lines = text.splitlines()
    at = next((number for number, line in enumerate(lines) if HEAD.match(line)), None)
    if at is None:
        raise MomagenError("OSACA's table of port pressures", lines[-1] if lines else "no output", "osaca")
    head = [*_spans(lines[at].partition("||")[0])]
    rows = tuple(_row(line, head) for line in _block(lines[at + 2 :]))
    totals = total(rows)
    busiest = max(totals.values(), default=0.0)
    return PortTable(tuple(name for name, _, _ in head), rows, totals, busiest, busiest)


def _block(lines: list[str]) -> list[str]:
    """Return the lines before the first one that is not a row of the table."""
    end = next((number for number, line in enumerate(lines) if not ROW.match(line)), len(lines))
    return lines[:end]


def _spans(head: str) -> list[tuple[str, int, int]]:
    """Return the name of every port, with the beginning and the end of its column."""
    found, edge = list[tuple[str, int, int]](), head.index("|") + 1
    for cell in head[edge:].split("|"):
        names = cell.split()
        middle = cell.index("-") if "-" in names else len(cell)
        found.append((names[0], edge, edge + middle))
        if "-" in names:
            found.append((names[-1], edge + middle, edge + len(cell)))
        edge += len(cell) + 1
    return found


def _row(line: str, head: list[tuple[str, int, int]]) -> PressureRow:
    cells = {name: line[start:end].strip() for name, start, end in head}
    ports = {name: float(cell) for name, cell in cells.items() if cell and float(cell)}
    rest = line.partition("||")[2].split("|", 2)[2]
    flags = FLAGS.match(rest)
    assert flags is not None
    return PressureRow(normal(rest[flags.end() :]), ports, flags[1] != "X")
