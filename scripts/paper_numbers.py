"""Lists every number that a paper states at the end of its page, with momagen's number, the outcome and the reason.

    python scripts/paper_numbers.py            # print the lists
    python scripts/paper_numbers.py --write    # write them to docs/papers/*.md
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from page_table import arguments, deliver

from momagen.papers.exhibit import Exhibit
from momagen.papers.lists import NONE, number_text, reasons
from momagen.papers.papers import NAMES, load_paper
from momagen.papers.series import Series, StatedSeries

PAGES = Path(__file__).resolve().parents[1] / "docs" / "papers"
TITLE = "all numbers"
"""The name of the comments around a list."""
WIDTH = 110
"""The characters of a line of prose."""


def numbers(name: str) -> Iterator[str]:
    """Yield the lines of the list of a paper."""
    yield from ("### All numbers", "")
    yield f"`momagen paper {name}` prints the same numbers; `python scripts/paper_numbers.py --write` renews this list."
    for exhibit in load_paper(name).exhibits():
        yield from ("", *_wrapped(f"**{exhibit.where}: {exhibit.title}**", ""))
        if exhibit.stated:
            yield from ("", "| stated | numbers of the paper | numbers of momagen | outcome |", "|---|---|---|---|")
            yield from (_row(each, exhibit) for each in exhibit.stated)
        yield from ("", *(line for note in reasons(exhibit) for line in _wrapped(note, "- ")))


def _row(stated: StatedSeries, exhibit: Exhibit) -> str:
    ours = next((each for each in exhibit.measured if each.what == stated.ours), None)
    own = _points(ours, [*stated.points]) if ours else ""
    what = f"{stated.what}, {stated.unit}" if stated.unit else stated.what
    what += f" ({stated.where})" if stated.where != exhibit.where else ""
    cells = (what, _points(stated, [*stated.points]), own or NONE, stated.outcome)
    return f"| {' | '.join(map(_escaped, cells))} |"


def _points(series: Series, places: Sequence[float | str]) -> str:
    return "; ".join(f"{_place(at)}: {number_text(series.points[at])}" for at in places if at in series.points)


def _place(at: float | str) -> str:
    return at if isinstance(at, str) else f"{at:g}"


def _wrapped(text: str, lead: str) -> list[str]:
    own = text if lead == "" else _escaped(text)
    return textwrap.wrap(own, WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead), break_long_words=False,
                         break_on_hyphens=False)  # fmt: skip


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def main() -> None:
    """Print the lists, or write them to the pages."""
    write = arguments(__doc__, PAGES / "moma.md").parse_args().write
    for name in NAMES:
        deliver({TITLE: numbers(name)}, PAGES / f"{name}.md", write)


if __name__ == "__main__":
    main()
