"""Output to a terminal: its width, tables that fit into it, and the progress of long commands."""

from __future__ import annotations

import os
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from momagen.errors import printable


class SafeConsole(Console):
    r"""A console that escapes control characters in the text that it prints, for instance as \x1b."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments to print, with control characters escaped; the escape codes of styles are added later."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


def console(width: int = 120, quiet: bool = False) -> Console:
    """Return a console for standard output.

    Args:
        width: The number of columns if standard output is not a terminal and $COLUMNS is not set.
        quiet: Whether nothing is printed.
    """
    found = SafeConsole(highlight=False, quiet=quiet)
    wide = found.is_terminal or "COLUMNS" in os.environ
    return found if wide else SafeConsole(highlight=False, quiet=quiet, width=width)
