"""docs/guides/propose-an-instruction.md: its files and commands as they stand there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from momagen.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guides/propose-an-instruction.md").read_text(encoding="utf-8")
TOML, HEADER = (re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[0] for language in ("toml", "c"))
COMMANDS = re.findall(r"^    momagen (.*)$", PAGE, re.MULTILINE)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mac.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "mac.h").write_text(HEADER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_proposal_takes_few_lines() -> None:
    lines = [line for text in (TOML, HEADER) for line in text.splitlines() if line.strip()]
    assert len(lines) + len(COMMANDS) < 40


@pytest.mark.thorough
def test_it_is_checked(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMANDS[0].split(), "--json"]) == 0
    told = {row["checked"]: row["found"] for row in json.loads(capsys.readouterr().out)}
    assert "inputs" in told["emulation of muladd"] and "proven" in told["rule muladd_by_words"]
    assert "verified" in told["ntt, 124 bits, 64 points"]
    assert "muladd ×" in told["vmul, 124 bits, 1024 elements, proxies"]


@pytest.mark.thorough
def test_it_is_compared(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMANDS[1].split(), "--json", "--no-verify", "--timed", "no"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    own = {row["bits"]: row for row in rows if row["target"] == "./mac.toml"}
    assert own[252]["projected"] and own[252]["missing"] == ""
    gains = own[252]["over_base"]
    assert gains["instructions"]["median"] > 1.5 and gains["port floor, zen4"]["median"] > 1.3
