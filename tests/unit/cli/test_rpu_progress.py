"""Progress of `momagen rpu ntt` and `momagen rpu polymul`."""

from __future__ import annotations

import pytest

from momagen.cli import main


@pytest.mark.compiles
@pytest.mark.parametrize("action", ["ntt", "polymul"])
def test_long_actions_report_progress(
    action: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("momagen.screen.progress.EVERY", 0.001)
    status = main(["rpu", action, "--n", "1024", "--towers", "2"])
    lines = capsys.readouterr().err.splitlines()
    assert status == 0, lines
    assert lines and all(line.startswith("rpu: ") and line.endswith(" so far)") for line in lines)
    assert any("generating" in line for line in lines) and any("verifying" in line for line in lines)
