"""The parser of declarations of variables and parameters."""

from __future__ import annotations

import re

from .parts import SIZES, PtxVariable, refused

SPACES = ("global", "const", "shared", "local", "param")
DECLARED = re.compile(
    r"(?:\.(?:visible|extern|weak|common)\s+)*\.(?P<space>" + "|".join(SPACES) + r")\s+"
    r"(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>\w+)\s+"
    r"(?:\.ptr\s*(?:\.(?:global|shared|const|local)\s*)?(?:\.align\s+\d+\s+)?)?"
    r"(?P<name>[$%_A-Za-z][\w$]*)\s*(?P<sizes>(?:\[\s*\w*\s*\]\s*)*)(?:=\s*(?P<initial>.+))?$"
)
SIZE = re.compile(r"\[\s*(\w*)\s*\]")


def is_variable(text: str) -> bool:
    """Return whether a statement declares a variable in a state space, which excludes registers."""
    return bool(re.match(r"(?:\.(?:visible|extern|weak|common)\s+)*\.(?:" + "|".join(SPACES) + r")\s", text))


def read_variable(text: str, line: int) -> PtxVariable:
    """Return the variable that a statement declares.

    The sizes of several dimensions are multiplied, because initial values are one flat list.

    Args:
        text: The declaration.
        line: The line number, for errors.

    Raises:
        MomagenError: The declaration has another form, or more initial values than elements.
    """
    found = DECLARED.match(text)
    if not found or found["type"] not in SIZES:
        raise refused("a declaration of a variable", text, line)
    sizes = SIZE.findall(found["sizes"])
    count = 1
    for size in sizes:
        count *= int(size, 0) if size else 0
    initial = _initial(found["initial"], line)
    if len(initial) > count:
        raise refused(f"at most {count} initial values", len(initial), line)
    align = int(found["align"] or SIZES[found["type"]])
    return PtxVariable(found["name"], found["space"], found["type"], count, align, initial, bool(sizes))


def read_parameters(text: str, line: int) -> tuple[PtxVariable, ...]:
    """Return the parameters between the parentheses of a function's header."""
    inside = text.strip()
    return tuple(read_variable(part.strip(), line) for part in inside.split(",")) if inside else ()


def _initial(text: str | None, line: int) -> tuple[str, ...]:
    if text is None:
        return ()
    if not text.startswith("{"):
        return (text.strip(),)
    inside = text[1:-1]
    if "{" in inside:
        raise refused("initial values in one list without nested braces", text[:40], line)
    return tuple(part.strip() for part in inside.split(",")) if inside.strip() else ()
