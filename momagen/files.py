"""Files that are replaced atomically: a reader finds either the old or the new file, also after a power failure."""

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
"""The age in seconds from which on a lock file counts as left over, on systems without flock."""


def path_of(value: object, where: str) -> Path:
    """Return the file or folder that a caller names.

    Raises:
        MomagenError: ``value`` is neither a text nor a path, or no system accepts it.
    """
    if not isinstance(value, str | os.PathLike):
        raise MomagenError("a string or a path", quoted(value), where)
    path = Path(value)
    if "\0" in str(path):
        raise MomagenError("a path without null characters", quoted(str(path)), where)
    return path


def text_of(path: str, expected: str) -> str:
    """Return the text of a file that a user names.

    Args:
        path: The path of the file.
        expected: The description of the expected content.

    Raises:
        MomagenError: The file cannot be read, or is no text.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise MomagenError(expected, reason(error), path) from None


def write(path: Path, text: str | bytes, mode: int = 0o666) -> Path:
    """Replace the file at ``path`` by one with ``text`` atomically; its folder is created if it is missing.

    Args:
        path: The path of the file.
        text: The new content.
        mode: The mode of the file, from which the umask is subtracted.

    Raises:
        OSError: The file cannot be written; then the old one remains.
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
    """Write every text to its path below ``folder``, which exists.

    All texts are on the disk before the first one is moved to its path.

    Raises:
        OSError: A file cannot be written.
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
    """Yield a new folder in ``folder`` that only its owner can access, and delete it afterwards."""
    work = folder / f".momagen-{os.urandom(8).hex()}"
    work.mkdir(mode=0o700)
    try:
        yield work
    finally:
        shutil.rmtree(work)


def save(folder: Path, texts: Mapping[str, str], where: str = "save") -> Path:
    """Write every text to its path below ``folder``, which is created if it is missing; return the folder.

    Args:
        folder: The folder.
        texts: The texts, by path.
        where: The argument that an error names.

    Raises:
        MomagenError: The folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_all(folder, texts)
    except OSError as error:
        raise MomagenError("a folder that can be written", folder, where, reason(error)) from None
    return folder


def move(pairs: Mapping[Path, Path]) -> None:
    """Rename finished files to their paths, and flush the folders to the disk."""
    for made, place in pairs.items():
        os.replace(made, place)
    for folder in {place.parent for place in pairs.values()}:
        with suppress(OSError):  # Windows opens no folder
            sync(folder)


def sync(path: Path) -> None:
    """Flush a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fill(path: Path, text: str | bytes, mode: int = 0o666) -> None:
    """Write a new file and flush it to the disk."""
    data = text if isinstance(text, bytes) else text.replace("\n", os.linesep).encode()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with open(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(handle)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Yield while no other process holds the lock of ``folder``.

    The lock is one of the operating system on the folder, which is freed when a process ends; on Windows it is a file
    in the folder.
    """
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
    """Yield while this process holds the lock file ``path``."""
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
    """Return whether this process created the file, which fails while the file of another process exists."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except (FileExistsError, PermissionError):  # Windows refuses a name that is being deleted
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED:
                path.unlink()
        return False
    return True
