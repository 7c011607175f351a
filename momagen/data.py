"""Where the data lives: ``rules/``, ``targets/``, ``templates/``, in a checkout or inside the wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The folder ``name`` ("rules", "targets", "templates"; of a checkout "generated" too) of this installation."""
    checkout = _PACKAGE.parent / name
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else checkout
