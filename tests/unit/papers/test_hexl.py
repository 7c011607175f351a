"""``momagen paper hexl`` computes speed-ups from its own races and from the output of ``scripts/dropin``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.papers.hexl import PAPER, kernels, rivals
from momagen.papers.hexl.programs import MARK, convert
from momagen.papers.hexl.speeds import OVER, derive
from momagen.papers.series import ResultSeries
from momagen.runtime import find_compiler

BENCHMARKS = [
    {"row": "n=8192 / log(q)=200 / BFV / EvaluateMulCt",
     "microseconds": {"plain": [30.0, 30.0], "hexl": [20.0, 20.0], "ours": [10.0, 15.0]}},
    {"row": "n=8192 / log(q)=200 / BFV / EvaluateRelinInplace",
     "microseconds": {"plain": [10.0, 10.0], "hexl": [5.0, 5.0], "ours": [5.0, 5.0]}},
    {"row": "n=8192 / log(q)=200 / BFV / EvaluateAddCt",
     "microseconds": {"plain": [1.0], "hexl": [1.0], "ours": [1.0]}},
    {"row": f"{MARK}CKKS Rotate 1", "microseconds": {"plain": [8.0, 8.0], "ours": [2.0, 4.0]}},
]  # fmt: skip


def found() -> dict[tuple[str, str], ResultSeries]:
    text = json.dumps({"tests": [], "benchmarks": BENCHMARKS, "broken": []})
    return {(row.exhibit, row.what): row for row in PAPER.read(text, "dropin.json")}


def test_results_of_programs_become_speed_ups() -> None:
    rows = found()
    assert rows["table-5", "SEAL 4.4.3 on HEXL, over plain SEAL"].points == {
        "BFV Multiply": (1.5, 1.5), "BFV Relinearize": (2.0, 2.0), "BFV Multiply Relinearize": (1.6, 1.6),
    }  # fmt: skip
    assert rows["table-5", "SEAL 4.4.3 on momagen, over plain SEAL"].points["BFV Multiply"] == (2.0, 3.0)
    assert rows["table-6", "OpenFHE 1.5.1 on momagen, over plain OpenFHE"].points == {"CKKS Rotate 1": (2.0, 4.0)}
    assert ("table-6", "OpenFHE 1.5.1 on HEXL, over plain OpenFHE") not in rows
    assert rows["table-6", "OpenFHE 1.5.1, plain"].points == {"CKKS Rotate 1": 8.0}


def test_other_results_stay_as_they_are() -> None:
    told = {"machine": "m", "date": "d", "command": "c", "series": []}
    assert convert(told) is told


def test_speed_ups_follow_from_times() -> None:
    rows = [
        ResultSeries("HEXL, native C++", "µs", {1024: (4.0, 4.0), 4096: 16.0}, "table-1", "s"),
        ResultSeries("HEXL, AVX512-IFMA", "µs", {1024: (1.0, 1.0), 4096: 2.0}, "table-1", "s"),
        ResultSeries("HEXL, AVX512-DQ, 50 bits", "µs", {1024: 1.0}, "table-3", "s"),
    ]
    speeds = {(row.exhibit, row.what): row.points for row in derive(rows)}
    assert speeds["table-1", OVER.format("HEXL, AVX512-IFMA")] == {1024: 4.0, 4096: 8.0}
    assert speeds["abstract", "HEXL, forward NTT"] == {"largest": 8.0}
    assert {exhibit for exhibit, _ in speeds} == {"table-1", "abstract"}


def test_contestants_have_the_names_of_the_tables() -> None:
    assert [kernels.title(name) for name in ("hexldq", "HEXL", "c")] == [
        "HEXL, AVX512-DQ", "HEXL, AVX512-IFMA", "momagen, c",
    ]  # fmt: skip


def test_libraries_that_are_not_installed_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEXL_ROOT", "NFLLIB_ROOT"):
        monkeypatch.setenv(name, str(tmp_path))
    assert {*rivals.build(find_compiler(), tmp_path).missing} == {rival.title for rival in rivals.RIVALS.values()}
    with pytest.raises(MomagenError, match="HEXL cannot be used"):
        kernels.measure("table-1", lambda *_: None)
