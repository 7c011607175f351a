"""The division of PTX code into statements, labels and block borders with line numbers, without comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .parts import refused

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
UNENDED = re.compile(r"^([ \t]*\.(?:version|target|address_size|file|loc)\b[^\n;]*)$", re.MULTILINE)
"""The directives that end at the end of their line."""
MARK = re.compile(r"[;{}]")
LABEL = re.compile(r"\s*([$%_A-Za-z][\w$]*)\s*:(?!:)")
HEADER = re.compile(r"\s*\.[^=]*\.?\b(?:entry|func)\b")
SECTION = re.compile(r"\s*\.section\b")


@dataclass(frozen=True, slots=True)
class PtxStatement:
    """A label, a statement, or the beginning or the end of a block.

    Attributes:
        kind: "label", "text", "open" or "close".
        text: The name of the label, or the statement without its semicolon.
        line: The line number, counted from 1.
    """

    kind: Literal["text", "label", "open", "close"]
    text: str
    line: int


def without_comments(text: str) -> str:
    """Return ``text`` with spaces in place of comments, so that columns and line numbers do not change."""
    return COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def read_statements(text: str) -> Iterator[PtxStatement]:
    """Yield the statements of PTX code in order.

    The braces of vectors and of initial values are parts of statements.

    Raises:
        MomagenError: A block or a statement does not end.
    """
    text = UNENDED.sub(r"\1;", without_comments(text))
    start, line, depth = 0, 1, 0
    for found in MARK.finditer(text):
        mark, chunk = found[0], text[start : found.start()]
        if depth or (mark == "{" and _is_inside(chunk)):
            depth += {"{": 1, "}": -1}.get(mark, 0)
            if depth or not SECTION.match(chunk):
                continue
            mark = ";"  # a section of debugging information ends with its brace
        yield from _parts(chunk, line)
        line += chunk.count("\n")
        start = found.end()
        if mark != ";":
            yield PtxStatement("open" if mark == "{" else "close", mark, line)
    if depth or text[start:].strip():
        raise refused("a complete statement that ends with a semicolon", text[start:].strip()[:40], line)


def _is_inside(chunk: str) -> bool:
    """Return whether a brace after ``chunk`` is part of a statement instead of the beginning of a block."""
    while found := LABEL.match(chunk):
        chunk = chunk[found.end() :]
    return bool(chunk.strip()) and not HEADER.match(chunk)


def _parts(chunk: str, line: int) -> Iterator[PtxStatement]:
    """Yield the labels before a statement, and the statement."""
    while found := LABEL.match(chunk):
        line += found[0].count("\n")
        yield PtxStatement("label", found[1], line)
        chunk = chunk[found.end() :]
    text = chunk.lstrip()
    if text:
        line += chunk[: len(chunk) - len(text)].count("\n")
        yield PtxStatement("text", " ".join(text.split()) if "\n" in text else text.rstrip(), line)
