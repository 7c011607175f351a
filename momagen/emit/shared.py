"""One C file out of several: what their texts have in common is written once.

A file is a row of items: directives, types, constants, functions. Items of two files that differ in nothing but the
number at the end of their name are one; where an item differs and its name is taken, it gets another name, and so does
every mention of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from itertools import chain, pairwise, takewhile

WORD = re.compile(r"[A-Za-z_]\w*")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
TYPE = re.compile(r"typedef.*?(\w+)\s*(?:\[[^\]]*\]\s*)?;", re.DOTALL)
MACRO = re.compile(r"# *define +(\w+)")
VALUE = re.compile(r"[^(;{]*?(\w+)\s*(?:\[[^\]]*\]\s*)*[=;]")
FUNCTION = re.compile(r"(?:[^(;={]|__attribute__\(\(.*?\)\))*?\b(?!__attribute__)(\w+)\s*\(")

DIGITS, OWN = "0123456789", "@"
"""What numbers a name, and what stands for it where texts are compared."""


@dataclass(frozen=True)
class Item:
    """A top-level item with the comment in front of it; ``name``: what it defines, "" where that keeps its name."""

    text: str
    name: str

    @property
    def directive(self) -> bool:
        """Whether it begins with a line for the preprocessor."""
        return COMMENT.sub("", self.text).lstrip().startswith("#")

    def renamed(self, names: Mapping[str, str]) -> str:
        """Its text with other names."""
        return WORD.sub(lambda word: names.get(word[0], word[0]), self.text)


def items(text: str) -> Iterator[Item]:
    """The top-level items of a C file: none ends on an indented line; what a condition (#if … #endif) holds is one."""
    lines: list[str] = []
    conditions = 0
    for line in text.splitlines():
        if lines or line.strip():
            lines.append(line)
        conditions += line.startswith("#if") - line.startswith("#endif")
        if not conditions and line[:1].strip() and _complete("\n".join(lines)):
            yield Item("\n".join(lines), _name("\n".join(lines)))
            lines = []
    if lines:
        raise ValueError(f"no end of: {lines[0]}")


def _complete(text: str) -> bool:
    """Whether the text outside comments ends with a directive, or with a body or a semicolon at depth 0."""
    code = COMMENT.sub("", text).strip()
    if code.startswith("#if"):
        return True
    if code.startswith("#"):
        return not code.endswith("\\")
    return code.endswith((";", "}")) and "/*" not in code and code.count("{") == code.count("}")


def _name(text: str) -> str:
    code = COMMENT.sub("", text).strip()
    if code.startswith("#"):
        found = MACRO.match(code)
    elif code.startswith("typedef"):
        found = TYPE.fullmatch(code)
    else:
        found = VALUE.match(code) or FUNCTION.match(code)
    return found[1] if found else ""


@dataclass
class Shared:
    """Several files as one; those come first that need the most.

    Attributes:
        heads: the directives that files begin with. body: texts of items, in the order in which they are needed.
        known: what an item is called, by its text without the number in its name.
    """

    heads: list[list[str]] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)

    def add(self, text: str, label: object, names: Mapping[str, str]) -> dict[str, str]:
        """One more file; names that others took end in ``label``. ``names``: what it refers to, as the whole calls it.

        Returns:
            All names that the file defines, as the whole calls them.
        """
        parts, called = list(items(text)), dict(names)
        head = list(takewhile(lambda item: item.directive, parts))
        self.heads.append([item.text for item in head])
        for item in parts[len(head) :]:
            shape = item.renamed(called | {item.name: item.name.rstrip(DIGITS) + OWN})
            if shape not in self.known:
                called[item.name] = self.known[shape] = self._free(item.name, label)
                self.body.append(item.renamed(called))
            called[item.name] = self.known[shape]
        return called

    def _free(self, name: str, label: object) -> str:
        return f"{name}_{label}" if name in self.known.values() else name

    def text(self) -> str:
        """The whole."""
        order = TopologicalSorter[str]()
        for head in self.heads:
            for line in head:
                order.add(line)
            for before, after in pairwise(head):
                order.add(after, before)
        return "\n\n".join(chain(["\n".join(order.static_order())], self.body)) + "\n"
