"""docs/guides/command-line.md: its commands, run one after another in one folder, print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from momagen.cli import main
from momagen.cli.commands.help import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "guides" / "command-line.md").read_text(encoding="utf-8")
ENVIRONMENT_PAGE = (ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"^    \$ momagen (.*)\n((?:    .*\n|\n(?=    ))*)", GUIDE, re.MULTILINE)


def plain(text: str) -> list[str]:
    """Lines without frames, spacing and empty ones."""
    lines = (" ".join(line.strip("│╭╮╰╯─ ").split()) for line in text.splitlines())
    return [line for line in lines if line]


def pattern(line: str) -> str:
    """``…`` is any text."""
    return ".*".join(map(re.escape, line.split("…")))


@pytest.mark.thorough
def test_its_commands_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = ["ntt", "verify", "blas", "prove", "prove", "prove", "bench", "lib", "tune", "explain", "explain"]
    assert [command.split()[0] for command, _ in SESSIONS] == commands
    for command, shown in SESSIONS:
        assert main(shlex.split(command)) == 0, capsys.readouterr().err
        printed = iter(plain(capsys.readouterr().out))
        for line in plain(shown):
            assert line == "…" or any(re.fullmatch(pattern(line), seen) for seen in printed), (command, line)


def test_the_reference_has_every_variable() -> None:
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| (.*) \|$", ENVIRONMENT_PAGE, re.MULTILINE))
    assert {name: text.replace("`", "") for name, text in rows.items()} == ENVIRONMENT


def test_it_counts_and_links_every_notebook() -> None:
    notebooks = sorted(path.name for path in (ROOT / "docs" / "notebooks").glob("*.ipynb"))
    numbers = {2: "two", 3: "three", 4: "four", 5: "five"}
    assert re.findall(r"notebooks/(\w+\.ipynb)", GUIDE) == notebooks
    assert f"{numbers[len(notebooks)]} notebooks" in GUIDE
