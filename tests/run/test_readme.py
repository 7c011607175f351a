"""Tests of the README: its commands, figures and samples are correct, and it stays short."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from momagen.cli import main
from momagen.cli.commands.kernels import specification
from momagen.cli.parser import build_parser
from momagen.emit import generate

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _block(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return str(text)


GENERATES = README.partition("\n## What it generates\n")[2].partition("\n## ")[0]
COMMANDS = re.findall(r"^\|.*\| `momagen ([^`]*)` \|", GENERATES, re.MULTILINE)


@pytest.mark.thorough
@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_the_table(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(command)
    untimed = [] if words[0] in ("convert", "rescale", "moddown") else ["--no-bench"]
    assert main([*words, *untimed, "--json"]) == 0, capsys.readouterr().err


def test_the_table_has_commands() -> None:
    assert len(COMMANDS) == 10


def test_the_first_butterfly() -> None:
    """Every statement is as generated; comments may differ."""
    (command, shown) = re.search(r"\(`momagen (ntt [^`]*)`\):\n\n((?:    .*\n)+)", README).groups()  # type: ignore[union-attr]
    given = build_parser().parse_args(shlex.split(command))
    printed = [line.strip() for line in generate(specification(given)).source.splitlines()]
    lines = [line.split("/*")[0].strip() for line in shown.splitlines()]
    at = printed.index(lines[0])
    assert len(lines) == 7 and [line.split("/*")[0].strip() for line in printed[at : at + 7]] == lines


def test_the_speed_table_has_the_figures_of_the_races() -> None:
    """Figures next to FLINT and Plonky3 are those of docs/reference/peers.md, rounded to two digits after the point."""
    races = (ROOT / "docs" / "reference" / "peers.md").read_text(encoding="utf-8")
    names = {
        "50 bits": "50 bits",
        "BabyBear": "31 bits (BabyBear)",
        "Goldilocks (constant)": "Goldilocks, 16 columns, baked",
        "Goldilocks (run-time modulus)": "Goldilocks, 16 columns",
    }
    for name, race in names.items():
        shown = re.search(rf"^\| {re.escape(name)}, n = 2\^13, AVX2 \| ([\d.]+) \| ([\d.]+),", README, re.MULTILINE)
        row = re.search(rf"^\| {re.escape(race)} \| 8192 \| avx2 \| ([\d.]+) \| ([\d.]+) \|", races, re.MULTILINE)
        assert shown and row, name
        assert shown.groups() == tuple(f"{float(figure):.2f}" for figure in row.groups()), name


def test_ci_runs_the_test_command() -> None:
    (command,) = re.findall(r"^    python3 -m pip install '.*test\]' && (pytest .*)$", README, re.MULTILINE)
    assert f"\n{command}\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_it_is_short() -> None:
    assert README.count("\n") <= 120
    assert all(len(line) <= 110 for line in README.splitlines() if not line.startswith(("|", "    ")))


def test_the_python_sample() -> None:
    exec(_block("python"), {})
