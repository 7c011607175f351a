"""Tests of scripts/docs_site: links lead to the site or to the repository, and the reference pages are complete."""

from __future__ import annotations

import re
import tomllib
from inspect import signature
from pathlib import Path
from types import FunctionType

import pytest
from docs_site.links import rewrite_links
from docs_site.public import public_objects
from docs_site.reference import command_line, papers, python, without_roles

import momagen
import momagen.he
from momagen.cli.parser import commands_of

ROOT = Path(__file__).resolve().parents[3]
REPOSITORY = "https://example.org/momagen"


@pytest.mark.parametrize(
    ("page", "link", "expected"),
    [
        ("papers/mqx.md", "../../README.md#papers", f"{REPOSITORY}/blob/main/README.md#papers"),
        ("guides/hexl.md", "../../scripts/dropin/README.md", f"{REPOSITORY}/blob/main/scripts/dropin/README.md"),
        ("guides/hexl.md", "../../CONTRIBUTING.md", "../CONTRIBUTING.md"),
        ("guides/hexl.md", "c-and-cpp.md#in-c", "c-and-cpp.md#in-c"),
        ("CONTRIBUTING.md", "docs/contributing/extending.md", "contributing/extending.md"),
        ("CONTRIBUTING.md", "pyproject.toml", f"{REPOSITORY}/blob/main/pyproject.toml"),
        ("reference/cli.md", "../guides/command-line.md", "../guides/command-line.md"),
    ],
)
def test_a_link_leads_to_the_site_or_to_the_repository(page: str, link: str, expected: str) -> None:
    assert rewrite_links(f"see [the\ntext]({link}).", page, REPOSITORY) == f"see [the\ntext]({expected})."


def test_other_links_are_left_alone() -> None:
    text = "[a](https://example.org/x) [b](#anchor) `c[0]` [d](mqx.md)"
    assert rewrite_links(text, "hexl.md", REPOSITORY) == text


def test_without_a_repository_a_link_out_of_the_site_is_text() -> None:
    assert rewrite_links("see [papers](../README.md#papers).", "mqx.md", "") == "see papers."


def test_the_command_line_page_has_every_command_and_option() -> None:
    sections = dict(re.findall(r"^## momagen (\S+)\n(.*?)(?=^## |\Z)", command_line(), re.MULTILINE | re.DOTALL))
    parsers = dict(commands_of())
    assert sections.keys() == parsers.keys()
    for name, parser in parsers.items():
        shown = set(re.findall(r"--[a-z][a-z0-9-]*", sections[name]))
        assert {word for action in parser._actions for word in action.option_strings if word[:2] == "--"} <= shown, name


def test_the_python_page_has_every_public_name() -> None:
    found = re.findall(r"^::: (\S+)", python(), re.MULTILINE)
    assert len(found) == len({*found}) and {*found} == {*public_objects()}
    assert {f"momagen.{name}" for name in momagen.__all__} - {*found} == {"momagen.__version__"}
    assert {f"momagen.he.{name}" for name in momagen.he.__all__} <= {*found}


def test_the_page_has_every_class_that_a_public_function_returns() -> None:
    names = {name.rpartition(".")[2] for name in public_objects()}
    for name, value in public_objects().items():
        returned = signature(value).return_annotation if isinstance(value, FunctionType) else ""
        assert {*re.findall(r"\w+", returned)} <= names | {"Explained"}, name


def test_roles_of_sphinx_are_left_out() -> None:
    assert without_roles("see :func:<code>momagen.ntt</code>: <code>:func:</code>") == (
        "see <code>momagen.ntt</code>: <code>:func:</code>"
    )


def test_the_papers_page_names_authors_and_doi() -> None:
    paper = {"title": "T", "authors": [{"given-names": "A", "family-names": "B"}], "year": 2025, "doi": "10.1/2"}
    assert papers({"references": [paper]}).endswith("- A B: [T](https://doi.org/10.1/2). 2025.")


def test_the_navigation_has_every_page_of_docs() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = re.findall(r": ([\w/-]+\.md)$", text.partition("\nnav:")[2], re.MULTILINE)
    assert len(pages) == len(set(pages))
    assert {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")} <= set(pages)


def test_ci_installs_the_extra_and_builds_strictly() -> None:
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert "docs" in extras and ",docs]" in steps and "mkdocs build --strict" in steps
