"""``momagen bench``: the table of common kernels, from races of our own. Nothing is timed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from momagen.bench.measure.sample import Spread
from momagen.bench.report.point import Point
from momagen.bench.suite import quick
from momagen.bench.suite.grid import Grid, Race
from momagen.cli import main
from momagen.screen.progress import silent

TODO = [(kernel, bits, n) for kernels, widths, n in quick.ROWS for kernel in kernels for bits in widths]


def points(kernel: str, bits: int, n: int, **more: Any) -> list[Point]:
    """A target of ours, a baseline, and a target that cannot run."""
    ns = Spread(1.5, 1.4, 1.6, 9)
    ours = Point(kernel, bits, n, "c", ns=ns, cycles=Spread(4.5, 4.4, 4.6, 9), wall=ns, **more)
    rival = Point(kernel, bits, n, "GMP mpz", baseline=True, ns=ns, wall=Spread(3.0, 2.8, 3.1, 9))
    return [ours, rival, Point(kernel, bits, n, "avx512", note="a CPU with more")]


@pytest.fixture
def raced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Race, Grid]]:
    """The races that were asked for; they take no time."""
    seen: list[tuple[Race, Grid]] = []

    def race(one: Race, grid: Grid) -> list[Point]:
        seen.append((one, grid))
        return points(one.kernel, one.spec.width, one.n, wrong=one.kernel == "axpy" and one.spec.width == 252)

    monkeypatch.setattr("momagen.bench.report.report.sweep_race", race)
    return seen


def test_the_table_is_whole(raced: list[tuple[Race, Grid]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--repetitions", "7", "--seconds", "0.5"]) == 1
    assert [(race.kernel, race.spec.width, race.n) for race, _ in raced] == TODO
    grid = raced[0][1]
    assert (grid.rounds, grid.seconds, grid.floors) == (7, 0.5, False) and "gmp_mpz" in grid.baselines
    out, err = capsys.readouterr()
    assert err == "" and "compilers: " in out and "compiled by " in out
    rows = [line for line in out.splitlines() if "-bit modulus" in line]
    assert [row.split(",")[0].strip() for row in rows] == ["ntt"] * 3 + ["axpy"] * 3 + ["vmul"] * 3
    assert "ntt, 4096 points, 60-bit modulus" in rows[0] and "4.5 cycles" in rows[0]
    assert "FAIL: wrong output" in rows[5] and "wall 2.00 ×" in out


def test_what_is_not_timed_is_told(raced: list[tuple[Race, Grid]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512f,avx512dq")
    todo = quick.races(quick.GRID)
    found = [point for key in TODO[:-2] for point in points(*key)]
    assert list(quick.untold(found, todo)) == [
        "not timed: avx512: this CPU lacks avx512f, avx512dq",
        "not timed: vmul at 252 bits, axpy at 252 bits: the limit of 45 s was reached",
    ]


def test_no_row_begins_when_the_time_is_spent(
    raced: list[tuple[Race, Grid]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock: Iterator[float] = iter([0.0, *range(1, 100, 20)])
    monkeypatch.setattr("momagen.bench.suite.quick.time.monotonic", lambda: next(clock))
    assert main(["bench"]) == 0
    assert len(raced) == 3 and "the limit of 45 s was reached" in capsys.readouterr().out


def test_for_machines(raced: list[tuple[Race, Grid]], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["bench", "--json", "--output", str(tmp_path / "out")]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["machine"]["cpu"] and len(told["points"]) == 3 * len(TODO)
    assert json.loads((tmp_path / "out" / "bench.json").read_text()) == told
    assert "# Bench\n" in (tmp_path / "out" / "bench.md").read_text()
    assert main(["bench", "--csv"]) == 1
    assert capsys.readouterr().out.count("\n") == 1 + 3 * len(TODO)


@pytest.mark.compiles
def test_a_row_for_real() -> None:
    """One race as the table has it: a generated kernel beside GMP where that is installed, no floor."""
    grid = Grid(**{**vars(quick.GRID), "rounds": 3, "seconds": 0.1, "targets": ("c",)})
    race = next(race for race in quick.races(grid) if race.kernel == "vmul")
    (found,) = quick.measured([race], grid, silent)
    assert found[0].name == "c" and found[0].ns and found[0].wall and not found[0].floor
    assert {point.name for point in found} == {"c", "hand-written", "GMP mpz"}
    assert not any(point.wrong for point in found)
