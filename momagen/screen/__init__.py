"""What people see in a terminal: its width, tables that fit into it, and the progress of long commands."""

from __future__ import annotations

import os

from rich.console import Console


def console(width: int = 120, quiet: bool = False) -> Console:
    """Return a console for standard output, ``width`` columns wide where it is no terminal and $COLUMNS is not set."""
    found = Console(highlight=False, quiet=quiet)
    wide = found.is_terminal or "COLUMNS" in os.environ
    return found if wide else Console(highlight=False, quiet=quiet, width=width)
