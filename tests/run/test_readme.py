"""What the README shows is what happens: report, first butterfly, Python."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from momagen.cli import main
from momagen.cli.commands.kernels import specification
from momagen.cli.parser import build_parser
from momagen.emit import generate

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def _block(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return str(text)


COMMANDS = re.findall(r"^\|.*\| `momagen ([^`]*)` \|", README, re.MULTILINE)


@pytest.mark.thorough
@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_the_table(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*shlex.split(command), "--json", "--no-bench"]) == 0, capsys.readouterr().err


def test_the_table_has_commands() -> None:
    assert len(COMMANDS) == 7


def test_the_first_butterfly() -> None:
    """Every statement as printed, but for the comments."""
    (command, shown) = re.search(r"\(`momagen (ntt [^`]*)`\):\n\n((?:    .*\n)+)", README).groups()  # type: ignore[union-attr]
    given = build_parser().parse_args(shlex.split(command))
    printed = [line.strip() for line in generate(specification(given)).source.splitlines()]
    lines = [line.split("/*")[0].strip() for line in shown.splitlines()]
    at = printed.index(lines[0])
    assert len(lines) == 7 and [line.split("/*")[0].strip() for line in printed[at : at + 7]] == lines


def test_the_report(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line of it as printed, in that order, but for the frame."""
    (command, shown) = re.search(r"    \$ momagen (.*)\n\n((?:    .*\n)+)", README).groups()  # type: ignore[union-attr]
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == 0
    printed = iter([" ".join(line.strip("│╭╮─ ").split()) for line in capsys.readouterr().out.splitlines()])
    for line in shown.splitlines():
        assert line.strip() == "…" or " ".join(line.split()) in printed, line


def test_it_is_short() -> None:
    assert README.count("\n") <= 150


def test_the_notebook() -> None:
    exec(_block("python"), {})
