"""The rule in docs/reference/rule-notation.md is in the table, and the kernel of docs/contributing is verified."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("reference/rule-notation.md", "contributing/add-a-kernel.md")
PAGE = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in NAMES)


def shown(first: str) -> str:
    """The indented sample that begins with these words."""
    (text,) = re.findall(rf"^    {re.escape(first)}.*\n(?:    .*\n)*", PAGE, re.MULTILINE)
    return dedent(str(text))


def test_the_rule_is_in_the_table() -> None:
    (row,) = tomllib.loads(shown("[[rule]]"))["rule"]
    table = tomllib.loads((ROOT / "rules" / "moma.toml").read_text(encoding="utf-8"))["rule"]
    assert [row] == [{key: known[key] for key in row} for known in table if known["name"] == row["name"]]


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the page's kernel in it."""
    place = tmp_path_factory.mktemp("extended")
    for folder in ("momagen", "rules", "templates", "targets"):
        shutil.copytree(ROOT / folder, place / folder, ignore=shutil.ignore_patterns("__pycache__"))
    table = place / "momagen" / "kernels" / "elementwise" / "blas.py"
    text, head = table.read_text(encoding="utf-8"), "KERNELS = {\n"
    assert head in text
    table.write_text(text.replace(head, head + shown('"vtwice"')), encoding="utf-8")
    return place


@pytest.mark.thorough
@pytest.mark.parametrize(("bits", "target"), [(128, "c"), (64, "avx2")])
def test_the_kernel_is_verified(bits: int, target: str, extended: Path) -> None:
    command = [sys.executable, "-m", "momagen", "blas", "vtwice", "--bits", str(bits), "--target", target, "--no-bench"]
    done = subprocess.run(
        command, cwd=extended, env={**os.environ, "PYTHONPATH": str(extended)}, capture_output=True, text=True
    )
    assert done.returncode == 0 and "verified: PASS" in done.stdout, done.stdout + done.stderr
