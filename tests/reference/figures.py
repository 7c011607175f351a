"""The figures of one kernel: what its text says, what a compiler makes of it, what its set-up takes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from momagen.bench.x86.uops import VECTORS
from momagen.bench.x86.work import work
from momagen.emit import Source, generate
from momagen.errors import MomagenError
from momagen.runtime import Compiler

from .rows import Row
from .setup import setup

Figures = dict[str, Any]
"""By name: hashes, operations by name, numbers."""
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
TABLE = re.compile(r"tables = (?:malloc\(sizeof\(uint(?:64|32)_t\) \* |new_words\()(\d+)\)")
"""Where ``create`` allocates a table, so many words of the target long."""
ELEMENTS = 1536
"""Of elementwise kernels: a multiple of all vectors that go together."""
DIGITS = 5
"""Significant ones of counts per butterfly."""


def figures(row: Row, compiler: Compiler | None) -> Figures:
    """All that is asked of ``row``; without a compiler, what the text alone says."""
    source = generate(row.spec())
    found = of_text(source)
    if compiler and row.count:
        found |= of_code(source, compiler)
    if compiler and row.create:
        found |= setup(source, compiler)
    return found


def of_text(source: Source) -> Figures:
    """Hashes of the text, with comments and without, operations of all codelets, and the bytes of the tables."""
    both = source.source + source.header
    tables = [source.spec.target.word // 8 * int(words) for words in TABLE.findall(source.source)]
    if source.spec.n and not tables:
        raise MomagenError("a table that create allocates", "none", source.name)
    bare = " ".join(COMMENT.sub(" ", both).split())
    operations = dict(sorted(source.operations.items()))
    return {"text": _hash(both), "code": _hash(bare), "operations": operations} | (
        {"table": sum(tables)} if tables else {}
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def of_code(source: Source, compiler: Compiler) -> Figures:
    """Per butterfly or element: instructions, registers stored and loaded for lack of room, vector instructions."""
    done = work(source, compiler, 1 if source.spec.n else ELEMENTS)
    numbers = {"instructions": done.instructions, "spills": done.spills, "vector": _vector(done.uses)}
    return {name: float(f"{value:.{DIGITS}g}") for name, value in numbers.items()}


def _vector(uses: Mapping[tuple[str, str], float]) -> float:
    """The uses of vector registers."""
    return sum(count for (_, registers), count in uses.items() if registers in VECTORS)
