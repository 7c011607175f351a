"""A sweep of designs that is interrupted: only what is missing is simulated by the same command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from momagen.cli import main
from momagen.papers.rpu.explore import pool
from momagen.papers.rpu.explore.trial import Outcome, RpuTrial
from momagen.signals import Ended

WORDS = ["rpu", "sweep", "--n", "1024", "--hples", "64,128", "--banks", "32,64", "--jobs", "1", "--json", "--output"]


def test_only_missing_designs_are_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    seen: list[str] = []

    def simulated(trial: RpuTrial) -> Outcome:
        seen.append(trial.label)
        if len(seen) == 3:
            raise Ended(2)
        return Outcome(1000 + trial.design.hples + trial.design.banks, 1.0, {"vdm": 2.0})

    monkeypatch.setattr(pool, "run_trial", simulated)
    assert main([*WORDS, str(tmp_path)]) == 130
    assert "2 rows are stored in " in capsys.readouterr().err
    assert main([*WORDS, str(tmp_path)]) == 0
    designs = json.loads(capsys.readouterr().out)["designs"]
    assert [each["cycles"] for each in designs] == [1096, 1128, 1160, 1192]
    assert seen == ["(64,32)", "(64,64)", "(128,32)", "(128,32)", "(128,64)"]
    assert main([*WORDS, str(tmp_path)]) == 0 and len(seen) == 9, "a complete sweep is measured anew"
