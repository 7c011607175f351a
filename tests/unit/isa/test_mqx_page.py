"""The tables of docs/papers/mqx.md are those of the stored results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mqx_tables
import pytest

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "papers" / "mqx.md").read_text(encoding="utf-8")
FOUND: dict[str, Any] = json.loads(mqx_tables.RESULTS.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "table"), mqx_tables.tables(FOUND).items(), ids=lambda each: each.partition("\n")[0])
def test_a_table_of_the_page_is_what_was_measured(name: str, table: str) -> None:
    assert table in PAGE, name


def test_all_seven_studies_are_of_one_machine() -> None:
    assert set(FOUND) == set(mqx_tables.STUDIES)
    machines = [FOUND[name].get("machine") for name in mqx_tables.STUDIES if name != "ports"]
    assert {(machine["cpu"], machine["date"]) for machine in machines} == {
        ("AMD EPYC (family 25, model 17)", "2026-11-27")
    }


def test_numbers_and_tables() -> None:
    assert [mqx_tables.number(value) for value in (0.8214, 2.5, 999.4, 1234.5)] == ["0.821", "2.5", "999", "1,234"]
    assert mqx_tables.markdown([("a", "b"), ("1", "2")]) == "| a | b |\n|---|---|\n| 1 | 2 |"
    assert mqx_tables.short({"a": [1.23456, 7, "x", None]}) == {"a": [1.235, 7, "x", None]}
