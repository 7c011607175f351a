"""The caller's choice of wisdom, and the default file.

This module imports little, because it is used even if no wisdom is.
"""

from __future__ import annotations

import os
from pathlib import Path

from momagen.errors import build_error

VARIABLE = "MOMAGEN_WISDOM"
Wish = bool | str | Path | None
"""The type of ``wisdom``: True for the default file, a path for that file, False for none, None for $MOMAGEN_WISDOM."""


def is_asked(wish: Wish) -> bool:
    """Return whether any wisdom is to be used."""
    return bool(os.environ.get(VARIABLE)) if wish is None else wish is not False


def default_path() -> Path:
    """Return the path of the default wisdom file.

    Raises:
        MomagenError: The user has no home folder, and no environment variable names a path.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    if os.path.isabs(shared := os.environ.get("XDG_CONFIG_HOME", "")):
        return Path(shared) / "momagen" / "wisdom.json"
    try:
        return Path.home() / ".config" / "momagen" / "wisdom.json"
    except RuntimeError:
        raise build_error("there is no home folder for the wisdom file", "wisdom", f"set ${VARIABLE}") from None
