"""The reference pages of the documentation site, generated from the parser, the package and the list of papers."""

from __future__ import annotations

import argparse
import html
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from momagen.cli.parser import build_parser, commands_of

from .public import names_of, public_objects, result_names


def command_line() -> str:
    """Return the page that lists all commands with their options."""
    source = "`momagen COMMAND --help` prints the same text. The [guide](../guides/command-line.md) has examples."
    intro = f"# Command line\n\n{build_parser().description} {source}\n"
    return "\n".join([intro, *(line for name, parser in commands_of() for line in _command(name, parser))])


def _command(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"## momagen {name}\n\n{_escape(parser.description or '')}\n"
    formatter = argparse.HelpFormatter(parser.prog)
    for group in parser._action_groups:
        rows = [_row(action, formatter) for action in group._group_actions if action.help != argparse.SUPPRESS]
        if rows:
            title = (group.title or "").capitalize()
            yield f"| {title} | |\n|---|---|\n" + "\n".join(rows) + "\n"
    if parser.epilog:
        yield f"```text\n{parser.epilog.strip()}\n```\n"


def _row(action: argparse.Action, formatter: argparse.HelpFormatter) -> str:
    """Return a row of a table; Python-Markdown divides no cell at a bar in code."""
    text = formatter._expand_help(action) if action.help else ""
    return f"| `{formatter._format_action_invocation(action)}` | {_escape(' '.join(text.split()))} |"


def _escape(text: str) -> str:
    """Return text in which nothing is Markdown or HTML."""
    return re.sub(r"[\\`*_\[\]|]", r"\\\g<0>", html.escape(text, quote=False))


def python() -> str:
    """Return the page of the Python interface: a directive of mkdocstrings for every public function and class."""
    objects = public_objects()
    parts = [
        "# Python\n\nThese are the public names of `momagen`. The [guide](../guides/python.md) has examples.\n",
        *_directives(names_of("momagen"), objects),
        "## Classes of results\n\nThe functions above return objects of these classes. Users need not import them.\n",
        *_directives(result_names(), objects),
        "## momagen.he\n\nThe [CKKS benchmark](../guides/ckks.md) has these public names, in `momagen.he`.\n",
        *_directives(names_of("momagen.he"), objects),
    ]
    return "\n".join(parts)


def _directives(names: Iterable[str], objects: Mapping[str, object]) -> Iterator[str]:
    yield from (f"::: {name}{_options(objects[name])}\n" for name in names)


def without_roles(page: str) -> str:
    """Return the HTML of a page without the Sphinx roles of docstrings, which mkdocstrings shows as text."""
    return re.sub(r":(?:attr|class|func|meth|mod):(?=<code>)", "", page)


def _options(value: object) -> str:
    """Return the options of a directive: classes are shown with their public members and the call operator."""
    lines = ("members: null", "inherited_members: true", "filters: ['!^_', '^__call__$']")
    return "\n    options:" + "".join(f"\n      {line}" for line in lines) if inspect.isclass(value) else ""


def papers(citation: Mapping[str, Any]) -> str:
    """Return the page of the papers that ``CITATION.cff`` lists."""
    intro = "# Papers\n\nmomagen implements and repeats the work of these papers.\n"
    return "\n".join([intro, *map(_paper, citation["references"])])


def _paper(reference: Mapping[str, Any]) -> str:
    authors = ", ".join(_author(author) for author in reference["authors"])
    where = reference.get("collection-title") or reference.get("journal") or ""
    url = f"https://doi.org/{reference['doi']}" if "doi" in reference else reference.get("url", "")
    title = f"[{reference['title']}]({url})" if url else reference["title"]
    return f"- {authors}: {title}. {f'{where}, ' if where else ''}{reference['year']}."


def _author(author: Mapping[str, str]) -> str:
    parts: Sequence[str] = [author.get("given-names", ""), author.get("family-names", author.get("name", ""))]
    return " ".join(filter(None, parts))
