"""What people see in a terminal: its width, tables that fit into it, and the progress of long commands."""

from __future__ import annotations

import os
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from momagen.errors import printable


class SafeConsole(Console):
    """A console that shows control characters of the text it is given, for instance from files, as \\x1b."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is printed; escape codes for styles come later."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


def console(width: int = 120, quiet: bool = False) -> Console:
    """Return a console for standard output, ``width`` columns wide where it is no terminal and $COLUMNS is not set."""
    found = SafeConsole(highlight=False, quiet=quiet)
    wide = found.is_terminal or "COLUMNS" in os.environ
    return found if wide else SafeConsole(highlight=False, quiet=quiet, width=width)
