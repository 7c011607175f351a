"""The cache: one folder per content key, its owner's alone, each file written whole, so that processes may share it."""

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
"""The file that says that a folder is a cache of ours: of any other folder nothing is ours to delete."""
OLD = 24 * 3600.0
"""Seconds after which a work folder is left over from a process that was killed: no compiler takes that long."""


def root() -> Path:
    """The cache folder: $MOMAGEN_CACHE, else $XDG_CACHE_HOME/momagen, else ~/.cache/momagen, created.

    Of one that is shared as /tmp is, this user's own folder in it; of one that holds other things, ``momagen-cache`` in
    it. Where the chosen one cannot be written, or others may change what lies in it, a private folder under the
    system's temporary one.
    """
    chosen = _chosen()
    return (chosen and _usable(chosen)) or _temporary()


def folder(part: str) -> Path:
    """One of the cache's ``PARTS``, created.

    Raises:
        MomagenError: it cannot be.
    """
    with writing():
        return make(root() / part)


def key(*parts: str) -> str:
    """128 bits of SHA-256, in hex, of some texts and their lengths, so that ("ab", "c") and ("a", "bc") differ."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode(errors="surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()[:32]


def write(path: Path, text: str) -> Path:
    """Put ``text`` at ``path``, in the cache, at once; for this user's eyes."""
    return files.write(path, text, 0o600)


@contextmanager
def writing() -> Iterator[None]:
    """Run the block, and raise errors of the operating system as errors about the cache.

    Raises:
        MomagenError: the disk is full, or the folder is not writable.
    """
    try:
        yield
    except OSError as error:
        problem = f"the cache cannot be written ({reason(error)})"
        raise build_error(problem, str(error.filename or root()), "set $MOMAGEN_CACHE to another folder") from None


@contextmanager
def work() -> Iterator[Path]:
    """A folder of the cache to work in; afterwards it is gone."""
    with ExitStack() as stack:
        with writing():
            _sweep(folder("work"))
            path = stack.enter_context(work_folder(folder("work")))
        yield path


def clear() -> None:
    """Delete everything the cache holds (and nothing else that may lie in its folder)."""
    for part in PARTS:
        shutil.rmtree(root() / part, ignore_errors=True)


@functools.cache
def _sweep(parent: Path) -> None:
    """Delete what killed processes of ours left behind."""
    for path in parent.iterdir():
        with suppress(OSError):  # another process sweeps too
            if private(path) and time.time() - path.stat().st_mtime > OLD:
                shutil.rmtree(path, ignore_errors=True)


def _chosen() -> Path | None:
    if named := os.environ.get("MOMAGEN_CACHE"):
        return Path(named).expanduser().absolute()
    if os.path.isabs(given := os.environ.get("XDG_CACHE_HOME", "")):
        return Path(given) / "momagen"
    try:
        return Path.home() / ".cache" / "momagen"
    except RuntimeError:  # a user without a home folder
        return None


def _usable(chosen: Path) -> Path | None:
    """The place at ``chosen`` that is this user's alone; None where there is none."""
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
    """``path`` where it is empty or a cache already; else a folder in it that is."""
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
    """A folder kept between runs if it is ours alone."""
    path = Path(tempfile.gettempdir()) / f"momagen-{user()}"
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="momagen-"))
    return path if private(path) else Path(tempfile.mkdtemp(prefix="momagen-"))
