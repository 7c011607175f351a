"""Tables that fit a screen of any width.

Columns that do not fit next to the row names are printed in a further table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table

LEAST_TEXT = 14
"""The smallest width of a column of text, which wraps if its longest cell has more characters."""
LEAST_NAME = 8
"""The smallest width of a column of row names."""


class Widths(NamedTuple):
    """The range of widths that a column can have.

    Attributes:
        least: The smallest width that loses no text.
        most: The width at which no cell wraps.
    """

    least: int
    most: int


class ReportTable(Table):
    """A table whose first columns name its rows, and which loses nothing on a narrow screen.

    If not all columns fit, it is printed in parts, one below the other. Every part has the row names and some of the
    other columns. Columns of numbers (those that are justified to the right) wrap their headers only; columns of text
    wrap between words.

    Args:
        *headers: The headers, as in :class:`rich.table.Table`.
        names: The number of columns, from the left, that name the rows.
        **more: Further arguments of :class:`rich.table.Table`.
    """

    def __init__(self, *headers: Column | str, names: int = 1, **more: Any) -> None:
        self.names = names
        super().__init__(*headers, **more)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the whole table if it fits, otherwise its parts."""
        widths = [self._widths(console, options, column) for column in self.columns]
        if sum(each.most for each in widths) + self._beside(range(len(widths))) <= options.max_width:
            yield from super().__rich_console__(console, options)
            return
        for part in self._parts(widths, options.max_width):
            yield from Table.__rich_console__(part, console, options)

    def _widths(self, console: Console, options: ConsoleOptions, column: Column) -> Widths:
        """Return the widths of one column, without padding."""

        def measured(cell: Any) -> Measurement:
            return Measurement.get(console, options.update_width(1 << 20), cell)

        header = measured(column.header) if self.show_header else Measurement(0, 0)
        cells = [measured(cell) for cell in column.cells]
        most = max([header.maximum, *(cell.maximum for cell in cells)])
        if column.justify == "right":
            return Widths(max([header.minimum, *(cell.maximum for cell in cells)]), most)
        return Widths(min(LEAST_TEXT, most), most)

    def _beside(self, chosen: Iterable[int]) -> int:
        """Return the width of padding and borders in a table of the ``chosen`` columns."""
        part = self._part(dict.fromkeys(chosen, 1))
        return part._extra_width + sum(map(part._get_padding_width, range(len(part.columns))))

    def _parts(self, widths: list[Widths], width: int) -> Iterator[ReportTable]:
        """Yield tables that are at most ``width`` wide and together have all columns; the first has the title."""
        names = self._name_widths(widths, width)
        for at, others in enumerate(self._groups(widths, names, width)):
            free = width - self._beside([*names, *others]) - sum(names.values())
            part = self._part(names | _shared({other: widths[other] for other in others}, free))
            part.title = None if at else part.title
            yield part

    def _name_widths(self, widths: list[Widths], width: int) -> dict[int, int]:
        """Return the widths of the row names.

        They are complete if every other column fits next to them and they leave a third of ``width`` free. Otherwise
        they are folded to half of it, or to less for a column of wide numbers.
        """
        names = {at: Widths(min(LEAST_NAME, each.most), each.most) for at, each in enumerate(widths[: self.names])}
        widest = max((each.least for each in widths[self.names :]), default=0)
        room = width - widest - self._beside(range(min(len(names) + 1, len(widths))))
        whole = sum(each.most for each in names.values()) <= min(room, 2 * width // 3)
        return _shared(names, room if whole else min(room, width // 2))

    def _groups(self, widths: list[Widths], names: dict[int, int], width: int) -> Iterator[list[int]]:
        """Yield the other columns in groups that fit next to the row names; a column that never fits is alone."""
        group: list[int] = []
        for other in range(len(names), len(widths)):
            needed = sum(names.values()) + sum(widths[each].least for each in [*group, other])
            if group and needed + self._beside([*names, *group, other]) > width:
                yield group
                group = []
            group.append(other)
        yield group

    def _part(self, chosen: dict[int, int]) -> ReportTable:
        """Return the table of the ``chosen`` columns at the given widths."""
        part = copy(self)
        part.columns = [
            replace(self.columns[old], _index=new, width=width, no_wrap=False, overflow="fold")
            for new, (old, width) in enumerate(chosen.items())
        ]
        return part


def _shared(columns: dict[int, Widths], width: int) -> dict[int, int]:
    """Return widths that add up to at most ``width``; the widest columns are narrowed first, down to their least width.

    If even the least widths are too large, all columns are narrowed further, and their cells fold.
    """
    found = {at: each.most for at, each in columns.items()}
    for least in ({at: each.least for at, each in columns.items()}, dict.fromkeys(columns, 1)):
        while sum(found.values()) > width and (wide := [at for at in found if found[at] > least[at]]):
            found[max(wide, key=lambda at: found[at])] -= 1
    return found


def number_table(numbers: Iterable[str], names: Iterable[str] = ("",), title: str | None = None) -> ReportTable:
    """Return an empty table with columns of ``names`` on the left, then one for each of ``numbers``."""
    headers = tuple(names)
    result = ReportTable(
        *headers, names=len(headers), title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    for header in numbers:
        result.add_column(header, justify="right")
    return result


def plain_table(*headers: str, names: int = 1, numbers: Iterable[str] = (), title: str | None = None) -> ReportTable:
    """Return an empty table without borders; the columns in ``numbers`` are justified to the right."""
    result = ReportTable(names=names, title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    right = set(numbers)
    for header in headers:
        result.add_column(header, justify="right" if header in right else "left", overflow="fold")
    return result
