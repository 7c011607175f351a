"""The tiers of the suite: which cases each one takes, and that other seeds take other cases."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from support import costs, tiers

MARKS = {
    "plain": [], "whole": [pytest.mark.whole.mark], "thorough": [pytest.mark.thorough.mark],
    "sampled": [pytest.mark.sampled(5).mark], "slow": [pytest.mark.slow.mark],
}  # fmt: skip
COUNTS = {
    "plain": {"quick": 1, "rest": 29, "full": 30, "all": 30},
    "whole": {"quick": 30, "rest": 0, "full": 30, "all": 30},
    "thorough": {"quick": 0, "rest": 30, "full": 30, "all": 30},
    "sampled": {"quick": 1, "rest": 5, "full": 6, "all": 30},
    "slow": {"quick": 0, "rest": 0, "full": 0, "all": 30},
}
"""The number of cases, of 30, that each tier takes of a test with one mark."""
CASES = range(30)
TESTS_FOLDER = Path(__file__).parents[1]
LATE, PACKAGE = re.compile(r"mark\.(thorough|slow)"), re.compile(r"^(?:from|import) momagen\.(\w+)", re.MULTILINE)


def select(tier: str, mark: str, late: Mapping[int, pytest.MarkDecorator] = MappingProxyType({})) -> list[Any]:
    own = [{late[case].name: late[case].mark} if case in late else {} for case in CASES]
    return tiers.select(tier, "test", CASES, own, MARKS[mark])


@pytest.mark.whole
@pytest.mark.parametrize("mark", MARKS)
def test_each_tier_takes_its_share(mark: str) -> None:
    assert {tier: len(select(tier, mark)) for tier in tiers.TIERS} == COUNTS[mark]
    assert sorted(select("quick", mark) + select("rest", mark)) == select("full", mark)
    assert set(select("full", mark)) <= set(select("all", mark)) == set(CASES)


def test_a_slow_case_is_in_no_tier_but_all() -> None:
    late = {7: pytest.mark.slow}
    assert select("full", "plain", late) == [case for case in CASES if case != 7]
    assert select("all", "plain", late) == list(CASES)


@pytest.mark.whole
@pytest.mark.parametrize("mark", ["plain", "whole", "sampled"])
def test_a_thorough_case_is_not_in_the_quick_tier(mark: str) -> None:
    late = dict.fromkeys(CASES[1:], pytest.mark.thorough)
    assert set(select("quick", mark, late)) <= {CASES[0]}
    assert sorted(select("quick", mark, late) + select("rest", mark, late)) == select("full", mark)


def test_a_case_that_is_sampled_is_in_few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    late, runs = {7: pytest.mark.sampled(5)}, 0
    for seed in range(100):
        monkeypatch.setattr(tiers, "SEED", seed)
        found = select("full", "plain", late)
        assert {*CASES} - {7} <= {*found}
        runs += 7 in found
    assert 5 < runs < 45


@pytest.mark.parametrize(("mark", "most"), [("plain", tiers.MOST), ("whole", 30), ("sampled", 6), ("slow", 0)])
def test_tests_that_compile_take_few_cases(mark: str, most: int) -> None:
    test = "tests/run/test_x.py::test"
    found = {tier: tiers.select(tier, test, CASES, [{}] * 30, MARKS[mark]) for tier in tiers.TIERS}
    assert len(found["full"]) == most and len(found["all"]) == 30
    assert sorted(found["quick"] + found["rest"]) == found["full"]


def test_a_single_test_that_is_sampled_is_in_few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0
    for seed in range(100):
        monkeypatch.setattr(tiers, "SEED", seed)
        runs += len(tiers.select("full", "test", [None], [{}], MARKS["sampled"]))
    assert 5 < runs < 45


@pytest.mark.parametrize(
    ("share", "least", "most"), [(1 / 40, 30, 30), (1 / 8, 8, 8), (0.4, 2, 3), (0.75, 1, 2), (2.5, 0, 1)]
)
def test_long_tests_keep_within_their_budget(
    share: float, least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiers, "COSTS", {"test": share * tiers.BUDGET})
    found = []
    for seed in range(200):
        monkeypatch.setattr(tiers, "SEED", seed)
        found.append(len(select("full", "plain")))
        assert sorted(select("quick", "plain") + select("rest", "plain")) == select("full", "plain")
    assert {*found} == {least, most} and sum(found) / 200 * share < 1.3
    assert len(select("all", "plain")) == 30


def test_the_costs_are_those_of_tests() -> None:
    defined = {
        f"{path.relative_to(TESTS_FOLDER.parent)}::{each.name}"
        for path in TESTS_FOLDER.rglob("test_*.py")
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(each, ast.FunctionDef)
    }
    assert {*tiers.COSTS} <= defined, "run pytest --renew-costs, or delete the rows of tests that no longer exist"


def test_renewed_costs_keep_those_of_other_tests() -> None:
    measured = {"a.py::test_y": [0.5, 1.0], "b.py::test_z": [1.0], "b.py::test_short_cases": [0.005] * 600}
    text = costs.renewed({"a.py::test_x": 3.0, "a.py::test_y": 5.0}, measured)
    assert tomllib.loads(text) == {"a.py": {"test_x": 3.0, "test_y": 0.75}}


def test_tests_that_are_alike_take_the_same_cases() -> None:
    names = [f"tests/file.py::test_{i}" for i in range(8)]
    for marks in ([pytest.mark.alike.mark], []):
        found = {tuple(tiers.select("quick", name, CASES, [{}] * 30, marks)) for name in names}
        assert (len(found) == 1) == bool(marks)


def test_a_cover_has_every_facet_in_few_cases() -> None:
    pairs = [(x, y) for x in "abcdefgh" for y in range(9)]
    chosen = tiers.cover("test", pairs, tuple)
    assert {facet for pair in chosen for facet in pair} == {*"abcdefgh", *range(9)} and 9 <= len(chosen) <= 17


def quick_packages() -> set[str]:
    """Return the packages of momagen that tests of the quick tier import, by the text of the test files."""
    found = set()
    for path in TESTS_FOLDER.rglob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")]
        if not all(LATE.search("".join(map(ast.unparse, each.decorator_list))) for each in functions):
            found |= set(PACKAGE.findall(path.read_text(encoding="utf-8")))
    return found


def test_the_quick_tier_has_tests_of_every_package() -> None:
    packages = {path.parent.name for path in (TESTS_FOLDER.parent / "momagen").glob("*/__init__.py")}
    assert packages <= quick_packages()


def test_another_seed_takes_other_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    for seed in (1, 1, 2):
        monkeypatch.setattr(tiers, "SEED", seed)
        taken.append(select("full", "sampled"))
    assert taken[0] == taken[1] != taken[2]


def collected(folder: Path, *arguments: str) -> set[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *arguments]
    environment = {**os.environ, "MOMAGEN_SEED": "1"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=True)
    return {line for line in done.stdout.splitlines() if "::" in line}


TESTS = """
import pytest

@pytest.mark.sampled(3)
@pytest.mark.parametrize("x", range(4))
@pytest.mark.parametrize("y", range(3))
def test_cases(x, y): ...

@pytest.mark.thorough
def test_long(): ...
"""


@pytest.mark.thorough
def test_pytest_builds_the_chosen_cases_alone(tmp_path: Path) -> None:
    here = Path(__file__).parents[1]
    (tmp_path / "conftest.py").write_text((here / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {here}\n", encoding="utf-8")
    (tmp_path / "test_some.py").write_text(TESTS, encoding="utf-8")
    sizes = {"quick": 1, "rest": 4, "full": 5, "all": 13}
    found = {tier: collected(tmp_path, "--tier", tier) for tier in tiers.TIERS}
    assert {tier: len(tests) for tier, tests in found.items()} == sizes
    assert collected(tmp_path) == found["quick"] and collected(tmp_path, "test_some.py") == found["full"]
    left_out = min(found["all"] - found["full"])
    assert collected(tmp_path, left_out) == {left_out} and len(collected(tmp_path, "-k", "test_cases")) == 12
