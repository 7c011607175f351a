"""Whose wisdom a caller asks for, and where it is; read before any wisdom is, so this imports little."""

from __future__ import annotations

import os
from pathlib import Path

from momagen.errors import build_error

VARIABLE = "MOMAGEN_WISDOM"
Wish = bool | str | Path | None
"""Whose: True the default file's, a path that file's, False nobody's, None the file's that $MOMAGEN_WISDOM names."""


def is_asked(wish: Wish) -> bool:
    """Return whether any wisdom is to be asked."""
    return bool(os.environ.get(VARIABLE)) if wish is None else wish is not False


def default_path() -> Path:
    """Where wisdom is kept unless a file is named.

    Raises:
        MomagenError: a user without a home folder, and no variable that names a place.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    if os.path.isabs(shared := os.environ.get("XDG_CONFIG_HOME", "")):
        return Path(shared) / "momagen" / "wisdom.json"
    try:
        return Path.home() / ".config" / "momagen" / "wisdom.json"
    except RuntimeError:
        raise build_error("there is no home folder for the wisdom file", "wisdom", f"set ${VARIABLE}") from None
