"""Where the compile cache lies, how its keys differ, and that it holds under several writers."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from momagen import files
from momagen.runtime import cache, compile_shared, load, private, sealed

pytestmark = pytest.mark.compiles

SEVEN = "int f(void) { return 7; }\n"
posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.delenv("MOMAGEN_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for known in (cache._temporary, private.note):
        known.cache_clear()
    yield
    cache._temporary.cache_clear()


def test_own_variable_before_xdg_before_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache.root() == tmp_path / "home" / ".cache" / "momagen"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.root() == tmp_path / "xdg" / "momagen"
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "own"))
    assert cache.root() == tmp_path / "own"
    assert cache.folder("kernels") == tmp_path / "own" / "kernels"
    assert (tmp_path / "own" / "kernels").is_dir()


def test_relative_xdg_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the XDG specification says so
    assert cache.root() == tmp_path / "home" / ".cache" / "momagen"


def test_unwritable_falls_back_to_a_private_temporary_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "file" / "below"))
    assert cache.root() == tmp_path / f"momagen-{os.getuid()}"
    assert cache.root().stat().st_mode & 0o777 == 0o700


def test_temporary_folder_that_others_may_write_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "file" / "below"))
    open_to_all = tmp_path / f"momagen-{os.getuid()}"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    assert cache.root() != open_to_all
    assert cache.root() == cache.root()
    assert cache.root().stat().st_mode & 0o777 == 0o700


def test_key_separates_its_parts() -> None:
    keys = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ()]
    assert len({cache.key(*parts) for parts in keys}) == len(keys)
    assert cache.key("ab", "c") == cache.key("ab", "c")


def test_write_leaves_nothing_where_it_fails(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        cache.write(tmp_path / "taken", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_write_replaces_at_once_and_leaves_nothing_else(tmp_path: Path) -> None:
    texts = [character * 200_000 for character in "abcd"]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            list(pool.map(lambda text: cache.write(tmp_path / "x", text), texts))
            assert (tmp_path / "x").read_text() in texts
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_clear_deletes_only_what_is_the_caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path))
    cache.write(cache.folder("kernels") / "key" / "x.c", "int x;")
    (tmp_path / "letter").write_text("mine")
    cache.clear()
    assert cache.root() == tmp_path and {path.name for path in tmp_path.iterdir()} == {"letter", cache.MARK}


def test_nothing_that_was_there_before_is_the_caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Folders of a user's own may have the names that the cache's parts have, and be old."""
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path))
    letters = [tmp_path / part / "mine" / "letter" for part in ("work", "kernels")]
    for letter in letters:
        letter.parent.mkdir(parents=True)
        letter.write_text("mine")
        os.utime(letter.parent, (0, time.time() - cache.OLD - 60))
    cache._sweep.cache_clear()
    with cache.work() as work:
        assert work.is_relative_to(tmp_path / "momagen-cache")
    cache.write(cache.folder("kernels") / "key" / "x.c", "int x;")
    assert cache.root() == tmp_path / "momagen-cache"
    cache.clear()
    assert [letter.read_text() for letter in letters] == ["mine", "mine"]
    assert [path.name for path in cache.root().iterdir()] == [cache.MARK]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A library in a cache of its own."""
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "own"))
    return seven()


def seven() -> Path:
    return compile_shared(SEVEN, name="seven", flags=["-std=c99"])


def test_a_reader_meanwhile_has_the_old_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Until all of the new one is on the disk: it is read at every step of writing."""
    place, seen, steps = tmp_path / "x", list[str](), list[str]()
    files.write(place, "old")
    for name in ("fsync", "replace"):
        real = getattr(os, name)

        def step(*given: Any, name: str = name, real: Any = real) -> None:
            steps.append(name)
            seen.append(place.read_text())
            real(*given)

        monkeypatch.setattr(os, name, step)
    cache.write(place, "new" * 100_000)
    assert steps == ["fsync", "replace", "fsync"]  # the text, its name, the folder
    assert seen == ["old", "old", "new" * 100_000]


def test_a_text_that_cannot_be_written_whole_leaves_the_old_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    cache.write(tmp_path / "x", "old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        cache.write(tmp_path / "x", "new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"x": "old"}


@posix
def test_nothing_in_the_cache_is_for_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "own"))
    before = os.umask(0)
    try:
        seven()
    finally:
        os.umask(before)
    assert cache.root() == tmp_path / "own"
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [cache.root(), *cache.root().rglob("*")]}
    folders = {path: mode for path, mode in modes.items() if path.is_dir()}
    assert set(folders.values()) == {0o700} and {path.parent for path in modes} - {tmp_path} <= set(folders)
    assert {mode for path, mode in modes.items() if not path.is_dir() and "zig" not in path.parts} == {0o600, 0o700}


