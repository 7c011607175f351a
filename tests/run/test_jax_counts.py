"""The page of counted transforms is what is made now, and says what its tables say."""

from __future__ import annotations

import re

import count_jax
import pytest
from count_jax import PAGE, TABLES

from momagen.papers.cross.rates import cross_rates, cross_sets


def _rows(mark: str) -> list[list[str]]:
    """Cells of the page's rows behind a mark."""
    table = PAGE.read_text(encoding="utf-8").split(mark)[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip("\n").splitlines()[2:]]


@pytest.mark.parametrize("mark", TABLES)
def test_the_page_has_what_is_counted_now(mark: str) -> None:
    """Else: python scripts/count_jax.py --write."""
    now = [[cell.strip() for cell in row.strip("|").split("|")] for row in TABLES[mark]()]
    assert _rows(mark) == now


def test_writing_the_page_again_changes_nothing() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert count_jax.page(text) == text


def test_the_page_has_every_degree_of_cross_and_every_rate() -> None:
    degrees = {f"2^{each.log_n}" for each in cross_sets()}
    assert {row[0] for row in _rows("<!-- counts -->")} == {row[0] for row in _rows("<!-- roofs -->")} == degrees
    assert len(_rows("<!-- measured -->")) == sum(len(each.thousands) for each in cross_rates())


def test_what_the_page_says_of_factors_is_in_its_table() -> None:
    rows = {(row[0], row[1]): [float(cell.replace(",", "")) for cell in row[2:]] for row in _rows("<!-- counts -->")}
    two, four = rows["2^16", "256 × 256"], rows["2^16", "16 × 16 × 16 × 16"]
    assert two[0] == 8 * four[0] and two[1] == 2 * four[1] and 2 * two[2] == four[2]
    least = {degree: min((len(name), row[3]) for (at, name), row in rows.items() if at == degree and "×" in name)[1]
             for degree, _ in rows}  # fmt: skip
    for (degree, name), row in rows.items():
        if more := max(name.count("×") - 1, 0):
            assert 35 <= (row[3] - least[degree]) / more <= 65, (degree, name)


def test_what_the_page_says_of_bounds_is_in_its_table() -> None:
    rows = [[cell[-1] for cell in row[3:]] for row in _rows("<!-- roofs -->")]
    names = [(row[0], row[2]) for row in _rows("<!-- roofs -->")]
    for (degree, name), bounds in zip(names, rows, strict=True):
        by_products = (degree, name) == ("2^16", "256 × 256")
        assert bounds[::3] == ["m"] * 4
        assert bounds[2::3] == (["x"] * 3 + ["v"] if by_products else ["v"] * 4)
        assert ("x" in bounds) == by_products


def test_what_the_page_says_of_cross_is_in_its_tables() -> None:
    for row in _rows("<!-- measured -->"):
        rate, unfused = float(row[4].replace(",", "")), float(re.sub(r"[^\d]", "", row[5]))
        assert rate > unfused or row[1][:3] in ("v4,", "v5p"), row
