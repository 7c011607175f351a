"""Files of the work folder, written only if they change, so that nothing is compiled again without need."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path


def put(path: Path, text: str) -> None:
    """Write a file unless it holds the text already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def files(top: Path) -> list[Path]:
    """Return the files below a folder, or the file itself; nothing of git's."""
    return [top] if top.is_file() else [p for p in top.rglob("*") if p.is_file() and ".git" not in p.parts]


def refresh(source: Path, target: Path, keep: Collection[Path] = ()) -> None:
    """Copy the files that differ by size or time, except those whose path in ``source`` is in or below ``keep``."""
    for path in files(source):
        inside = path.relative_to(source)
        if not {inside, *inside.parents} & {*keep} and not _is_copy(path, target / inside):
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / inside)


def _is_copy(path: Path, other: Path) -> bool:
    """Return whether two files agree in size and time."""
    if not other.is_file():
        return False
    one, two = path.stat(), other.stat()
    return (one.st_size, int(one.st_mtime)) == (two.st_size, int(two.st_mtime))
