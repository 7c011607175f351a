"""What uiCA says: a table of uops, in a frame, with a column for each port."""

from __future__ import annotations

import re

from momagen.errors import MomagenError

from .body import normal
from .table import PortTable, PressureRow

LIMIT = re.compile(r"^  - (\w+): ([\d.]+)", re.MULTILINE)
"""What the throughput would be if only one thing limited it."""
LINK = re.compile(r"\x1b\]8;;.*?\a")
"""A terminal's hyperlink, around an instruction."""
FRAME, PORT, ADDED = "│", "Port ", "<"
"""What parts columns; how those of ports begin, and the rows of uops that no instruction of the block has.

The last of all rows is the total.
"""
COLUMN = re.compile(r" (Port \S+|Issued|Notes) ")
"""A cell of the head is as wide as its name with a blank on either side, values are shorter."""


def parse(text: str) -> PortTable:
    """The one block. Its throughput is set by ports and issue alone: uiCA's own may be that of registers which one turn
    of the block writes and the next one reads, as no kernel does.

    Raises:
        MomagenError: other output.
    """
    lines = [line for line in LINK.sub("", text).splitlines() if line.startswith(FRAME)]
    if len(lines) < 2:
        last = text.strip().splitlines() or ["no output"]
        raise MomagenError("uiCA's table of uops", last[-1], "uica")
    limits = {name: float(cycles) for name, cycles in LIMIT.findall(text)}
    spans = {found[1]: found.span() for found in COLUMN.finditer(lines[0])}
    cells = [{name: line[slice(*span)].strip() for name, span in spans.items()} for line in lines[1:]]
    pairs = [(_instruction(line), row) for line, row in zip(lines[1:], cells, strict=True)][:-1]
    rows = [PressureRow(code, _ports(row), row.get("Notes") != "X") for code, row in pairs if code[0] != ADDED]
    names = tuple(name.removeprefix(PORT) for name in spans if name.startswith(PORT))
    totals, uops = _ports(cells[-1]), float(cells[-1]["Issued"] or 0)
    return PortTable(names, tuple(rows), totals, limits.get("Ports", 0.0), limits.get("Issue", 0.0), uops)


def _instruction(line: str) -> str:
    return normal(line.rpartition(FRAME)[2])


def _ports(cells: dict[str, str]) -> dict[str, float]:
    return {name.removeprefix(PORT): float(cell) for name, cell in cells.items() if name.startswith(PORT) and cell}
