"""Progress: a line now and then where nobody looks at a terminal, and an honest estimate of what is left."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from momagen.screen.progress import LATE, Estimate, Phases, counted, duration_text, part_of

PACKAGE = Path(__file__).resolve().parents[3] / "momagen"
SLOW = """
import time
from momagen.screen import progress
progress.EVERY = 0.2
with progress.Phases() as phases, phases.of("work") as report:
    report(0.0, "one")
    time.sleep(0.3)
    report(0.5, "two")
    time.sleep({})
print("result")
"""


@pytest.fixture
def clock() -> Iterator[list[float]]:
    yield [100.0]


def estimate(clock: list[float], *steps: tuple[float, float]) -> Estimate:
    """Return an estimate after reports of parts, each so many seconds after the one before."""
    found = Estimate(lambda: clock[0])
    for seconds, part in steps:
        clock[0] += seconds
        found.report(part, "next")
    return found


def test_the_rest_takes_as_long_as_the_part_that_is_done(clock: list[float]) -> None:
    assert estimate(clock, (0, 0.0), (10, 0.25)).left == pytest.approx(30)
    assert estimate(clock, (0, 0.0), (10, 0.25), (20, 0.5)).left == pytest.approx(30)


def test_time_passes_while_a_step_lasts_and_a_wrong_estimate_is_admitted(clock: list[float]) -> None:
    found = estimate(clock, (0, 0.0), (10, 0.5))
    clock[0] += 4
    assert found.left == pytest.approx(6) and found.left_text == "about 6 s left"
    clock[0] += 40
    assert found.left == pytest.approx(-34) and str(found) == f"50% done, {LATE}: next"


def test_what_an_earlier_run_did_is_no_measure_of_speed(clock: list[float]) -> None:
    """The first report of a run that goes on comes at 0.8: nothing is known of the pace yet."""
    assert estimate(clock, (5, 0.8)).left is None
    assert estimate(clock, (5, 0.8), (10, 0.9)).left == pytest.approx(10)


def test_before_a_second_report_nothing_is_promised(clock: list[float]) -> None:
    assert str(estimate(clock)) == ""
    assert str(estimate(clock, (0, 0.0))) == "0% done: next"
    assert str(estimate(clock, (0, 0.0), (60, 0.25))) == "25% done, about 3 min left: next"


@pytest.mark.parametrize(("seconds", "text"), [
    (0, "0 s"), (-1, "0 s"), (99.4, "99 s"), (99.6, "2 min"), (3540, "59 min"), (3600, "1 h 0 min"),
    (4800, "1 h 20 min"),
])  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_parts_and_steps_count_towards_the_whole() -> None:
    told: list[tuple[float, str]] = []
    half = part_of(lambda part, what: told.append((part, what)), 1, 2)
    half(0.5, "a")
    step = counted(half, 2)
    step("b")
    step("c")
    assert told == [(0.75, "a"), (0.5, ""), (0.75, "b"), (1.0, "c")]


def test_lines_come_now_and_then_on_standard_error_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    done = subprocess.run([sys.executable, "-c", SLOW.format(0.5)], capture_output=True, text=True, timeout=60)
    lines = done.stderr.splitlines()
    assert done.stdout == "result\n" and 2 <= len(lines) <= 5
    assert lines[0].startswith("work: 0% done: one (") and lines[-1].startswith("work: 50% done, ")
    assert all(line.endswith(" so far)") for line in lines)


def test_a_short_command_is_silent_and_its_phases_are_timed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("momagen.screen.progress.EVERY", 10.0)
    with Phases() as phases, phases.of("work") as report:
        report(0.5, "half")
        time.sleep(0.02)
    assert capsys.readouterr() == ("", "")
    assert phases.seconds["work"] >= 0.02


def test_there_is_one_way_to_tell_progress() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if "rich.progress" in path.read_text(encoding="utf-8")]
    assert {path.relative_to(PACKAGE).as_posix() for path in files} == {"screen/bar.py", "screen/progress.py"}
