"""Tests that the version and the date of the release are the same in all files that state them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from momagen import __version__

ROOT = Path(__file__).resolve().parents[2]


def read(name: str) -> str:
    """Return the text of a file of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def test_all_files_state_the_same_version_and_date() -> None:
    citation = dict(re.findall(r"^(version|date-released): (\S+)$", read("CITATION.cff"), re.MULTILINE))
    assert tomllib.loads(read("pyproject.toml"))["project"]["version"] == citation["version"] == __version__
    released = re.findall(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$", read("CHANGELOG.md"), re.MULTILINE)
    assert released[0] == (__version__, citation["date-released"])


def test_the_changelog_has_the_groups_of_keep_a_changelog() -> None:
    groups = re.findall(r"^### (.*)$", read("CHANGELOG.md"), re.MULTILINE)
    assert set(groups) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
