"""The memories of a machine, from the nearest to its registers on."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from momagen.errors import MomagenError, quoted

KEYS = {"name": str, "bytes": int, "line": int}


class Memory(NamedTuple):
    """One memory.

    Attributes:
        name: for people. bytes: what it holds. line: bytes that are fetched at once.
    """

    name: str
    bytes: int
    line: int


def parse_memories(rows: object, where: str) -> tuple[Memory, ...]:
    """The rows of ``[[memory]]`` in a target file.

    Raises:
        MomagenError: none, other keys, or sizes that do not fit together.
    """
    if not isinstance(rows, list) or not rows:
        raise MomagenError("[[memory]] with name, bytes and line, the nearest one first", quoted(rows), where)
    found = tuple(_memory(row, f"{where}, [[memory]] {at}") for at, row in enumerate(rows, 1))
    for near, far in pairwise(found):
        if far.bytes <= near.bytes:
            raise MomagenError(f"more than the {near.bytes} bytes of {near.name}", far.bytes, f"{where}, {far.name}")
    return found


def _memory(row: object, where: str) -> Memory:
    if not isinstance(row, Mapping) or set(row) != set(KEYS):
        got = ", ".join(row) if isinstance(row, Mapping) else quoted(row)
        raise MomagenError(f"the keys {', '.join(KEYS)}", got, where)
    for key, kind in KEYS.items():
        if type(row[key]) is not kind:
            raise MomagenError("a text" if kind is str else "a number", quoted(row[key]), f"{where}, {key}")
    memory = Memory(**row)
    if memory.line < 8 or memory.line & (memory.line - 1):
        raise MomagenError("a power of two from 8", memory.line, f"{where}, line")
    if memory.bytes < memory.line or memory.bytes % memory.line:
        raise MomagenError(f"a multiple of the {memory.line} bytes of a line", memory.bytes, f"{where}, bytes")
    return memory
