"""Tests of docs/getting-started.md: its commands print what it shows, and its C program compiles and prints 9."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from momagen.cli import main

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "getting-started.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"^    \$ momagen (.*)\n((?:    .*\n)*)", PAGE, re.MULTILINE)
FRAME = "│╭╮╰╯─ "


def _lines(text: str) -> list[str]:
    """Return the lines of a report without frames, repeated spaces and empty lines."""
    lines = (" ".join(line.strip(FRAME).split()) for line in text.splitlines())
    return [line for line in lines if line]


@pytest.mark.thorough
def test_its_commands_and_its_c_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no cc")
    monkeypatch.chdir(tmp_path)
    assert [command.split()[0] for command, _ in SESSIONS] == ["ntt", "verify"]
    for command, shown in SESSIONS:
        assert main(shlex.split(command)) == 0, capsys.readouterr().err
        printed = iter(_lines(capsys.readouterr().out))
        for line in (line for line in _lines(shown) if line != "…"):
            pattern = ".*".join(map(re.escape, line.split("…")))
            assert any(re.fullmatch(pattern, seen) for seen in printed), (command, line)
    (program,) = re.findall(r"^```c\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (build,) = re.findall(r"^    cc (.*) && ./main$", PAGE, re.MULTILINE)
    Path("main.c").write_text(program, encoding="utf-8")
    subprocess.run([compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", *shlex.split(build)], check=True)
    assert subprocess.run(["./main"], check=True, capture_output=True, text=True).stdout == "9\n"
