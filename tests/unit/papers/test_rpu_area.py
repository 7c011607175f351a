"""Areas of Ring Processing Units against what the paper states; numbers are from its text."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.papers.rpu.explore.areas import FITTED, area_figures, misfit
from momagen.papers.rpu.explore.stated import Stated, others, stated
from momagen.papers.rpu.model import area as area_file
from momagen.papers.rpu.model.area import PARTS, area, area_model, busyboard_gates, hash_gates
from momagen.papers.thresholds import MISS, NO_BAR, PASS
from momagen.rpu.machine.design import load_design

pytestmark = pytest.mark.study

PAPER = load_design("rpu-paper")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "papers" / "rpu.md"


def parts(hples: int, banks: int) -> dict[str, float]:
    return area(PAPER.having(hples=hples, banks=banks))


def test_the_reference_is_given_back_exactly() -> None:
    found = area(PAPER)
    assert sum(found.values()) == pytest.approx(20.5, abs=1e-9)
    assert found["law"] + found["vrf"] == pytest.approx(12.61, abs=1e-9)
    assert tuple(found) == PARTS and min(found[name] for name in PARTS[:-1]) > 0 and found["hash"] == 0


def test_macros_are_the_paper_s() -> None:
    """Section VI-C, um²; at 128 HPLEs a slice has 16 macros of 512·4/128 words of 16 bytes."""
    model = area_model()
    assert model.macro(512) * 1e6 == pytest.approx(2010) and model.macro(256) * 1e6 == pytest.approx(1818)
    assert parts(128, 128)["vrf"] == pytest.approx(128 * 16 * 1818e-6)
    assert parts(64, 128)["vrf"] == pytest.approx(64 * 16 * 2010e-6)


def test_growth_is_the_paper_s() -> None:
    """Section VI-C: LAW and VBAR by HPLEs, VBAR by banks, SBAR three times as HPLEs double, five times at last."""
    assert parts(256, 128)["law"] == pytest.approx(2 * parts(128, 128)["law"])
    assert parts(128, 256)["vbar"] == pytest.approx(2 * parts(128, 128)["vbar"])
    sbar = [parts(h, 128)["sbar"] for h in (32, 64, 128, 256)]
    assert [after / before for before, after in pairwise(sbar)] == pytest.approx([3, 3, 5])
    for h in (16, 32, 64, 128):
        assert 1.5 <= parts(2 * h, 128)["vrf"] / parts(h, 128)["vrf"] <= 2


def test_more_of_anything_is_larger() -> None:
    for h, b in ((4, 32), (16, 64), (64, 128), (128, 128)):
        here = sum(parts(h, b).values())
        assert sum(parts(2 * h, b).values()) > here and sum(parts(h, 2 * b).values()) > here
    small = sum(area(PAPER).values())
    for change in ({"vdm_bytes": 8 << 20}, {"sdm_bytes": 64 << 10}, {"share": True}, {"hash": "xor"}, {"stacked": 1}):
        assert sum(area(PAPER.having(**change)).values()) > small, change
    assert area(PAPER.having(stacked=0)) == area(PAPER.having(stacked=1))


def test_what_rpu_best_adds_is_small() -> None:
    """64 counters that reach the 27 readers in flight (3 queues of 8, a pipeline each) have 5 bits; of 21 bits of an
    address, 7 choose among 128 banks, so that 14 gates an exclusive or takes on each of 128 lanes."""
    best, model = load_design("rpu-best"), area_model()
    assert busyboard_gates(PAPER, model) == 64 * model.gates["flag"]
    assert busyboard_gates(best, model) == 64 * (model.gates["flag"] + 5 * model.gates["counter_bit"])
    assert hash_gates(best, model) == 128 * 14 * model.gates["exclusive_or"] and hash_gates(PAPER, model) == 0
    assert hash_gates(best.having(banks=1, ghz={"1": 1.0}), model) == 0
    assert 0 < sum(area(best).values()) - 20.5 < 0.01


def test_the_fit_is_the_best_one() -> None:
    """Another crossbar is further from the stated ratios."""
    model = area_model()
    assert all(misfit(model) < misfit(replace(model, vbar=model.vbar + step)) for step in (-0.5, -0.02, 0.02, 0.5))
    assert model.bank > 0 and {*FITTED} <= {*stated()}


def test_errors_are_told_and_not_hidden() -> None:
    """Section VI-B: 2.5 and 1.2 times, 10 to 24 % as banks double."""
    found = area_figures()
    ratio = sum(parts(4, 256).values()) / sum(parts(4, 32).values())
    assert found["area_at_4"] == pytest.approx(ratio) and stated()["area_at_4"].low == 2.5
    assert stated()["area_at_4"].error(ratio) == pytest.approx(100 * (ratio / 2.5 - 1))
    assert stated()["area_at_4"].verdict(ratio) == MISS
    assert stated()["area_at_256"].verdict(found["area_at_256"]) == PASS
    bounds = {(row.low, row.high) for key, row in stated().items() if key.startswith("area_banks")}
    assert bounds == {(1.10, 1.24)}


def test_the_page_has_the_model_s_areas() -> None:
    text, found = PAGE.read_text(encoding="utf-8"), area(PAPER)
    small = found["im"] + found["sdm"] + found["front"]
    for name, value in (("LAW engines", found["law"]), ("VRF", found["vrf"]), ("VDM", found["vdm"]),
                        ("VBAR", found["vbar"]), ("SBAR", found["sbar"]), ("IM, SDM, front end", small)):  # fmt: skip
        assert f"| {name} | {value:.2f} | " in text
    ours = area_figures()
    assert f"| area of (4,256) over (4,32) | {ours['area_at_4']:.2f} | 2.5 |" in text
    assert f"| area of (256,256) over (256,32) | {ours['area_at_256']:.2f} | 1.2 |" in text
    assert f"| area, 128 HPLEs, 32 to 64 banks | + {100 * ours['area_banks_64'] - 100:.1f} % |" in text
    assert f"logic of a bank, {area_model().bank:.4f} mm²" in text


def row(**changes: object) -> Stated:
    usual: dict[str, object] = {"key": "", "where": "", "figure": "", "what": "", "unit": "", "low": 2.0, "high": 2.0,
                                "within": None, "points": None, "note": ""}  # fmt: skip
    return Stated(**{**usual, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(("changes", "ours", "verdict", "error"), [
    ({"within": 10}, 2.19, PASS, 9.5), ({"within": 10}, 2.21, MISS, 10.5), ({"within": 10}, 1.79, MISS, -10.5),
    ({"points": 0.5}, 2.5, PASS, 25), ({"points": 0.5}, 1.4, MISS, -30), ({}, 9.0, NO_BAR, 350),
    ({"high": 3.0}, 2.5, PASS, 0), ({"high": 3.0}, 3.3, MISS, 10), ({"high": float("inf")}, 99.0, PASS, 0),
    ({"high": float("inf")}, 1.9, MISS, -5), ({"low": 0.0, "high": 0.0, "within": 0}, 1.0, MISS, None),
])  # fmt: skip
def test_verdicts(changes: dict[str, object], ours: float, verdict: str, error: float | None) -> None:
    of = row(**changes)
    assert of.verdict(ours) == verdict and of.error(ours) == (error if error is None else pytest.approx(error))


def test_stated_numbers_are_the_paper_s() -> None:
    """Bars of reproduction, and Section VII, whose "2 times" does not follow from its own numbers."""
    bars = {key: (of.low, of.within, of.points) for key, of in stated().items()}
    assert bars["us_64"] == (6.7, 10, None) and bars["speedup"] == (1.8, 10, None)
    assert bars["interval_same"] == (16, None, 5) and bars["load_store_again"] == (1.7, None, 1)
    assert (bars["ratio_1"], bars["ratio_64"]) == ((3.86, 10, None), (1.38, 10, None))
    assert others()["f1"] == {"nanoseconds": 2864, "mm2": 11.32} and others()["rpu"]["mm2"] == 12.61


def test_a_broken_table_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(area_file, "read_toml", lambda *given: {"reference": {}})
    area_model.cache_clear()
    with pytest.raises(MomagenError, match=r"area\.toml: expected the key “macro”"):
        area_model()
    monkeypatch.undo()
    assert area_model().total == 20.5
