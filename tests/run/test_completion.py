"""Completion as the shells do it, and what a person asks of the command line itself."""

from __future__ import annotations

import json
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import momagen
from momagen.cli import main
from momagen.cli.commands.completion import words
from momagen.cli.commands.help import ENVIRONMENT, TOPICS
from momagen.cli.parser import COMMANDS
from momagen.kinds.modular.options.declared import OptionFields
from momagen.kinds.parameter import parameters_of
from momagen.kinds.registry import kinds

ASKED = {
    "momagen ": {"ntt", "blas", "cache", "completion"},
    "momagen nt": {"ntt"},
    "momagen ntt --inv": {"--inverse"},
    "momagen ntt --order ": {"bitrev", "natural"},
    "momagen ntt --target avx5": {"avx512", "avx512ifma"},
    "momagen ntt --target na": {"native"},
    "momagen ntt --modulus gold": {"goldilocks"},
    "momagen blas vm": {"vmul"},
    "momagen explain mulm": {"mulmod"},
    "momagen blas --reduction bar": {"barrett"},
    "momagen verify here": {"here.toml"},
    "momagen ntt --output here": {"here.toml"},
    "momagen bench --large --se": {"--section", "--seconds"},
    "momagen conv": {"convert"},
    "momagen convert --method sh": {"shenoy-kumaresan"},
    "momagen keyswitch --input-factor ": {"1", "2", "4"},
    "momagen rescale --target na": {"native"},
    "momagen matmul --matrix here": {"here.toml"},
    "momagen help resc": {"rescale"},
    "momagen help env": {"environment"},
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shell")
    (folder / "here.toml").touch()
    return folder


@cache
def script(shell: str) -> str:
    """What ``momagen completion`` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "momagen", "completion", shell], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(momagen.__file__).parent.parent)},
    )  # fmt: skip
    return done.stdout


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
@pytest.mark.parametrize("line", ASKED)
def test_bash_completes(line: str, place: Path) -> None:
    given = [*shlex.split(line), *[""] * line.endswith(" ")]
    ask = f"COMP_WORDS=({' '.join(map(shlex.quote, given))}); COMP_CWORD={len(given) - 1}; _momagen"
    text = f'{script("bash")}\n{ask}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-u", "-c", text], capture_output=True, text=True, check=True, cwd=place)
    assert done.stderr == "" and ASKED[line] <= set(done.stdout.split())
    assert all(word.startswith(given[-1]) for word in done.stdout.split())


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish here")
@pytest.mark.parametrize("line", ASKED)
def test_fish_completes(line: str, place: Path) -> None:
    text = f"{script('fish')}\ncomplete -C {shlex.quote(line)}"
    done = subprocess.run(["fish", "-c", text], capture_output=True, text=True, check=True, cwd=place)
    found = {row.partition("\t")[0] for row in done.stdout.splitlines()}
    assert done.stderr == "" and ASKED[line] <= found
    assert "here.toml" not in found or "here.toml" in ASKED[line] or "--target" in line


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_take_their_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    assert subprocess.run([shell, "-n"], input=text, text=True, check=False).returncode == 0


def test_every_option_lists_its_values() -> None:
    """Nowhere a placeholder where a few values are meant."""
    choices = {each.flag for each in parameters_of(OptionFields).values() if each.values}
    assert all(word.values for word in words() if word.option in choices)


def test_completion_knows_what_kinds_declare() -> None:
    """Every declared option is completed: choices by their values, files by their names, flags without a value."""
    found = {(word.command, word.option): word for word in words()}
    declared = [(kind.maker, each) for kind in kinds().values() for each in kind.parameters.values() if kind.manual]
    assert {name for name, _ in declared} >= {"convert", "matmul"}
    for name, each in declared:
        word = found[name, each.flag]
        assert word.takes == (each.type is not bool) and word.files >= each.is_file, each.name
        assert word.values == tuple(map(str, each.choices)) or not each.choices, each.name


def test_help_completes_its_topics() -> None:
    topics = next(word.values for word in words() if word.command == "help" and not word.option)
    assert {*topics} == {*TOPICS, *COMMANDS}


FOR_JAX = ("XLA_FLAGS", "NPROC")
"""Variables that the package sets for XLA, which reads them."""


def test_the_environment_is_told_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    """Every variable that the package reads and that is not its own affair stands in the table."""
    assert main(["help", "environment"]) == 0
    shown = capsys.readouterr().out
    read = set[str]()
    for path in Path(momagen.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        read |= set(re.findall(r"(?:environ(?:\.get\(|\[)|VARIABLE = )\"([A-Z_]+)\"", text))
    assert {"CC", "MOMAGEN_CACHE", "MOMAGEN_WISDOM"} <= read
    assert read - {"PYTHONPATH", *FOR_JAX} <= set(ENVIRONMENT)
    assert all(name in shown for name in ENVIRONMENT)


def test_help_of_a_command_is_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "ntt"]) == 0
    assert "--modulus-bits" in capsys.readouterr().out
    assert main(["help", "keyswitch"]) == 0
    assert "--input-factor {1,2,4}" in capsys.readouterr().out
    assert main(["help", "nt"]) == 2
    assert "did you mean ntt?" in capsys.readouterr().err


def test_the_cache_is_shown_and_cleared(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "cache"))
    assert main(["blas", "vadd", "--bits", "64", "--no-bench", "--json"]) == 0
    mine = tmp_path / "cache" / "mine.txt"
    mine.touch()
    capsys.readouterr()
    assert main(["cache", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    kernels = next(row for row in told["parts"] if row["part"] == "kernels")
    assert told["folder"] == str(tmp_path / "cache") and kernels["entries"] == 2 and kernels["bytes"] > 1000
    assert main(["cache", "--clear"]) == 0
    assert "deleted" in capsys.readouterr().out
    assert mine.exists() and not (tmp_path / "cache" / "kernels").exists()


def test_verbose_tells_what_is_done(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path))
    line = ["blas", "vadd", "--bits", "64", "--no-bench", "-v", "--json"]
    assert main(line) == 0
    first = capsys.readouterr()
    assert re.search(r"momagen: .* -O3 .*-c .*vadd_60b_c\.c", first.err) and "momagen: verify: " in first.err
    assert json.loads(first.out)["verify"]["ok"]
    line.remove("-v")
    assert main(["-v", *line]) == 0
    again = capsys.readouterr().err
    assert "momagen: found in the cache: " in again and "-O3" not in again
    assert not logging.getLogger("momagen").handlers and main(line) == 0 and capsys.readouterr().err == ""
