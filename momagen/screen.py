"""Where people read: as wide as their terminal, or as tables need it where nobody looks."""

from __future__ import annotations

import os

from rich.console import Console


def console(width: int = 120, quiet: bool = False) -> Console:
    """Standard output; ``width`` columns where it is no terminal and $COLUMNS is not set."""
    found = Console(highlight=False, quiet=quiet)
    wide = found.is_terminal or "COLUMNS" in os.environ
    return found if wide else Console(highlight=False, quiet=quiet, width=width)
