"""A table that a script prints, or writes to a page of the documentation."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path


def print_or_write(lines: Iterable[str], page: Path, name: str, doc: str | None) -> None:
    """Print ``lines``, or with ``--write`` put them between the comments ``name`` and "end of ``name``" of a page."""
    deliver(lines, page, name, arguments(doc, page).parse_args().write)


def arguments(doc: str | None, page: Path) -> argparse.ArgumentParser:
    """Return the parser of a script with the option ``--write``."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write the table to docs/{page.name}")
    return parser


def deliver(lines: Iterable[str], page: Path, name: str, write: bool) -> None:
    """Print ``lines``, or ``write`` them between the comments ``name`` and "end of ``name``" of a page."""
    if not write:
        for line in lines:
            print(line, flush=True)
        return
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    head, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, tail = rest.partition(end)
    page.write_text(f"{head}{begin}\n\n" + "\n".join(lines) + f"\n\n{end}{tail}", encoding="utf-8")
