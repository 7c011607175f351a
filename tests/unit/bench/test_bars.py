"""The bars of kernels on x86: the table is sound; a figure says what was measured, against what, and what is wished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from momagen.bench.measure.baselines import LIBRARIES
from momagen.bench.measure.sample import Spread
from momagen.bench.report.figure import Figure
from momagen.bench.report.point import Point
from momagen.bench.suite.bars import Bar, Key, fastest, load_bars, x86
from momagen.bench.suite.grid import Grid, grid_races
from momagen.targets import names

pytestmark = pytest.mark.usefixtures("able")
NTT = Bar("ntt", 124, (1024,), ("avx2",), most=4.0, reach=3.0)
OVER = Bar("ntt", 124, (1024,), ("avx2", "avx512"), over=("c", "GMP mpz"), least=2.0, reach=3.0)


@pytest.fixture
def able(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU that has everything."""
    monkeypatch.setattr("momagen.bench.suite.bars.missing_features", lambda features: [])


def _point(name: str, cycles: float | None, wrong: bool = False, note: str = "") -> Point:
    spread = None if cycles is None else Spread(cycles, cycles - 1, cycles + 1, 9)
    return Point("ntt", 124, 1024, name, ns=spread, cycles=spread, wrong=wrong, note=note)


def _figures(bar: Bar, *points: Point) -> list[Figure]:
    """Of a race with these points."""

    def racer(key: Key, targets: Sequence[str]) -> list[Point]:
        assert key == ("ntt", 124, 1024)
        assert set(targets) == {name for name in (*bar.target, *bar.over) if name in names()}
        return list(points)

    return list(x86(3, 1.0, [bar], racer))


def test_every_row_can_be_raced() -> None:
    titles = {row.title for row in LIBRARIES.values()}
    for bar in load_bars():
        assert bar.limit and set(bar.target) <= set(names())
        assert set(bar.over) <= {*names(), *titles} and bar.rival in ("", *titles)
        assert bar.rival == "" or (bar.over == () and bar.rival in bar.why)
        assert (bar.least is None) != (bar.over != ())
        assert (bar.most is None) == (bar.over != ())
        assert bar.reach is None or (bar.reach > bar.limit if bar.over else bar.reach < bar.limit)
        grid = Grid((bar.kernel,), (bar.bits,), bar.sizes, bar.target)
        assert [race.n for race in grid_races(grid)] == list(bar.sizes)


def test_cycles_against_a_bar() -> None:
    (met,) = _figures(NTT, _point("avx2", 3.5), _point("GMP mpz", 200.0))
    assert (met.ok, met.value, met.low, met.high, met.unit) == (True, 3.5, 2.5, 4.5, "cycles/butterfly")
    assert met.note == "goal 3 not met"
    (missed,) = _figures(NTT, _point("avx2", 4.5))
    assert missed.ok is False
    assert _figures(NTT, _point("avx2", 2.9))[0].note == "goal 3 met"
    assert _figures(replace(NTT, why="a paper"), _point("avx2", 2.9))[0].note == "goal 3 met (a paper)"


@pytest.mark.parametrize(("theirs", "limit", "why"), [
    (_point("HEXL", 3.0), 3.0, "HEXL takes 3 here"), (_point("HEXL", 3.9), 3.9, "HEXL takes 3.9 here"),
    (_point("HEXL", None, note="no hexl.hpp"), 4.0, "HEXL takes 4"),
    (_point("HEXL", 3.0, wrong=True), 4.0, "HEXL takes 4"),
], ids=["faster", "slower", "absent", "wrong"])  # fmt: skip
def test_a_rival_in_the_race_is_the_bar(theirs: Point, limit: float, why: str) -> None:
    bar = replace(NTT, rival="HEXL", why="HEXL takes 4")
    (figure,) = _figures(bar, _point("avx2", 3.5), theirs)
    assert figure.limit == limit and figure.ok is (limit > 3.5) and figure.note == f"goal 3 not met ({why})"


def test_a_ratio_is_of_the_fastest_on_both_sides() -> None:
    points = [_point("avx2", 6.0), _point("avx512", 5.0), _point("c", 12.0), _point("GMP mpz", 200.0)]
    (figure,) = _figures(OVER, *points)
    assert figure.ok and figure.at_least and figure.value == pytest.approx(2.4)
    assert figure.note == "avx512, against c, goal 3 not met"
    assert fastest((), {}) is None


def test_what_cannot_run_is_not_raced_nor_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("momagen.bench.suite.bars.missing_features", lambda features: list(features))
    (figure,) = x86(3, 1.0, [NTT], lambda key, targets: pytest.fail("raced"))
    assert figure.ok is None and figure.value is None and figure.note == "no avx2, fma"


@pytest.mark.parametrize("points, note", [
    ([_point("avx2", 6.0), _point("c", None, note="no room")], "no room; no GMP mpz"),
    ([_point("c", 6.0), _point("avx512", None, note="no room")], "no avx2; no room"),
])  # fmt: skip
def test_a_ratio_needs_both_sides(points: list[Point], note: str) -> None:
    (figure,) = _figures(OVER, *points)
    assert figure.ok is None and figure.note == note


def test_wrong_output_meets_no_bar() -> None:
    (figure,) = _figures(NTT, _point("avx2", 1.0, wrong=True))
    assert figure.ok is False and figure.note == "FAIL: wrong output"


def test_the_fastest_of_several_is_judged_where_the_first_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("momagen.bench.suite.bars.missing_features", lambda features: ["x"] * ("avx512f" in features))
    both = Bar("ntt", 124, (1024,), ("avx512", "avx2"), most=4.0)
    (figure,) = _figures(both, _point("avx2", 5.0))
    assert figure.value == 5.0 and figure.ok is None
    (figure,) = _figures(replace(both, rival="HEXL"), _point("avx2", 5.0), _point("HEXL", 6.0))
    assert figure.ok and figure.limit == 6.0


def test_one_race_serves_all_its_bars() -> None:
    asked: list[tuple[Key, list[str]]] = []

    def racer(key: Key, targets: Sequence[str]) -> list[Point]:
        asked.append((key, list(targets)))
        return [_point("avx2", 6.0), _point("avx512", 5.0), _point("c", 12.0)]

    figures = list(x86(3, 1.0, [NTT, OVER], racer))
    assert asked == [(("ntt", 124, 1024), ["avx2", "avx512", "c"])]
    assert [figure.ok for figure in figures] == [False, True]


@pytest.mark.compiles
def test_a_real_race() -> None:
    """Two scalar targets on this machine."""
    bar = Bar("vadd", 60, (64,), ("c",), over=("c64",), least=0.001)
    (figure,) = x86(3, 1.0, [bar])
    if figure.value is None:
        pytest.skip(f"no cycles here: {figure.note}")
    assert figure.ok and figure.value > 0.001 and figure.samples >= 3
