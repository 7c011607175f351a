"""The folder of a library on disk: new, or replaced if it is an unchanged library, and otherwise left as it is."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from momagen import files
from momagen.errors import build_error, reason

from .files import MANIFEST

WHERE = "output"


def write(texts: Mapping[str, str], folder: Path) -> list[str]:
    """Write ``texts`` to ``folder`` so that it holds these files and nothing else, and return the paths that changed.

    Every file is first written next to its final place and then moved there, so that a full disk leaves the old files.

    Args:
        texts: The texts, by path.
        folder: A new or empty folder, or one with an unchanged library.

    Raises:
        MomagenError: The folder cannot be written, or :func:`check` rejects it; then it is unchanged.
    """
    check(folder)
    stale = [path for path in _there(folder) if path not in texts]
    changed = [path for path, text in texts.items() if _content(folder / path) != text.encode()]
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files.write_all(folder, {path: texts[path] for path in changed})
        for path in stale:
            (folder / path).unlink()
    except BaseException as error:
        if missing:
            shutil.rmtree(missing[-1], ignore_errors=True)
        if not isinstance(error, OSError):
            raise
        raise build_error(f"the folder {folder} cannot be written ({reason(error)})", WHERE) from None
    return [*changed, *stale]


def check(folder: Path) -> None:
    """Check that :func:`write` would neither replace nor delete files that momagen did not write.

    Raises:
        MomagenError: The folder holds a file that belongs to no library, or one that was changed since it was written.
    """
    ours = _manifest(folder)
    for path in _there(folder):
        if path not in ours:
            problem = f"the folder {folder} contains {path}, which does not belong to a generated library"
            raise build_error(problem, WHERE, "write to a new or empty folder, or to the folder of a library")
        content = _content(folder / path)
        if content is None or ours[path] != hashlib.sha256(content).hexdigest():
            problem = f"the file {path} in {folder} was changed since momagen wrote it"
            raise build_error(problem, WHERE, "move it away, or write to another folder")


def _there(folder: Path) -> list[str]:
    """Return the paths of all files in the folder."""
    return sorted(str(path.relative_to(folder)) for path in _walk(folder)) if folder.is_dir() else []


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the paths of all files in the folder and its subfolders."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)
        else:
            yield path


def _manifest(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file by its path, as the manifest states it, and that of the manifest itself."""
    content = _content(folder / MANIFEST)
    if content is None:
        return {}
    rows = [line.split("  ", 1) for line in content.decode("utf-8", "replace").splitlines() if "  " in line]
    return {path: digest for digest, path in rows} | {MANIFEST: hashlib.sha256(content).hexdigest()}


def _content(path: Path) -> bytes | None:
    """Return the content of a file, or None if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None