@posix
def test_what_is_not_for_the_cache_has_the_users_own_mode(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        assert stat.S_IMODE(files.write(tmp_path / "x", "text").stat().st_mode) == 0o640
    finally:
        os.umask(before)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "truncated": lambda path: os.truncate(path, 4096),
    "empty": lambda path: os.truncate(path, 0),
    "one bit": lambda path: path.write_bytes(bytes([*path.read_bytes()[:-1], path.read_bytes()[-1] ^ 1])),
    "gone": lambda path: path.unlink(),
    "writable by others": lambda path: path.chmod(0o722),
    "a link": lambda path: path.symlink_to(path.rename(path.with_name("elsewhere"))),
    "record truncated": lambda path: os.truncate(path.with_name("seven.sealed"), 70),
    "record of no text": lambda path: path.with_name("seven.sealed").write_bytes(b"\xff\xfe\n\x80"),
    "record writable by others": lambda path: path.with_name("seven.sealed").chmod(0o622),
    "folder writable by others": lambda path: path.parent.chmod(0o777),
}


@pytest.mark.parametrize("how", [how for how in DAMAGE if os.name == "posix" or "others" not in how])
def test_a_damaged_library_is_made_anew(how: str, built: Path, caplog: pytest.LogCaptureFixture) -> None:
    DAMAGE[how](built)
    with caplog.at_level(logging.WARNING, "momagen"):
        again = seven()
    (line,) = caplog.messages
    assert line.startswith(f"momagen: {built.parent}") and line.endswith("rebuilt")
    done = subprocess.run([sys.executable, "-c", f"import ctypes; print(ctypes.CDLL({str(again)!r}).f())"],
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout == "7\n", done.stderr
    caplog.clear()
    assert seven() == again and not caplog.messages


@posix
def test_another_users_library_is_not_loaded(
    built: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """To another user all that is there is foreign: the cache goes elsewhere."""
    stranger = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: stranger)
    assert not cache.root().is_relative_to(tmp_path / "own")
    assert sealed.kept(built.parent, "seven") is None
    assert caplog.messages[0] == (
        f"momagen: {tmp_path / 'own'}: others may write there, so it holds no cache (chmod go-w, or $MOMAGEN_CACHE)"
    )


@posix
def test_a_library_planted_in_our_folder_is_not_loaded(
    built: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real, owner = Path.lstat, os.getuid() + 1

    def lstat(path: Path) -> os.stat_result:
        found = real(path)
        return os.stat_result([*found[:4], owner, *found[5:]]) if path == built else found

    monkeypatch.setattr(Path, "lstat", lstat)
    assert not sealed.kept(built.parent, "seven")
    assert caplog.messages == [f"momagen: {built}: not this user's alone, rebuilt"]


@posix
@pytest.mark.parametrize(("mode", "own"), [(0o1777, True), (0o777, False), (0o775, False), (0o755, True)])
def test_a_shared_cache_folder(
    mode: int, own: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Where nobody may touch what others made, each user has a folder of their own; else it is not used."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    monkeypatch.setenv("MOMAGEN_CACHE", str(shared))
    assert cache.root().is_relative_to(shared) == own
    assert (cache.root() == shared) == (mode == 0o755)
    assert len(caplog.messages) == (not own)
    assert load(seven()).f() == 7


def test_a_compilers_note_that_is_damaged_is_asked_again(built: Path, caplog: pytest.LogCaptureFixture) -> None:
    for note in cache.folder("compilers").iterdir():
        note.write_bytes(b"\xff" * 90)
    assert seven() == built
    assert len(caplog.messages) >= 1 and all("damaged" in line for line in caplog.messages)


@posix
def test_a_full_disk_is_said_of_the_cache(built: Path) -> None:
    """As /dev/full says it; files may not grow here."""
    text = f"""
import resource, signal
from momagen.runtime import compile_shared
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
compile_shared({SEVEN!r} + "int g;", name="seven", flags=["-std=c99"])
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert "the cache cannot be written (File too large); set $MOMAGEN_CACHE to another folder" in last
    assert not list(cache.folder("work").iterdir())


def test_what_killed_processes_left_is_swept_when_old(built: Path) -> None:
    old, young = cache.folder("work") / "old", cache.folder("work") / "young"
    for path in (old, young):
        path.mkdir()
        (path / "0.o").touch()
    os.utime(old, (0, time.time() - cache.OLD - 60))
    cache._sweep.cache_clear()
    with cache.work() as work:
        assert work.parent == old.parent
    assert list(cache.folder("work").iterdir()) == [young]
