"""The location of the folders ``rules/``, ``targets/`` and ``templates/``, in a checkout or an installed package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """Return a data folder of this installation: "rules", "targets", "templates", or in a checkout also "generated"."""
    checkout = _PACKAGE.parent / name
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else checkout
