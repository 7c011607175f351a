"""The MQX paper: outputs of its studies as results, and what follows from its own numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from momagen.papers import report
from momagen.papers.mqx import MEASURED, PAPER
from momagen.papers.mqx.measuring import STUDIES, model
from momagen.papers.mqx.outcomes import convert

ROOT = Path(__file__).resolve().parents[3]
MACHINE = {"cpu": "AMD EPYC (family 26, model 2)", "date": "2026-11-29", "clock_ghz": 4.0}


def points(told: dict[str, Any]) -> dict[tuple[str, str], dict[object, float]]:
    found = convert({"machine": MACHINE, **told})["series"]
    return {(row["exhibit"], row["what"]): dict(zip(row["at"], row["values"], strict=True)) for row in found}


def test_ratios_stand_at_the_places_that_the_paper_states() -> None:
    ratios = [{"above": "avx512dq", "below": "mqx:proxy", "by": {"time": {"mean": 3.5}, "port floor, sunny-cove":
               {"mean": 2.5}}}, {"above": "avx2", "below": "avx512dq", "by": {"time": {"mean": 1.4}}}]  # fmt: skip
    rows = [{"kernel": "ntt", "n": 1024, "name": "c", "unit": "butterfly", "timing": {"ns": {"median": 2.0}}}]
    found = points({"figures": [{"figure": "figure_5", "ratios": ratios, "rows": rows}]})
    assert found["figure-5", "Zen 5"] == {f"avx512dq / mqx:proxy, {cpu}": 3.5 for cpu in ("Xeon 8352Y", "EPYC 9654")}
    assert found["figure-5", "Ice Lake, port floor"] == {"avx512dq / mqx:proxy, Xeon 8352Y": 2.5}
    assert [*found["figure-1", "Zen 5"].values()] == [3.5] and found["figure-5-times", "c"] == {1024: 2.0}


def test_one_core_is_compared_with_the_rpu() -> None:
    times = [{"series": "mqx", "n": 1024, "measured": 8e-6}, {"series": "avx512dq", "n": 1024, "measured": 4e-5}]
    reported = {"times": [{"system": "rpu", "n": 1024, "us": 0.2}]}
    pair = {"series": "mqx", "cpu": "xeon-6980p", "system": "moma-h100", "speedup": 0.5}
    found = points({"projected": [{"times": times, "reported": reported, "comparisons": [pair]}]})
    assert found["text", "Zen 5"] == pytest.approx(
        {"one core with MQX / RPU, least": 10, "one core with AVX-512 / RPU, least": 50}
    )
    assert found["figure-7", "Zen 5"] == {"MQX on Xeon 6980P / MoMA": 2}


def test_other_data_is_returned_unchanged() -> None:
    assert convert({"series": []}) == {"series": []}


def test_every_study_has_an_exhibit() -> None:
    assert {*MEASURED} == {*STUDIES} <= {each.name for each in PAPER.exhibits()}


def test_what_follows_from_the_paper_s_own_numbers() -> None:
    found = {at: value for each in model() for at, value in each.points.items()}
    assert found["speed-up by all cores that matches RPU, EPYC 9965S"] == pytest.approx(76.8)
    assert found["new instructions"] == 3 and found["data of a stage of 2^15 points"] == 1


def test_the_page_counts_the_outcomes() -> None:
    counts = report.outcomes(PAPER.exhibits())
    text = " ".join((ROOT / "docs" / "papers" / "mqx.md").read_text(encoding="utf-8").split())
    first, second, third = counts.values()
    assert f"{first} are *reproduced*, {second} are *different*, and {third} are *out of reach*" in text
