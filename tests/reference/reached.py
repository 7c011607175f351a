"""Which functions of the writers the rows call: a data flow that none reaches is not frozen."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType

import momagen
from momagen.emit import generate

from .rows import Row

ROOT = Path(inspect.getfile(momagen)).parent
ROOMS = ("emit", "formula", "kernels", "lower")
"""Folders whose functions decide the data flow."""


def show(rows: Iterable[Row]) -> int:
    """Print the functions that no row calls, and the notes of all rows, each once."""
    seen: set[CodeType] = set()
    notes: dict[str, str] = {}

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.add(frame.f_code)

    for row in rows:
        sys.setprofile(look)
        try:
            made = generate(row.spec())
        finally:
            sys.setprofile(None)
        notes.update((note, row.label) for note in made.notes)
    called = {(code.co_filename, code.co_firstlineno) for code in seen}
    every = [each for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) for each in _functions(path)]
    left = [name for place, name in every if place not in called]
    print(*(f"{note}   [{label}]" for note, label in sorted(notes.items())), sep="\n")
    print(f"{len(every) - len(left)} of {len(every)} functions called; not:", *left, sep="\n  ")
    return 0


def _functions(path: Path) -> Iterator[tuple[tuple[str, int], str]]:
    """Place and name of every function in a file, of protocols and exceptions not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and not _bare(node):
            line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield (str(path), line), f"{path.parent.name}/{path.name}:{node.lineno} {node.name}"


def _bare(node: ast.FunctionDef) -> bool:
    """Whether there is nothing but a docstring or an ellipsis."""
    return all(isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in node.body)
