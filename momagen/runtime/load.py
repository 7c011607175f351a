"""The loading of shared libraries, each once."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path

from momagen.errors import MomagenError


def load(path: str | os.PathLike[str]) -> ctypes.CDLL:
    """Return the library at ``path``, which is the same object for the same file.

    Raises:
        MomagenError: The file is missing, or is not a library for this machine.
    """
    return _load(str(Path(path).resolve()))


@functools.cache
def _load(path: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise MomagenError("a shared library for this computer", path, "load", str(error)) from None
