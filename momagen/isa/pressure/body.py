"""The instructions of a codelet in an assembly file, between two markers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from momagen.bench.x86.spills import spills
from momagen.bench.x86.uops import accesses, kind, parse
from momagen.errors import MomagenError, build_error

from .codelet import BEGIN, END

DIRECTIVE = re.compile(r"\.[a-z_]\w*(\s|$)")
PROXY = re.compile(r"#\s*(proxy of \w+)$")
"""The comment before the instructions of a proxy, within one piece of inline assembly."""
PIECE = re.compile(r"#(NO_)?APP|# \d+ ")
"""The comment at the beginning or the end of a piece of inline assembly."""
LEAVING = re.compile(r"j[a-z]+|call\w*|ret\w*|\.?\w+:")
"""Jumps, calls and labels, which straight-line code does not contain."""


@dataclass(frozen=True)
class MachineLine:
    """One instruction.

    Attributes:
        text: The instruction in AT&T syntax, such as ``vpaddq %zmm1, %zmm2, %zmm2 {%k1}``.
        comment: "proxy of OP" if it replaces the instruction that is proposed for an operation, otherwise the
            comment of the compiler.
    """

    text: str
    comment: str = ""

    def __str__(self) -> str:
        return f"{self.text} # {self.comment}" if self.comment else self.text


def body(assembly: str, name: str) -> tuple[MachineLine, ...]:
    """Return the instructions between the first two markers.

    Args:
        assembly: The text of the assembly file.
        name: The name of the function, for errors.

    Raises:
        MomagenError: The markers or the instructions between them are missing, or the code has a jump.
    """
    _, begun, rest = assembly.partition(BEGIN)
    inside, ended, _ = rest.partition(END)
    if not (begun and ended):
        raise build_error("the compiler's assembly lacks the markers around the codelet", name)
    found = tuple(_lines(inside.splitlines()))
    if not found:
        raise build_error("the assembly has no instructions between the markers of the codelet", name)
    for line in found:
        if LEAVING.match(line.text):
            raise MomagenError("straight-line code without jumps and calls", line.text, name)
    return found


def _lines(texts: Iterable[str]) -> Iterator[MachineLine]:
    """Yield the instructions without comments, directives and empty lines."""
    proxy = ""
    for text in map(str.strip, texts):
        if found := PROXY.match(text):
            proxy = found[1]
        elif PIECE.match(text):
            proxy = ""
        code, _, comment = text.partition("#")
        if code and not DIRECTIVE.match(code):
            yield MachineLine(normal(code), proxy or comment.strip())


def normal(code: str) -> str:
    """Return an instruction with uniform spaces, because compilers and tools place them differently."""
    code = re.sub(r"\s*,\s*", ", ", " ".join(code.split()))
    return re.sub(r"\s*\{(%k\d|z)\}", r" {\1}", code)


def moves(lines: Iterable[MachineLine]) -> Counter[str]:
    """Return the numbers of loads and stores among ``lines``, and under "spill" the number of spills."""
    found = Counter[str]()
    for line in lines:
        op, operands = parse(line.text)
        found.update(accesses(op, list(map(kind, operands))))
        found["spill"] += len(spills(line.text))
    return found
