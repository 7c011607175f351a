"""Progress of `momagen rpu ntt` and `momagen rpu polymul`."""

from __future__ import annotations

import pytest

from momagen.cli import main
from momagen.screen.progress import Estimate


@pytest.mark.compiles
@pytest.mark.parametrize("action", ["ntt", "polymul"])
def test_long_actions_report_progress(
    action: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every step is reported; which ones are printed depends on how long they take."""
    steps, report = list[str](), Estimate.report

    def record(self: Estimate, part: float, what: str) -> None:
        steps.append(what)
        report(self, part, what)

    monkeypatch.setattr(Estimate, "report", record)
    monkeypatch.setattr("momagen.screen.progress.EVERY", 0.01)
    status = main(["rpu", action, "--n", "1024", "--towers", "2"])
    lines = capsys.readouterr().err.splitlines()
    assert status == 0, lines
    assert lines and all(line.startswith("rpu: ") and line.endswith(" so far)") for line in lines)
    assert any("generating" in step for step in steps) and any("verifying" in step for step in steps)
