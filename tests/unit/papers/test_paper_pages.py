"""The pages of the papers have one form, and list every number that the paper states."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from paper_numbers import TITLE, numbers

from momagen.papers.papers import NAMES

PAGES = Path(__file__).resolve().parents[3] / "docs" / "papers"
SECTIONS = ["What the paper claims", "What momagen reproduces", "What differs and why", "What goes beyond the paper",
            "How to repeat it"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_pages_have_the_same_sections_in_the_same_order(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == SECTIONS


@pytest.mark.parametrize("name", NAMES)
def test_a_page_lists_every_number(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    listed = page.partition(f"<!-- {TITLE} -->")[2].partition(f"<!-- end of {TITLE} -->")[0]
    assert listed.strip() == "\n".join(numbers(name)).strip(), "run python scripts/paper_numbers.py --write"
