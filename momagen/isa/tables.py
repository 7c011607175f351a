"""Tables of numbers for the terminal, as all reports of this room have them."""

from __future__ import annotations

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.table import Table


def number_table(numbers: Iterable[str], names: Iterable[str] = ("",), title: str | None = None) -> Table:
    """Columns of ``names`` on the left, then one for each of ``numbers``, at the right edge."""
    result = Table(*names, title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for header in numbers:
        result.add_column(header, justify="right", no_wrap=True)
    return result
