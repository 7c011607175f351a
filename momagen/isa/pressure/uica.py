"""A parser of the output of uiCA: a framed table of uops with a column for each port."""

from __future__ import annotations

import re

from momagen.errors import MomagenError

from .body import normal
from .table import PortTable, PressureRow

LIMIT = re.compile(r"^  - (\w+): ([\d.]+)", re.MULTILINE)
"""The line that states the throughput if only one resource limited it."""
LINK = re.compile(r"\x1b\]8;;.*?\a")
"""The hyperlink of a terminal around an instruction."""
FRAME, PORT, ADDED = "│", "Port ", "<"
"""The separator of columns, the prefix of the names of port columns, and the prefix of rows for uops that
belong to no instruction of the block. The last row of the table is the total."""
COLUMN = re.compile(r" (Port \S+|Issued|Notes) ")
"""A cell of the head. It is as wide as its name with a space on each side, and values are not wider."""


def parse(text: str) -> PortTable:
    """Return the table of the only block.

    Its throughput follows from ports and issue alone. The throughput that uiCA states may be limited by
    registers that one iteration of the block writes and the next one reads, which does not occur in kernels.

    Raises:
        MomagenError: The output has another form.
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
