"""A library's folder on disk: written whole, renewed where it is ours and untouched, refused otherwise."""

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
    """Make ``folder`` contain exactly the files of ``texts``, by path, and return the paths that changed.

    All files are first written under temporary names and then renamed, so that a full disk leaves the old files intact.

    Raises:
        MomagenError: the folder cannot be written, or :func:`check` raises. The folder is then unchanged.
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
    """Check that :func:`write` would replace only files that momagen wrote.

    Raises:
        MomagenError: the folder has a file that momagen did not write, or a file that was changed since.
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
    """Everything in the folder that is no folder."""
    return sorted(str(path.relative_to(folder)) for path in _walk(folder)) if folder.is_dir() else []


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)
        else:
            yield path


def _manifest(folder: Path) -> dict[str, str]:
    """What the folder's manifest says of each file; of itself, that it is as it is."""
    content = _content(folder / MANIFEST)
    if content is None:
        return {}
    rows = [line.split("  ", 1) for line in content.decode("utf-8", "replace").splitlines() if "  " in line]
    return {path: digest for digest, path in rows} | {MANIFEST: hashlib.sha256(content).hexdigest()}


def _content(path: Path) -> bytes | None:
    """What the file holds; None where it is none, or cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None
