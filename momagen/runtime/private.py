"""Files and folders that only this user can change, because the cache holds libraries that are loaded and run."""

from __future__ import annotations

import functools
import logging
import os
import shutil
import stat
from pathlib import Path

OTHERS = stat.S_IWGRP | stat.S_IWOTH


def user() -> int | None:
    """Return this user's id, or None on systems without user ids, where a user's folders are closed to others."""
    return os.getuid() if hasattr(os, "getuid") else None


def private(path: Path) -> bool:
    """Return whether ``path`` is a file or folder (not a link) of this user to which nobody else may write."""
    try:
        info = path.lstat()
    except OSError:
        return False
    return not stat.S_ISLNK(info.st_mode) and (user() is None or (info.st_uid == user() and not info.st_mode & OTHERS))


def shared(path: Path) -> bool:
    """Return whether everybody may create folders in ``path``, but only root may change those of others, as in /tmp."""
    info = path.stat()
    return bool(info.st_mode & stat.S_ISVTX) and info.st_uid in (0, user())


def make(path: Path) -> Path:
    """Return the folder ``path``, which is created if it is missing, and replaced if others can change it."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not private(path):
        note(f"{path}: not this user's alone, rebuilt")
        discard(path)
        path.mkdir(mode=0o700)
    return path


def discard(path: Path) -> None:
    """Delete a folder, or move it away if that fails, because its contents may belong to another user."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.old")
    os.replace(path, aside)
    shutil.rmtree(aside, ignore_errors=True)


@functools.cache
def note(line: str) -> None:
    """Log a warning once, which is printed on standard error by default."""
    logging.getLogger("momagen").warning("momagen: %s", line)
