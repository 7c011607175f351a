"""PTX text to statements: comments gone, blocks and labels apart, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .parts import refused

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
UNENDED = re.compile(r"^([ \t]*\.(?:version|target|address_size|file|loc)\b[^\n;]*)$", re.MULTILINE)
"""Directives that end with their line."""
MARK = re.compile(r"[;{}]")
LABEL = re.compile(r"\s*([$%_A-Za-z][\w$]*)\s*:(?!:)")
HEADER = re.compile(r"\s*\.[^=]*\.?\b(?:entry|func)\b")
SECTION = re.compile(r"\s*\.section\b")


@dataclass(frozen=True, slots=True)
class PtxStatement:
    """A label, a statement without its semicolon, or the border of a block, at a line counted from 1."""

    kind: Literal["text", "label", "open", "close"]
    text: str
    line: int


def without_comments(text: str) -> str:
    """``text`` with every comment as blanks, so that places and lines stay what they are."""
    return COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def read_statements(text: str) -> Iterator[PtxStatement]:
    """The statements of a PTX text in order; braces of vectors and of initial values stay in theirs.

    Raises:
        MomagenError: a block or a statement does not end.
    """
    text = UNENDED.sub(r"\1;", without_comments(text))
    start, line, depth = 0, 1, 0
    for found in MARK.finditer(text):
        mark, chunk = found[0], text[start : found.start()]
        if depth or (mark == "{" and _is_inside(chunk)):
            depth += {"{": 1, "}": -1}.get(mark, 0)
            if depth or not SECTION.match(chunk):
                continue
            mark = ";"  # a section of debugging ends with its brace
        yield from _parts(chunk, line)
        line += chunk.count("\n")
        start = found.end()
        if mark != ";":
            yield PtxStatement("open" if mark == "{" else "close", mark, line)
    if depth or text[start:].strip():
        raise refused("a complete statement that ends with a semicolon", text[start:].strip()[:40], line)


def _is_inside(chunk: str) -> bool:
    """Whether a brace after ``chunk`` belongs to a statement, rather than opening a block."""
    while found := LABEL.match(chunk):
        chunk = chunk[found.end() :]
    return bool(chunk.strip()) and not HEADER.match(chunk)


def _parts(chunk: str, line: int) -> Iterator[PtxStatement]:
    """The labels in front of a statement, and it."""
    while found := LABEL.match(chunk):
        line += found[0].count("\n")
        yield PtxStatement("label", found[1], line)
        chunk = chunk[found.end() :]
    text = chunk.lstrip()
    if text:
        line += chunk[: len(chunk) - len(text)].count("\n")
        yield PtxStatement("text", " ".join(text.split()) if "\n" in text else text.rstrip(), line)
