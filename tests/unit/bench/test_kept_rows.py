"""Rows of a study that is interrupted: kept one by one, used again by the same request alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from momagen.bench.measure.sample import Spread
from momagen.bench.report import kept
from momagen.bench.report.kept import KeptRows
from momagen.bench.report.plain import from_plain, to_plain
from momagen.bench.report.point import Point
from momagen.bench.x86.floor import Floor
from momagen.bench.x86.work import Work
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.isa.compare import workload
from momagen.isa.compare.workload import Measured, Workload
from momagen.papers.mqx.figures.protocol import Timing
from momagen.papers.mqx.figures.rows import FigureRow
from momagen.papers.rpu.explore.trial import Outcome
from momagen.signals import Ended

pytestmark = pytest.mark.compiles

SAMPLE = Spread(1.5, 1.0, 2.0, 7)
WORK = Work({("multiply", "zmm"): 2.5, ("vector", "ymm"): 1.0}, 12.0, 0.5, 0.25)
FLOOR = Floor(None, "", 3.0, WORK)
ROWS = [
    Measured(Workload("ntt", 124, 64), "mqx", True, WORK, {"zen4": FLOOR}, [1.0, 2.5]),
    Measured(Workload("vmul", 60, 1024), "c", False, cycles=[], missing="no such kernel"),
    FigureRow("ntt", 124, 64, "c", timing=Timing("butterfly", 3, SAMPLE, None, SAMPLE, (1.0, 2.0)), work=WORK,
              floors={"zen4": FLOOR}),
    Point("ntt", 124, 64, "c", ns=SAMPLE, floor=FLOOR, note="„quoted“\nnote"),
    Outcome(7, 1.5, {"vdm": 0.5}, [8, 9], {"compute": 3}),
]  # fmt: skip
STUDY = ["mqx", "compare", "--kernel", "ntt", "--bits", "60,124", "--n", "8", "--timed", "no", "--output"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: type(row).__name__)
def test_a_row_comes_back_as_it_was(row: Any) -> None:
    assert from_plain(type(row), json.loads(json.dumps(to_plain(row)))) == row


OUTCOME = to_plain(ROWS[-1])


@pytest.mark.parametrize("data", [None, [], {"cycles": 1}, {**OUTCOME, "cycles": "7"}, {**OUTCOME, "more": 1}])
def test_a_row_of_another_form_is_refused(data: object) -> None:
    with pytest.raises(MomagenError, match="the row does not have the form of Outcome"):
        from_plain(Outcome, data)


def kept_in(folder: Path | None, **request: object) -> KeptRows[Spread]:
    return KeptRows(folder, "study", request, Spread)


def interrupted(folder: Path | None, *keys: str, **request: object) -> list[str]:
    """Keep a row for each of ``keys``, and end by a signal; return the notes of the signal."""
    with pytest.raises(Ended) as ended, kept_in(folder, **request) as rows:
        for key in keys:
            rows.once(key, lambda: [SAMPLE])
        raise Ended(2)
    return ended.value.__notes__


def never() -> list[Spread]:
    raise AssertionError("it was measured again")


def test_the_same_request_goes_on_with_its_rows(tmp_path: Path) -> None:
    (note,) = interrupted(tmp_path, "a", "b", n=1)
    (file,) = tmp_path.iterdir()
    assert note == f"2 rows are stored in {file}; the same command continues with them"
    with kept_in(tmp_path, n=1) as rows:
        assert [rows.once("a", never), rows.once("b", never), rows.once("c", lambda: [])] == [[SAMPLE], [SAMPLE], []]
        assert rows.reused == 2
    assert list(tmp_path.iterdir()) == [], "a complete study leaves none"


@pytest.mark.parametrize("line", ["[", '["c", [{"median": 1.5', '["c", [[]]]\n', "\x00\n"])
def test_a_row_that_was_being_written_is_measured_again(line: str, tmp_path: Path) -> None:
    interrupted(tmp_path, "a")
    (file,) = tmp_path.iterdir()
    with file.open("a") as text:
        text.write(line)
    interrupted(tmp_path, "a", "b")
    with kept_in(tmp_path) as rows:
        assert rows.known("a") == rows.known("b") == [SAMPLE] and rows.known("c") is None


def test_another_request_or_other_code_has_other_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(tmp_path, "a", n=1)
    with kept_in(tmp_path, n=2) as rows:
        assert rows.known("a") is None
    monkeypatch.setattr(kept, "code_digest", lambda: "other code")
    with kept_in(tmp_path, n=1) as rows:
        assert rows.known("a") is None
    assert len(list(tmp_path.iterdir())) == 1, "the rows of the first are still there"


def test_without_a_folder_a_note_says_how_to_keep_rows() -> None:
    assert interrupted(None, "a") == [kept.ABSENT]


def test_a_study_is_interrupted_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second of two widths is interrupted; the same command has the tables of a run that never was."""
    counted: Callable[..., Measured] = workload._counted
    seen: list[str] = []

    def count(case: Workload, target: str, *more: Any) -> Measured:
        seen.append(f"{case.bits} {target}")
        if len(seen) == 8:
            raise Ended(2)
        return counted(case, target, *more)

    monkeypatch.setattr(workload, "_counted", count)
    assert main([*STUDY, str(tmp_path)]) == 130
    assert "6 rows are stored in " in capsys.readouterr().err
    assert [path.suffix for path in tmp_path.iterdir()] == [".rows"]
    assert main([*STUDY, str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reused"] == 6 and [row["bits"] for row in found["rows"]] == 6 * [60] + 6 * [124]
    assert sum(text.startswith("60 ") for text in seen) == 6, "no width is counted twice"
    assert "6 rows were measured by an earlier run" in (tmp_path / "compare.txt").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "compare.json").read_text(encoding="utf-8")) == found
    assert not list(tmp_path.glob("*.rows"))
