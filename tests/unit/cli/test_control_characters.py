"""Control characters in files and names never reach the terminal as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.text import Text

import momagen as mg
from momagen.cli import main
from momagen.errors import printable
from momagen.screen import SafeConsole

EVIL = "a\x1b]0;owned\x07\x1b[31m\x9b2Jb\u202ec\x00\r"
SAFE = r"a\x1b]0;owned\x07\x1b[31m\x9b2Jb\u202ec\x00\x0d"
TARGET = {"name": "x", "inherits": "c", "title": EVIL, "tested_on": EVIL}


def toml(table: dict[str, str]) -> str:
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())


def test_printable_text_stays_as_it_is() -> None:
    assert printable("⊗ é\n\t→") == "⊗ é\n\t→"
    assert printable(EVIL).replace(r"\r", r"\x0d") == SAFE


@pytest.mark.parametrize("what", [EVIL, Text(EVIL)], ids=["text", "rich text"])
def test_consoles_show_them(what: object, capsys: pytest.CaptureFixture[str]) -> None:
    SafeConsole(force_terminal=True, width=200, highlight=False).print(what, style="red", markup=False)
    shown = capsys.readouterr().out
    assert "\x1b]" not in shown and "\x07" not in shown and "\x9b" not in shown and r"\x1b]0;owned" in shown
    assert shown.startswith("\x1b[31m")  # styles still work


def test_errors_show_them() -> None:
    error = mg.MomagenError("a name", EVIL, f"file {EVIL}", EVIL)
    assert not any(char in str(error) for char in "\x1b\x07\x9b\u202e\x00")


def manifest(path: Path, **changes: object) -> list[str]:
    mg.blas("vadd", modulus_bits=30).save(path)
    (file,) = path.glob("*.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    return ["verify", str(path)]


def target(path: Path, *words: str, **changes: str) -> list[str]:
    (path / "x.toml").write_text(toml(TARGET | changes))
    return [*words, str(path / "x.toml")]


COMMANDS = {
    "a name in a manifest": lambda path: manifest(path, name=EVIL),
    "a version in a manifest": lambda path: manifest(path, format=EVIL),
    "the title of a target": lambda path: target(path, "targets"),
    "a name of a target": lambda path: target(path, "targets", name=EVIL),
    "a row of a target": lambda path: target(path, "targets", purpose="kernels", flags=EVIL),
    "the title of a kernel's target": lambda path: target(path, "blas", "vadd", "--modulus-bits", "30", "--no-verify",
                                                         "--no-bench", "--output", str(path), "--target"),
    "a file name": lambda path: ["verify", str(path / "a\x1b[31m\x07")],
    "an argument": lambda path: ["ntt", "--n", EVIL.replace("\0", ""), "--bits", "64"],
    "a command": lambda path: [EVIL],
}  # fmt: skip


@pytest.mark.parametrize("what", COMMANDS)
def test_commands_show_them(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(COMMANDS[what](tmp_path))
    said = capsys.readouterr()
    shown = said.out + said.err
    assert shown.strip() and not any(char in shown for char in "\x1b\x07\x9b\u202e\x00\r")
