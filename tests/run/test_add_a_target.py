"""The targets of docs/contributing/add-a-target.md are verified; docs/reference/target-files.md has every key."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

import momagen as mg
from momagen.cli import main
from momagen.runtime import missing_features
from momagen.targets import Target, load_target
from momagen.targets.check import KINDS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "contributing" / "add-a-target.md").read_text(encoding="utf-8")
REFERENCE = (DOCS / "reference" / "target-files.md").read_text(encoding="utf-8")
SMALL, WHOLE = re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "vbmi2.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "pair.toml").write_text(WHOLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.thorough
def test_the_small_target(place: Path) -> None:
    kernel = mg.blas("axpy", bits=256, target="./vbmi2.toml")
    assert any("funnel_word" in rule for rule in mg.blas("axpy", bits=256, target="avx512").rules_applied)
    assert not any("funnel_word" in rule for rule in kernel.rules_applied)
    assert "_mm512_shrdi_epi64" in kernel.source
    assert kernel.verify().ok
    assert kernel.emulated == bool(missing_features(load_target("./vbmi2.toml").features))


@pytest.mark.thorough
@pytest.mark.parametrize("command", re.findall(r"^    momagen (.*)$", PAGE, re.MULTILINE))
def test_the_commands(command: str, place: Path) -> None:
    assert main([*command.split(), "--no-bench", "--json"]) == 0


@pytest.mark.thorough
@pytest.mark.parametrize("bits", [64, 128, 256])
def test_the_whole_target(bits: int, place: Path) -> None:
    target = "./pair.toml"
    for inverse in (False, True):
        kernel = mg.ntt(64, bits=bits, target=target, inverse=inverse)
        assert kernel.verify().ok and not kernel.emulated and "__builtin_shufflevector" in kernel.source
    for kind in ("vadd", "vmul", "cmpadd"):
        assert mg.blas(kind, bits=bits, target=target).verify().ok


def test_every_key_is_there() -> None:
    rows = re.findall(r"^\| `\[{0,2}(\w+)\]{0,2}` \|", REFERENCE, re.MULTILINE)
    assert sorted(rows) == sorted(KINDS)


def test_defaults_of_numbers_are_those_of_targets() -> None:
    shown = dict(re.findall(r"^\| `(\w+)` \|.*\| (\S+) \|$", REFERENCE, re.MULTILINE))
    numbers = [field for field in fields(Target) if KINDS.get(field.name) is int]
    defaults = {field.name: "required" if field.default is MISSING else str(field.default) for field in numbers}
    assert {name: shown[name] for name in defaults} == defaults
