"""Samples of docs/ are what happens: Python runs and prints what follows it, commands exist as written, links lead
somewhere."""

from __future__ import annotations

import json
import re
import shlex
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest

from momagen.cli.parser import build_parser
from momagen.emit.kernel import EMITTERS
from momagen.languages import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = [
    (page.name, command)
    for page in PAGES
    for command in re.findall(r"(?:^    |`)momagen ([a-z][^`\n]*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    if "…" not in command and "|" not in command
]
SAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.DOTALL | re.MULTILINE)
"""Python, and what it prints where that is shown; ``…`` there is any text."""
READERS = {"constant-time.md"}
"""Pages whose samples work on a file of the reader's."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with patch.dict(LANGUAGES), patch.dict(EMITTERS):
        _run(page)


def _run(page: Path) -> None:
    names: dict[str, object] = {}
    for block, shown in SAMPLE.findall(page.read_text(encoding="utf-8")):
        if page.name in READERS:
            compile(block, page.name, "exec")
            continue
        with redirect_stdout(StringIO()) as printed:
            exec(block, names)
        if shown:
            pattern = ".*".join(map(re.escape, shown.strip().split("…")))
            assert re.fullmatch(pattern, printed.getvalue().strip(), re.DOTALL), block


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_commands_are_taken_as_written(page: str, command: str) -> None:
    words = shlex.split(command.split(" && ")[0].split("   #")[0].rstrip(")\""))
    if not {"--help", "--help-tuning"} & {*words} and len(words) > 1:  # a name alone is no command line
        build_parser().parse_args(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


def test_the_glossary_is_alphabetical() -> None:
    terms = re.findall(r"^## (.*)$", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(terms) > 50 and terms == sorted(terms, key=lambda term: term.lower().replace("-", " "))


def test_links_to_the_glossary_lead_to_terms() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", glossary, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    links = re.findall(r"\]\(#([^)]+)\)", glossary)
    for page in PAGES:
        links += re.findall(r"glossary\.md#([^)]+)\)", page.read_text(encoding="utf-8"))
    assert len(links) > 40 and set(links) <= anchors


def test_bytes_per_point_are_those_of_the_reference() -> None:
    frozen = json.loads((ROOT / "tests" / "reference" / "frozen" / "setup.json").read_text(encoding="utf-8"))
    text = (ROOT / "docs" / "concepts" / "plans.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) bits, `(\w+)` \| (\d+) \|", text, re.MULTILINE)
    assert len(rows) == 12
    for bits, target, shown in rows:
        assert int(shown) == round(frozen[f"ntt {int(bits) - 4} {target} n=65536"]["table"] / 2**16)
