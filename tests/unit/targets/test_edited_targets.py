"""Target files that change while a process runs."""

from __future__ import annotations

import os
import timeit
from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.ir import OPS
from momagen.targets import load_target

OWN = 'name = "x"\ninherits = "c"\ntitle = "{}"\n'


def titled(path: Path, title: str) -> Path:
    path.write_text(OWN.format(title))
    return path


def test_an_edited_target_is_read_again(tmp_path: Path) -> None:
    path = titled(tmp_path / "x.toml", "first")
    before = load_target(str(path))
    assert load_target(str(path)) is before and before.title == "first"
    titled(path, "other")  # of the same length, at once: the time of modification may be the same
    assert load_target(str(path)).title == "other"


def test_an_old_file_that_is_edited_is_read_again(tmp_path: Path) -> None:
    path = titled(tmp_path / "x.toml", "first")
    os.utime(path, (1e9, 1e9))
    assert load_target(str(path)).title == "first"
    titled(path, "other")
    assert load_target(str(path)).title == "other"


def test_a_file_that_is_only_touched_stays_the_same_target(tmp_path: Path) -> None:
    path = titled(tmp_path / "x.toml", "first")
    before = load_target(str(path))
    os.utime(path, (1e9, 1e9))
    assert load_target(str(path)) is before


@pytest.mark.parametrize("name", ["parent.toml", "first.h"])
def test_files_that_a_target_inherits_count(name: str, tmp_path: Path) -> None:
    parent = titled(tmp_path / "parent.toml", "first")
    parent.write_text(parent.read_text() + 'header = "first.h"\n')
    (tmp_path / "first.h").write_text("/* first */\n")
    (tmp_path / "x.toml").write_text('inherits = "parent.toml"\nname = "y"\n')
    heir = str(tmp_path / "x.toml")
    before = load_target(heir)
    changed = tmp_path / name
    changed.write_text(changed.read_text().replace("first */", "other */").replace('"first"', '"other"'))
    found = load_target(heir)
    assert found is not before
    assert found.title == "other" or "other */" in "".join(found.front)


def test_a_relative_path_means_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for title in ("first", "other"):
        (tmp_path / title).mkdir()
        titled(tmp_path / title / "x.toml", title)
        monkeypatch.chdir(tmp_path / title)
        assert load_target("x.toml").title == title


def test_a_deleted_target_is_refused(tmp_path: Path) -> None:
    path = titled(tmp_path / "x.toml", "first")
    load_target(str(path))
    path.unlink()
    with pytest.raises(MomagenError, match="No such file"):
        load_target(str(path))


DECLARED = OWN.format("first") + '[operations]\ntwofold = {{args = "x: w → w", means = "y = {} · x", wraps = true}}\n'


def test_an_operation_may_be_declared_anew_by_an_edited_file(tmp_path: Path) -> None:
    path, other = tmp_path / "x.toml", tmp_path / "y.toml"
    path.write_text(DECLARED.format(2))
    try:
        load_target(str(path))
        assert OPS["twofold"].meaning(8, 8, 5) == (10,)
        other.write_text(DECLARED.format(3))
        with pytest.raises(MomagenError, match="a name that no other operation has"):
            load_target(str(other))
        path.write_text(DECLARED.format(3))
        load_target(str(path))
        assert OPS["twofold"].meaning(8, 8, 5) == (15,)
    finally:
        OPS.pop("twofold", None)


def test_loading_a_known_target_is_cheap() -> None:
    """A kernel loads its target up to 220 times, and generating one takes 4 ms and more."""
    load_target("avx512ifma")
    assert min(timeit.repeat(lambda: load_target("avx512ifma"), number=100, repeat=20)) < 100 * 50e-6


@pytest.mark.parametrize("names", [["x"], ["x", "y"], ["x", "y", "z"]])
def test_a_cycle_is_refused(names: list[str], tmp_path: Path) -> None:
    for name, parent in zip(names, [*names[1:], names[0]], strict=True):
        (tmp_path / f"{name}.toml").write_text(f'name = "{name}"\ninherits = "{parent}.toml"\n')
    with pytest.raises(MomagenError, match="the target inherits itself"):
        load_target(str(tmp_path / "x.toml"))


def test_a_long_line_of_ancestors_is_refused(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"t{number}.toml").write_text(f'name = "x"\ninherits = "t{number + 1}.toml"\n')
    with pytest.raises(MomagenError, match="more than 16 targets inherit one another"):
        load_target(str(tmp_path / "t0.toml"))


@pytest.mark.parametrize("name", ["a b", "a-b", "", "x.toml", "é", 'a"b', "a\nb"])
def test_a_file_name_that_is_no_part_of_a_c_name_is_refused(name: str, tmp_path: Path) -> None:
    path = titled(tmp_path / f"{name}.toml", "first")
    with pytest.raises(MomagenError, match="letters, digits and _"):
        load_target(str(path))
