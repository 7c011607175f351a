"""Texts and libraries of the cache with their hashes, so that a damaged one is never used.

A sealed text is a file whose first line is the hash of the rest. A sealed library is two files: the library, with the
beginning of its hash in its name, and a sealed text with the whole hash and that name. Two processes that build the
same library replace each other's files by equal ones; if the compiler made them different, each record still names its
own library.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from momagen import files

from .private import note, private

SUFFIX = ".sealed"


def seal(path: Path, text: str) -> str:
    """Write ``text`` to ``path`` with its hash, and return it."""
    files.write(path, f"{_hash(text.encode())}\n{text}", 0o600)
    return text


def unseal(path: Path) -> str | None:
    """Return the text that was sealed at ``path``, or None if it is missing, damaged or can be changed by others."""
    if not os.path.lexists(path):
        return None
    try:
        seal, _, text = path.read_bytes().partition(b"\n")
        if private(path) and _hash(text) == seal.decode():
            return text.decode()
    except (OSError, UnicodeDecodeError):
        pass
    _refuse(path)
    return None


def keep(made: Path, place: Path, name: str, suffix: str) -> Path:
    """Move a finished file to the folder ``place``, seal it there, and return its path."""
    made.chmod(0o700)
    files.sync(made)
    found = _file_hash(made)
    path = place / f"{name}-{found[:12]}{suffix}"
    files.move({made: path})
    seal(place / f"{name}{SUFFIX}", f"{found}  {path.name}\n")
    return path


def kept(place: Path, name: str) -> Path | None:
    """Return the file that was kept in ``place`` under ``name``, or None.

    It is not returned if it is damaged, or if others can change it.
    """
    if not os.path.lexists(place):
        return None
    if not private(place):
        _refuse(place)
        return None
    told = unseal(place / f"{name}{SUFFIX}")
    if told is None:
        return None
    found, _, file = told.strip().partition("  ")
    path = place / file
    try:
        if private(path) and _file_hash(path) == found:
            return path
    except OSError:
        pass
    _refuse(path)
    return None


def _refuse(path: Path) -> None:
    """Log why a file of the cache is not used."""
    why = "damaged" if private(path) else "not this user's alone" if os.path.lexists(path) else "gone"
    note(f"{path}: {why}, rebuilt")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
