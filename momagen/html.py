"""The HTML with which notebooks display results: cards that need no other file and use the colours of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

FONT = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
"""The font of all displays, which is monospaced, because numbers, names and code are aligned in columns."""
CARD = f"{FONT};margin:.5em 0;max-width:64em;padding:.7em 1em;border:1px solid #8885;border-radius:8px"
TITLE = "font-weight:600;margin-bottom:.5em"
TABLE = "border-collapse:collapse;border:none;margin:0"
NAME = "text-align:left;vertical-align:top;padding:.15em 1.2em .15em 0;font-weight:400;opacity:.65;white-space:nowrap"
TEXT = "text-align:left;padding:.15em 0;overflow-wrap:anywhere;white-space:normal"
CELL = "text-align:right;padding:.15em .7em;border-bottom:1px solid #8883;white-space:nowrap"
FIRST = CELL.replace("right", "left", 1).replace(".7em", ".7em .15em 0")
CODE = (
    f"{FONT};max-height:28em;overflow:auto;font-size:.85em;line-height:1.45;background:#8881;padding:.8em;"
    "border-radius:6px"
)
BADGE = "color:#fff;background:{};border-radius:5px;padding:.1em .6em;margin-right:.6em;font-size:.85em"
GREEN, RED = "#1a7f45", "#b3261e"
"""The colours of verdicts; white text is legible on them, and they are visible on white and on black."""


def card(title: str, rows: Iterable[tuple[str, str]] = (), *parts: str, verdict: bool | None = None) -> str:
    """Return a card with a title, a table of names and texts, and more HTML.

    Args:
        title: The title.
        rows: The names and texts of the table.
        *parts: HTML after the table.
        verdict: Whether PASS or FAIL is shown before the title; None for neither.
    """
    badge = "" if verdict is None else _badge("PASS" if verdict else "FAIL", GREEN if verdict else RED)
    cells = "".join(
        f'<tr style="background:none">{_cell("th", NAME, name)}{_cell("td", TEXT, text)}</tr>' for name, text in rows
    )
    table = f'<table style="{TABLE}">{cells}</table>' if cells else ""
    return f'<div style="{CARD}"><div style="{TITLE}">{badge}{escape(title)}</div>{table}{"".join(parts)}</div>'


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text and whose other columns are numbers."""
    lines = [_line("th", headings), *(_line("td", row) for row in rows)]
    return f'<div style="{FONT};overflow-x:auto"><table style="{TABLE}">{"".join(lines)}</table></div>'


def folded(summary: str, html: str) -> str:
    """Return HTML that is hidden until the reader clicks the summary."""
    return f'<details style="margin-top:.5em"><summary>{escape(summary)}</summary>{html}</details>'


def code(text: str) -> str:
    """Return a text as preformatted HTML."""
    return f'<pre style="{CODE}">{escape(text)}</pre>'


def bar(part: float, what: str) -> str:
    """Return a progress bar, of which the fraction ``part`` is full."""
    full = f'<div style="width:{100 * part:.1f}%;height:100%;background:#1d6fb8;border-radius:3px"></div>'
    frame = "display:inline-block;width:16em;height:.6em;background:#8883;border-radius:3px;margin-right:.8em"
    return f'<div style="{FONT}"><div style="{frame}">{full}</div>{escape(what)}</div>'


def _line(tag: str, cells: Sequence[str]) -> str:
    """Return a row of a table."""
    found = (_cell(tag, CELL if at else FIRST, text) for at, text in enumerate(cells))
    return f'<tr style="background:none">{"".join(found)}</tr>'


def _badge(text: str, colour: str) -> str:
    """Return a verdict as HTML."""
    return f'<span style="{BADGE.format(colour)}">{text}</span>'


def _cell(tag: str, style: str, text: str) -> str:
    """Return a cell of a table."""
    return f'<{tag} style="{style}">{escape(text)}</{tag}>'
