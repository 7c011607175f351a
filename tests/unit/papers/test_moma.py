"""The reproduction of the MoMA paper: results of the script become series, and figures show no impossible number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from momagen.errors import MomagenError
from momagen.papers.exhibit import Exhibit
from momagen.papers.moma import PAPER, gmp, instructions
from momagen.papers.moma.convert import convert
from momagen.papers.moma.derived import GMP, mean
from momagen.papers.picture import picture_of
from momagen.papers.series import middle
from momagen.plots import renderer

ROOT = Path(__file__).resolve().parents[3]
MEASURED = {
    "h100": ROOT / "scripts" / "results" / "nvidia-h100-80gb-hbm3-20261126-0935.json",
    "h200": ROOT / "scripts" / "results" / "nvidia-h200-20261126-0945.json",
}
EXHIBITS = {each.name: each for each in PAPER.exhibits()}


def _series(exhibit: str, what: str) -> Mapping[Any, Any]:
    return next(row.points for row in EXHIBITS[exhibit].measured if row.what == what)


def _drawn(exhibit: Exhibit) -> dict[str, dict[float, float]]:
    """Return the points of the lines of a drawn figure by their label."""
    pytest.importorskip("matplotlib")
    (ax,) = renderer.figure_of(picture_of([exhibit])).axes
    return {line.get_label(): dict(zip(line.get_xdata(), line.get_ydata(), strict=True)) for line in ax.lines}


@pytest.mark.parametrize("gpu", MEASURED)
def test_stored_results_are_those_of_the_script(gpu: str) -> None:
    told = json.loads(MEASURED[gpu].read_text(encoding="utf-8"))
    (path,) = (PAPER.folder / "results").glob(f"*-{gpu}.json")
    assert convert(told) == json.loads(path.read_text(encoding="utf-8"))
    assert convert({"series": []}) == {"series": []}


@pytest.mark.parametrize("gpu", ["H100", "H200"])
def test_no_lower_bound_in_figure_4_exceeds_a_time(gpu: str) -> None:
    drawn = _drawn(EXHIBITS["figure-4"])
    times, bounds = drawn[f"momagen, {gpu}"], drawn[f"lower bound, {gpu}"]
    assert set(times) == set(bounds) == {128, 256, 384, 768}
    for bits, bound in bounds.items():
        assert times[bits] / 2 < bound < times[bits]


def test_figure_4_is_labelled_and_shows_what_is_compared() -> None:
    drawn = _drawn(EXHIBITS["figure-4"])
    assert {"RPU, ASIC (stated)", "MoMA, H100, artefact (stated)", GMP} <= set(drawn)
    assert 4 < drawn["momagen, H100"][128] < 5 < drawn["RPU, ASIC (stated)"][128] < 20 < drawn[GMP][128]


def test_the_artefacts_curve_is_2_to_5_times_as_slow_as_ours() -> None:
    (stated,) = [row for row in EXHIBITS["figure-3a"].stated if row.what == "MoMA, H100, artefact"]
    ours = _series("figure-3a", "momagen, H100")
    factors = {at: middle(value) / middle(ours[at]) for at, value in stated.points.items()}
    assert list(factors) == list(range(8, 23))
    assert min(factors.values()) == pytest.approx(2.3, abs=0.05) and max(factors.values()) == pytest.approx(
        5.0, abs=0.05
    )
    assert mean(factors.values()) == pytest.approx(3.09, abs=0.01)


def test_factors_follow_from_times() -> None:
    assert _series("figure-3a-factors", "MoMA, H100, artefact")["RPU"] == pytest.approx(1.4, abs=0.02)
    ours = _series("figure-3a", "momagen, H100")
    expected = mean([35.9 / ours[10], 13.08 / ours[14], 12.78 / ours[16]])
    assert _series("figure-3a-factors", "momagen, H100")["RPU"] == pytest.approx(expected)
    least = min(_series("figure-2", GMP)[at] / value for at, value in _series("figure-2", "momagen, H100").items())
    assert _series("figure-2-factors", f"momagen, H100 over {GMP}")["all over GMP and GRNS"] == pytest.approx(least)
    assert _series("text-shared-memory", "MoMA, H100, artefact")["2^11"] == pytest.approx(1.94, abs=0.01)


def test_the_rules_of_both_products_have_the_stated_multiplications() -> None:
    assert _series("text-multiplication", "momagen, schoolbook") == {"multiplications": 4, "additions": 6}
    assert _series("text-multiplication", "momagen, Karatsuba")["multiplications"] == 3


def test_gmp_is_measured_beside_momagen(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [_point("avx512", False, 1.0), _point(GMP, True, 20.0)]
    monkeypatch.setattr(gmp, "sweep_race", lambda race, grid: points)
    monkeypatch.setattr(gmp, "grid_races", lambda grid: [_Race()])
    found = {row.what: dict(row.points) for row in gmp.measure_vectors(lambda *_: None)}
    assert found == {"momagen, avx512, one core": {"vadd 128": 1.0}, GMP: {"vadd 128": 20.0}}
    points[1] = _point(GMP, True, None)
    with pytest.raises(MomagenError, match=r"GMP cannot be measured: no gmp\.h"):
        gmp.measure_vectors(lambda *_: None)
    points[1] = _point(GMP, True, 1.0, wrong=True)
    with pytest.raises(MomagenError, match="computes another result"):
        gmp.measure_vectors(lambda *_: None)


class _Race:
    """A stand-in for a race."""

    kernel = "vadd"
    spec = type("Spec", (), {"width": 124})


def _point(name: str, baseline: bool, ns: float | None, wrong: bool = False) -> Any:
    sample = type("Sample", (), {"median": ns})() if ns else None
    note = "" if ns else "no gmp.h"
    row = {
        "name": name,
        "baseline": baseline,
        "ns": sample,
        "wrong": wrong,
        "kernel": "vadd",
        "bits": 124,
        "note": note,
    }
    return type("Point", (), row)()


def test_a_missing_file_of_the_artefact_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match="git clone https://github"):
        instructions._theirs(tmp_path / "ntt16384x124_h100.cu")
