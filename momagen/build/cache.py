"""The compile cache: one folder per content key, written by temp file and rename, so that processes may share it."""

from __future__ import annotations

import functools
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path

PARTS = ("kernels", "compilers", "zig")


def root() -> Path:
    """The cache folder: $MOMAGEN_CACHE, else $XDG_CACHE_HOME/momagen, else ~/.cache/momagen, created.

    Where the chosen one cannot be written, a private folder under the system's temporary one.
    """
    chosen = _chosen()
    return chosen if chosen and _writable(chosen) else _temporary()


def folder(part: str) -> Path:
    """One of the cache's ``PARTS``, created."""
    path = root() / part
    path.mkdir(parents=True, exist_ok=True)
    return path


def key(*parts: str) -> str:
    """128 bits of SHA-256, in hex, of some texts and their lengths, so that ("ab", "c") and ("a", "bc") differ."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()[:32]


def write(path: Path, text: str) -> Path:
    """Put ``text`` at ``path`` at once: a concurrent reader sees the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def clear() -> None:
    """Delete everything the cache holds (and nothing else that may lie in its folder)."""
    for part in PARTS:
        shutil.rmtree(root() / part, ignore_errors=True)


def _chosen() -> Path | None:
    if named := os.environ.get("MOMAGEN_CACHE"):
        return Path(named).expanduser().absolute()
    if os.path.isabs(shared := os.environ.get("XDG_CACHE_HOME", "")):
        return Path(shared) / "momagen"
    try:
        return Path.home() / ".cache" / "momagen"
    except RuntimeError:  # a user without a home folder
        return None


def _writable(path: Path) -> bool:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(path, os.W_OK | os.X_OK)


@functools.cache
def _temporary() -> Path:
    """A folder kept between runs if it is ours alone: libraries are loaded from it, so nobody else may write there."""
    path = Path(tempfile.gettempdir()) / f"momagen-{os.getuid()}"
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        info = path.lstat()
        private = stat.S_ISDIR(info.st_mode) and info.st_uid == os.getuid() and not info.st_mode & 0o022
    except OSError:
        private = False
    return path if private else Path(tempfile.mkdtemp(prefix="momagen-"))
