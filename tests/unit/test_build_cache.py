"""Where the compile cache lies, how its keys differ, and that it holds under several writers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from momagen.build import cache


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.delenv("MOMAGEN_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cache._temporary.cache_clear()
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
    (tmp_path / "letter").write_text("mine")
    cache.write(cache.folder("kernels") / "key" / "x.c", "int x;")
    cache.clear()
    assert [path.name for path in tmp_path.iterdir()] == ["letter"]
