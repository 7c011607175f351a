"""The files that a target was read from, and whether they still hold the same text."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

SETTLED = 2_000_000_000
"""The age in nanoseconds from which on every file system gives a rewritten file another modification time."""

Stamp = tuple[int, ...]
_stamp: Callable[[os.stat_result], Stamp] = attrgetter("st_mtime_ns", "st_ctime_ns", "st_size", "st_ino")


class _File(NamedTuple):
    """One file as it was read; ``stamp`` is empty if the file was so new that its stamp does not prove anything."""

    content: bytes
    stamp: Stamp


class Sources:
    """The files of one target: its own, those that it inherits, and their headers."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}

    def read(self, path: Path) -> str:
        """Return the text of ``path``, and remember the file.

        Raises:
            OSError: The file cannot be read.
            UnicodeDecodeError: The file is not UTF-8.
        """
        self._files[str(path)] = found = _read(str(path))
        return found.content.decode("utf-8").replace("\r\n", "\n")

    def are_current(self) -> bool:
        """Return whether every file still holds what was read: by its stamp if that is safe, else by contents."""
        try:
            for path, file in self._files.items():
                if _stamp(os.stat(path)) != file.stamp and not self._is_same(path, file):
                    return False
        except OSError:
            return False
        return True

    def _is_same(self, path: str, file: _File) -> bool:
        """Return whether the file holds the same text; if so, remember its present stamp."""
        if (found := _read(path)).content != file.content:
            return False
        self._files[path] = found
        return True


def _read(path: str) -> _File:
    """Return the file with the stamp that it had before it was read."""
    state = os.stat(path)
    settled = time.time_ns() - max(state.st_mtime_ns, state.st_ctime_ns) > SETTLED
    return _File(Path(path).read_bytes(), _stamp(state) if settled else ())
