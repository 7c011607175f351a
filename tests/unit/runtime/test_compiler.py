"""Which compiler is found: order, names, broken ones, and that each is asked only once."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.runtime import cache, compiler, find_compiler, list_compilers

pytestmark = pytest.mark.compiles

Install = Callable[..., Path]
# A compiler that writes a line to its log at each call, answers --version, and makes an empty output file.
SCRIPT = """#!/bin/sh
echo "$@" >> {log}
case "$*" in *--version*) echo "{version}"; exit 0;; esac
for last; do :; done
: > "$last"
"""
BROKEN = "#!/bin/sh\necho 'x.c:1:10: fatal error: stdint.h: No such file or directory' >&2\nexit 1\n"


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Install:
    """Puts a make-believe compiler on a PATH that holds nothing else; the ziglang wheel is hidden."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (tmp_path / "bin").mkdir()

    def put(name: str, version: str = "clang version 1", script: str = SCRIPT) -> Path:
        path = tmp_path / "bin" / name
        path.write_text(script.format(log=tmp_path / f"{name}.log", version=version) if script is SCRIPT else script)
        path.chmod(0o755)
        return path

    return put


def test_order_without_a_name(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("zig", "clang version 20")
    assert find_compiler().command == ("zig", "cc")
    install("gcc", "gcc (Debian 12.2.0) 12.2.0")
    assert find_compiler().command == ("gcc",)
    install("clang-14")
    assert find_compiler().command == ("clang-14",)
    install("clang-19")
    assert find_compiler().command == ("clang-19",)
    install("clang")
    assert find_compiler().command == ("clang",)
    install("mine")
    monkeypatch.setenv("CC", "mine -pipe")
    assert find_compiler().command == ("mine", "-pipe")
    assert find_compiler("gcc").command == ("gcc",)
    monkeypatch.setenv("CC", " ")
    assert find_compiler().command == ("clang",)


def test_family_name_stands_for_its_numbered_programs(install: Install) -> None:
    install("clang-16")
    install("clang-18")
    install("gcc-11", "gcc-11 (GCC) 11.4")
    assert find_compiler("clang").command == ("clang-18",)
    assert find_compiler("clang-16").command == ("clang-16",)
    assert find_compiler("gcc").command == ("gcc-11",)


@pytest.mark.parametrize(
    ("name", "version", "kind"),
    [
        ("cc", "gcc (Debian 12.2.0-14) 12.2.0", "gcc"),
        ("cc", "Debian clang version 19.1.7", "clang"),
        ("cc", "Apple clang version 15.0.0", "clang"),
        ("tcc", "tcc version 0.9.27", "other"),
        ("zig", "clang version 22.1.8", "zig"),
    ],
)
def test_kind_comes_from_the_compilers_own_words(install: Install, name: str, version: str, kind: str) -> None:
    path = install(name, version)
    found = find_compiler(f"{name} cc")
    assert (found.kind, found.version, found.path) == (kind, version, path)


def test_a_compiler_that_cannot_compile_is_passed_over(install: Install) -> None:
    install("clang", script=BROKEN)
    install("gcc", "gcc 12")
    assert find_compiler().command == ("gcc",)
    with pytest.raises(MomagenError, match=r"stdint\.h: No such file"):
        find_compiler("clang")


def test_why_none_of_the_compilers_works(install: Install) -> None:
    install("clang", script=BROKEN)
    wanted = r"got only compilers that do not work \(clang: .*stdint\.h: No such file"
    with pytest.raises(MomagenError, match=wanted):
        find_compiler()


def test_asked_once_until_the_program_changes(install: Install, tmp_path: Path) -> None:
    path, log = install("clang", "clang version 1"), tmp_path / "clang.log"
    assert [find_compiler().version for _ in range(3)] == ["clang version 1"] * 3
    assert len(log.read_text().splitlines()) == 2  # the trial, and --version
    install("clang", "clang version 2")
    os.utime(path, (1, 1))
    assert find_compiler().version == "clang version 2"
    assert len(log.read_text().splitlines()) == 4


def test_list_has_each_program_once(install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install("clang")
    install("gcc", "gcc 12")
    (tmp_path / "bin" / "gcc-12").symlink_to(tmp_path / "bin" / "gcc")
    install("gcc-9", script=BROKEN)
    assert [found.command for found in list_compilers()] == [("clang",), ("gcc",)]
    monkeypatch.setenv("CC", "gcc-12")
    assert [found.command for found in list_compilers()] == [("gcc-12",), ("clang",)]


@pytest.mark.usefixtures("install")
def test_list_may_be_empty() -> None:
    assert list_compilers() == []


def test_zig_keeps_its_cache_in_ours_unless_told_otherwise(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ZIG_LOCAL_CACHE_DIR", raising=False)
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", "/elsewhere")
    zig = install("zig", script='#!/bin/sh\necho "$ZIG_LOCAL_CACHE_DIR $ZIG_GLOBAL_CACHE_DIR $LC_ALL"\n')
    assert compiler.run([str(zig)]).stdout == f"{cache.folder('zig')} /elsewhere C\n"


def test_first_errors() -> None:
    messages = "In file included from x.c:1:\n\nx.c:3:5: error: one\n  int y = +;\nx.c:4:1: fatal error: two\n"
    assert compiler.first_errors(messages) == ["x.c:3:5: error: one", "x.c:4:1: fatal error: two"]
    assert compiler.first_errors("ld: x.o: in main:\nld: undefined reference to f\nclang: error: exit 1\n", 1) == [
        "ld: undefined reference to f"
    ]
    assert compiler.first_errors("one\n\n  two\n", limit=1) == ["one"]
    assert compiler.first_errors("") == []
