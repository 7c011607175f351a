"""Listings for a terminal in the form of the MQX paper's Listing 4: a column for each port, with dashes for zeros."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest

from rich.text import Text

from .table import Ports, PortTable

STAR = "*"
"""The mark of an instruction that represents a proposed one."""
PROPOSED = "bold red"
GAP = 4
"""The number of columns between two listings side by side."""


def listing(table: PortTable, ports: Sequence[str], texts: Sequence[str], starred: Collection[int]) -> list[Text]:
    """Return the lines of a listing: a head, the instructions and the total.

    Args:
        table: The analysis.
        ports: The ports that have columns.
        texts: The texts of the instructions.
        starred: The indices of the instructions that are marked.
    """
    widths = [max(len(f"[{port}]"), len(_cycles(table.totals, port))) for port in ports]
    head = "  ".join(f"[{port}]".ljust(width) for port, width in zip(ports, widths, strict=True))
    rows = [
        _row(_cells(row.ports, ports, widths), text, at in starred)
        for at, (row, text) in enumerate(zip(table.rows, texts, strict=True))
    ]
    return [Text(f"{head}  Instructions:"), *rows, _row(_cells(table.totals, ports, widths), "total")]


def _cycles(ports: Ports, port: str) -> str:
    return f"{cycles:.2f}" if (cycles := ports.get(port, 0.0)) else " - "


def _cells(ports: Ports, names: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(_cycles(ports, port).ljust(width) for port, width in zip(names, widths, strict=True))


def _row(cells: str, text: str, proposed: bool = False) -> Text:
    return Text(f"{cells} ").append(f"{STAR if proposed else ' '}{text}", PROPOSED if proposed else "")


def together(left: Sequence[Text], right: Sequence[Text], beside: bool) -> list[Text]:
    """Return two listings one below the other, or side by side if ``beside`` is true."""
    if not beside:
        return [*left, Text(""), *right]
    width, rows = max(map(len, left)) + GAP, list[Text]()
    for one, other in zip_longest(left, right, fillvalue=Text("")):
        row = one.copy()
        row.pad_right(width - len(one))
        rows.append(row.append_text(other))
    return rows
