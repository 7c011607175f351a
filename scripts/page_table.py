"""Tables that a script prints, or writes to a page of the documentation."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path


def print_or_write(tables: Mapping[str, Iterable[str]], page: Path, doc: str | None) -> None:
    """Print the lines of tables, or with ``--write`` put them between comments of a page.

    Args:
        tables: by name; the comments are the name and "end of" the name.
        page: the page of the documentation.
        doc: the description of the script.
    """
    deliver(tables, page, arguments(doc, page).parse_args().write)


def arguments(doc: str | None, page: Path) -> argparse.ArgumentParser:
    """Return the parser of a script with the option ``--write``."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write the tables to docs/{page.parent.name}/{page.name}")
    return parser


def deliver(tables: Mapping[str, Iterable[str]], page: Path, write: bool) -> None:
    """Print the lines of ``tables``, or ``write`` them to a page; see :func:`print_or_write`."""
    for name, lines in tables.items():
        if write:
            _write(page, name, lines)
        else:
            for line in lines:
                print(line, flush=True)


def _write(page: Path, name: str, lines: Iterable[str]) -> None:
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    head, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, tail = rest.partition(end)
    page.write_text(f"{head}{begin}\n\n" + "\n".join(lines) + f"\n\n{end}{tail}", encoding="utf-8")
