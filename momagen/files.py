"""Files replaced atomically: a reader, at any time and after a power cut, finds the old file or the new one."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from momagen.errors import MomagenError, quoted, reason

LOCK = ".lock"
ABANDONED = 60.0
"""Seconds after which a lock file of a system without flock is taken to be left over."""


def path_of(value: object, where: str) -> Path:
    """The file or folder that a caller names.

    Raises:
        MomagenError: no text or path, or one that no system takes.
    """
    if not isinstance(value, str | os.PathLike):
        raise MomagenError("a string or a path", quoted(value), where)
    path = Path(value)
    if "\0" in str(path):
        raise MomagenError("a path without null characters", quoted(str(path)), where)
    return path


def write(path: Path, text: str | bytes, mode: int = 0o666) -> Path:
    """Put ``text`` at ``path`` at once, in a folder that is made where it is missing.

    ``mode``: the new file's, less the umask.

    Raises:
        OSError: the file cannot be written; what was there stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{os.urandom(8).hex()}.tmp")
    try:
        _fill(beside, text, mode)
        move({beside: path})
    finally:
        beside.unlink(missing_ok=True)
    return path


def write_all(folder: Path, texts: Mapping[str, str]) -> None:
    """Put every text at its path below ``folder``, which exists: all are on the disk before the first is moved.

    Raises:
        OSError: one of them cannot be written.
    """
    with _work_folder(folder) as work:
        for name, text in texts.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            _fill(work / name, text)
        for name in texts:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        move({work / name: folder / name for name in texts})


@contextmanager
def _work_folder(folder: Path) -> Iterator[Path]:
    """Yield a new folder in ``folder``, for its owner alone, and delete it in the end."""
    work = folder / f".momagen-{os.urandom(8).hex()}"
    work.mkdir(mode=0o700)
    try:
        yield work
    finally:
        shutil.rmtree(work)


def save(folder: Path, texts: Mapping[str, str], where: str = "save") -> Path:
    """Write every text to its path below `folder`, which is created if it is missing; return the folder.

    Raises:
        MomagenError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_all(folder, texts)
    except OSError as error:
        raise MomagenError("a folder that can be written", folder, where, reason(error)) from None
    return folder


def move(pairs: Mapping[Path, Path]) -> None:
    """Rename finished files to their places, and flush the folders to the disk."""
    for made, place in pairs.items():
        os.replace(made, place)
    for folder in {place.parent for place in pairs.values()}:
        with suppress(OSError):  # Windows opens no folder
            sync(folder)


def sync(path: Path) -> None:
    """Flush what was written to a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fill(path: Path, text: str | bytes, mode: int = 0o666) -> None:
    data = text if isinstance(text, bytes) else text.replace("\n", os.linesep).encode()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with open(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(handle)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time within: by a lock of the folder, which the system frees when a process ends, else (Windows)
    by a file in it."""
    try:
        import fcntl
    except ImportError:
        with _lock_file(folder / LOCK):
            yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def _lock_file(path: Path) -> Iterator[None]:
    limit = time.monotonic() + 2 * ABANDONED  # none is left to wait for: the system refuses it
    while not _made(path):
        if time.monotonic() > limit and not path.exists():
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        time.sleep(0.02)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _made(path: Path) -> bool:
    """Whether this process made the file, which it cannot while another's is there."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except (FileExistsError, PermissionError):  # Windows refuses a name that is being deleted
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED:
                path.unlink()
        return False
    return True
