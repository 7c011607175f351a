"""The compile cache, which has one folder for each content key.

Only its owner can access it, and every file is written completely, so that several processes may share it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from momagen import files
from momagen.errors import build_error, reason
from momagen.processes import work_folder

from .private import make, note, private, shared, user

PARTS = ("kernels", "compilers", "work", "zig")
MARK = ".momagen"
"""The file that marks a folder as a cache; momagen deletes nothing in other folders."""
OLD = 24 * 3600.0
"""The age in seconds from which on a work folder is left over from a killed process; no compilation takes that long."""


def root() -> Path:
    """Return the cache folder, which is created: $MOMAGEN_CACHE, $XDG_CACHE_HOME/momagen or ~/.cache/momagen.

    In a folder that is shared as /tmp is, it is this user's own folder; in a folder that holds other files, it is
    ``momagen-cache``. If the chosen folder cannot be written, or others may change its contents, it is a private folder
    in the system's temporary folder.
    """
    chosen = _chosen()
    return (chosen and _usable(chosen)) or _temporary()


def folder(part: str) -> Path:
    """Return one of the cache's ``PARTS``, which is created.

    Raises:
        MomagenError: It cannot be created.
    """
    with writing():
        return make(root() / part)


def key(*parts: str) -> str:
    """Return 128 bits of SHA-256, in hex, of texts and their lengths, so that ("ab", "c") and ("a", "bc") differ."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode(errors="surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()[:32]


def write(path: Path, text: str) -> Path:
    """Write ``text`` to ``path`` in the cache atomically, readable by this user only."""
    return files.write(path, text, 0o600)


@contextmanager
def writing() -> Iterator[None]:
    """Report errors of the operating system as errors of the cache.

    Raises:
        MomagenError: The disk is full, or a folder cannot be written.
    """
    try:
        yield
    except OSError as error:
        problem = f"the cache cannot be written ({reason(error)})"
        raise build_error(problem, str(error.filename or root()), "set $MOMAGEN_CACHE to another folder") from None


@contextmanager
def work() -> Iterator[Path]:
    """Yield a new folder of the cache for temporary files, and delete it afterwards."""
    with ExitStack() as stack:
        with writing():
            _sweep(folder("work"))
            path = stack.enter_context(work_folder(folder("work")))
        yield path


def clear() -> None:
    """Delete everything that the cache holds, and nothing else in its folder."""
    for part in PARTS:
        shutil.rmtree(root() / part, ignore_errors=True)


@functools.cache
def _sweep(parent: Path) -> None:
    """Delete the work folders of killed processes."""
    for path in parent.iterdir():
        with suppress(OSError):  # another process sweeps too
            if private(path) and time.time() - path.stat().st_mtime > OLD:
                shutil.rmtree(path, ignore_errors=True)


def _chosen() -> Path | None:
    """Return the folder that the environment or the home folder selects, or None."""
    if named := os.environ.get("MOMAGEN_CACHE"):
        return Path(named).expanduser().absolute()
    if os.path.isabs(given := os.environ.get("XDG_CACHE_HOME", "")):
        return Path(given) / "momagen"
    try:
        return Path.home() / ".cache" / "momagen"
    except RuntimeError:  # a user without a home folder
        return None


def _usable(chosen: Path) -> Path | None:
    """Return the folder at ``chosen`` that only this user can change, or None."""
    try:
        chosen.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = chosen.resolve()
        if not os.access(path, os.W_OK | os.X_OK):
            return None
        own = path / f"user-{user()}" if shared(path) else path
        own.mkdir(mode=0o700, exist_ok=True)
        own = _marked(own) if private(own) else own
    except OSError:
        return None
    if private(own):
        return own if own != path else chosen
    note(f"{own}: others may write there, so it holds no cache (chmod go-w, or $MOMAGEN_CACHE)")
    return None


def _marked(path: Path) -> Path:
    """Return ``path`` if it is empty or already a cache, otherwise a cache folder in it."""
    held = os.listdir(path)
    if MARK in held:
        return path
    if held:
        (path / "momagen-cache").mkdir(mode=0o700, exist_ok=True)
        return _marked(path / "momagen-cache")
    (path / MARK).touch(mode=0o600)
    return path


@functools.cache
def _temporary() -> Path:
    """Return a private folder in the system's temporary folder, which is kept between runs if possible."""
    path = Path(tempfile.gettempdir()) / f"momagen-{user()}"
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="momagen-"))
    return path if private(path) else Path(tempfile.mkdtemp(prefix="momagen-"))
