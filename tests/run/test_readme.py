"""What the README shows is what happens: its C program, its Python, its target."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

import momagen as mg
from momagen.build import compile_program, missing_features
from momagen.cli import main
from momagen.cli.kernels import specification
from momagen.cli.parser import build_parser
from momagen.emit import generate
from momagen.targets import load_target

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def _block(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return str(text)


COMMANDS = re.findall(r"^\|.*\| `momagen ([^`]*)` \|", README, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_the_table(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*shlex.split(command), "--json", "--no-bench"]) == 0, capsys.readouterr().err


def test_the_table_has_commands() -> None:
    assert len(COMMANDS) == 3


def test_the_first_butterfly() -> None:
    """Every statement as printed, but for the comments."""
    (command, shown) = re.search(r"\(`momagen (ntt [^`]*)`\):\n\n((?:    .*\n)+)", README).groups()  # type: ignore[union-attr]
    given = build_parser().parse_args(shlex.split(command))
    printed = [line.strip() for line in generate(specification(given)).source.splitlines()]
    lines = [line.split("/*")[0].strip() for line in shown.splitlines()]
    at = printed.index(lines[0])
    assert len(lines) == 7 and [line.split("/*")[0].strip() for line in printed[at : at + 7]] == lines


def test_the_c_program(tmp_path: Path) -> None:
    kernel = mg.ntt(8, bits=128)
    kernel.save(tmp_path)
    source = tmp_path / "main.c"
    source.write_text(_block("c"), encoding="utf-8")
    program = compile_program([source, tmp_path / f"{kernel.spec.name}.c"], flags=["-std=c99"], include_dirs=[tmp_path])
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    at_minus_one = (1 - 2 + 3 - 4) % kernel.modulus
    assert [int(word, 16) for word in printed] == [at_minus_one >> 64, at_minus_one & (1 << 64) - 1]


def test_the_notebook() -> None:
    exec(_block("python"), {})


def test_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vbmi2.toml").write_text(_block("toml"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert "momagen blas axpy --bits 256 --target ./vbmi2.toml" in README
    kernel = mg.blas("axpy", bits=256, target="./vbmi2.toml")
    assert any("funnel_word" in rule for rule in mg.blas("axpy", bits=256, target="avx512").fired)
    assert not any("funnel_word" in rule for rule in kernel.fired)
    assert "_mm512_shrdi_epi64" in kernel.source
    assert kernel.verify().ok
    assert kernel.emulated == bool(missing_features(load_target("./vbmi2.toml").features))
