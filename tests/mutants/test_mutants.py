"""Tests of tests: each mutant in mutants.toml is applied to a copy of the project, and the test it names must fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
MUTANTS: list[dict[str, str]] = tomllib.loads((HERE / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
COPIED = ("momagen", "rules", "targets", "templates", "scripts", "tests")
FAILED = 1
"""What pytest exits with after a test failed; it exits with others where a test is missing or cannot be imported."""

each_mutant = pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant["name"] for mutant in MUTANTS])


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project, in which files may be changed."""
    target = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        shutil.copytree(PROJECT / name, target / name)
    shutil.copy2(PROJECT / "pyproject.toml", target)
    return target


def run_tests(copy: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    """Run tests of the copy, on the copy."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=600)


@each_mutant
def test_a_mutant_changes_one_place_of_its_file(mutant: dict[str, str]) -> None:
    """And its test exists; otherwise the table is out of date."""
    text = (PROJECT / mutant["file"]).read_text(encoding="utf-8")
    assert text.count(mutant["old"]) == 1 and mutant["old"] != mutant["new"]
    path, _, name = mutant["test"].partition("::")
    assert f"def {name}(" in (PROJECT / path).read_text(encoding="utf-8")


@pytest.mark.slow
def test_without_a_mutant_all_tests_pass(copy: Path) -> None:
    done = run_tests(copy, *sorted({mutant["test"] for mutant in MUTANTS}))
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.slow
@each_mutant
def test_a_mutant_fails_its_test(mutant: dict[str, str], copy: Path) -> None:
    path = copy / mutant["file"]
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(mutant["old"], mutant["new"]), encoding="utf-8")
    try:
        done = run_tests(copy, mutant["test"])
    finally:
        path.write_text(text, encoding="utf-8")
    assert done.returncode == FAILED and f"FAILED {mutant['test']}" in done.stdout, done.stdout[-2000:]
