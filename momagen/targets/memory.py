"""The memories of a machine, from the one nearest to its registers outwards."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from momagen.errors import MomagenError, quoted

KEYS = {"name": str, "bytes": int, "line": int}


class Memory(NamedTuple):
    """One memory.

    Attributes:
        name: The name of the memory.
        bytes: The size in bytes.
        line: The number of bytes that are fetched at once.
    """

    name: str
    bytes: int
    line: int


def parse_memories(rows: object, where: str) -> tuple[Memory, ...]:
    """Return the memories of the rows ``[[memory]]`` in a target file.

    Raises:
        MomagenError: There are no rows, their keys are wrong, or their sizes do not increase.
    """
    if not isinstance(rows, list) or not rows:
        expected = "tables [[memory]] with name, bytes and line, from the cache nearest to the registers outwards"
        raise MomagenError(expected, quoted(rows), where)
    found = tuple(_memory(row, f"{where}, [[memory]] {at}") for at, row in enumerate(rows, 1))
    for near, far in pairwise(found):
        if far.bytes <= near.bytes:
            expected = f"more bytes than the {near.bytes} of {near.name}, the memory before it"
            raise MomagenError(expected, far.bytes, f"{where}, [[memory]] {far.name}, bytes")
    return found


def _memory(row: object, where: str) -> Memory:
    """Return the memory of one row.

    Raises:
        MomagenError: A key, a type or a size is wrong.
    """
    if not isinstance(row, Mapping) or set(row) != set(KEYS):
        got = ", ".join(row) if isinstance(row, Mapping) else quoted(row)
        raise MomagenError(f"exactly the keys {', '.join(KEYS)}", got, where)
    for key, kind in KEYS.items():
        if type(row[key]) is not kind:
            raise MomagenError("a string" if kind is str else "an integer", quoted(row[key]), f"{where}, {key}")
    memory = Memory(**row)
    if memory.line < 8 or memory.line & (memory.line - 1):
        raise MomagenError("a power of two of at least 8", memory.line, f"{where}, line")
    if memory.bytes < memory.line or memory.bytes % memory.line:
        raise MomagenError(f"a multiple of the line size, {memory.line} bytes", memory.bytes, f"{where}, bytes")
    return memory
