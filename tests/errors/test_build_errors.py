"""What a user reads when there is no compiler, or it refuses, or a library does not load: one line each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.runtime import Compiler, compile_program, compile_shared, find_compiler, load

pytestmark = pytest.mark.compiles


def message(caught: pytest.ExceptionInfo[MomagenError]) -> str:
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.usefixtures("bare")
def test_no_compiler_at_all() -> None:
    with pytest.raises(MomagenError) as caught:
        find_compiler()
    assert message(caught) == (
        "compiler: expected a C compiler ($CC, clang, gcc or the ziglang wheel), got none "
        "(python3 -m pip install 'momagen[cc]', or apt install clang)"
    )


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", ["icc", "gcc", "zig"])
def test_named_compiler_missing(name: str) -> None:
    with pytest.raises(MomagenError) as caught:
        find_compiler(name)
    assert message(caught).startswith(f"compiler: expected a working C compiler, got {name} (")


@pytest.mark.parametrize(
    ("value", "start"),
    [
        ("nocc -O2", "$CC: expected a working C compiler, got nocc -O2 ("),
        ('gcc "', "$CC: expected a compiler's name or command line, got gcc \" (No closing quotation)"),
    ],
)
def test_bad_cc_variable(monkeypatch: pytest.MonkeyPatch, value: str, start: str) -> None:
    monkeypatch.setenv("CC", value)
    with pytest.raises(MomagenError) as caught:
        find_compiler()
    assert message(caught).startswith(start)


def test_name_of_nothing() -> None:
    with pytest.raises(MomagenError) as caught:
        find_compiler("")
    assert message(caught).startswith("compiler: expected a working C compiler, got")


def test_refused_source_shows_errors_command_and_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path))
    compiler, source = find_compiler(), "int f(void) { return missing_name; }\n"
    with pytest.raises(MomagenError) as caught:
        compile_shared(source, name="refused", flags=["-std=c99"], compiler=compiler)
    text = message(caught)
    begin = f"refused.c: expected C that {compiler} can compile, got exit code 1"
    assert text.startswith(f"{begin} (refused.c:1:22: error: ")
    assert "missing_name" in text
    assert f"command: {compiler.command[0]}" in text
    assert "-std=c99" in text
    kept = re.search(r"source kept in (.*)\)$", text)
    assert kept and Path(kept[1]).read_text() == source
    assert not list((tmp_path / "kernels").rglob("*.so"))
    assert not list((tmp_path / "kernels").rglob("*.o"))


def test_a_compiler_that_says_nothing_and_makes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path))
    silent = Compiler(("true",), "other", "none", Path("/bin/true"))
    with pytest.raises(MomagenError) as caught:
        compile_shared("int x;\n", name="none", flags=[], compiler=silent)
    begin = f"none.c: expected C that {silent} can compile, got exit code 0 and no file (command: "
    assert message(caught).startswith(begin)
    assert not list((tmp_path / "kernels").rglob("*.so"))


def test_refused_link(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text("int absent(void);\nint main(void) { return absent(); }\n")
    with pytest.raises(MomagenError) as caught:
        compile_program([tmp_path / "main.c"], name="p", flags=["-std=c99"])
    assert "absent" in message(caught)


@pytest.mark.parametrize("name", ["", "a/b", "../x", ".hidden"])
def test_bad_names(name: str) -> None:
    with pytest.raises(MomagenError) as caught:
        compile_shared("int x;\n", name=name, flags=[])
    got = name or chr(34) * 2
    assert message(caught) == f"compile: expected a file name without a path or a leading dot, got {got}"
    with pytest.raises(MomagenError):
        compile_shared("int x;\n", name="x", flags=[], includes={name: ""})


def test_missing_source(tmp_path: Path) -> None:
    with pytest.raises(MomagenError) as caught:
        compile_program([tmp_path / "absent.c"], flags=[])
    assert message(caught).startswith("compile: the C file")
    assert "No such file" in message(caught)


def test_load_of_what_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("not a library")
    for name in ("text.so", "absent.so"):
        with pytest.raises(MomagenError) as caught:
            load(tmp_path / name)
        assert message(caught).startswith("load: expected a shared library for this computer, got")
