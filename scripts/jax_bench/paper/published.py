"""What the paper has, from paper.toml: shapes of rows, and figures with where they stand."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError
from momagen.tables import read_toml

TABLE = Path(__file__).with_name("paper.toml")
Row = Mapping[str, Any]
SIZES = {"table5": "inner", "table6": "degree", "table7": "log_n", "table8": "degree", "table10": "log_n"}
"""What log2 of ``--sizes`` is of, or its log2."""


@functools.cache
def published() -> Mapping[str, Any]:
    """All of paper.toml."""
    return read_toml(TABLE, "the paper's tables in TOML", TABLE.name)


def rows(table: str, sizes: Sequence[int], quick: bool) -> Sequence[Row]:
    """Of a table, or its small ones: those of the sizes that are asked for; all where none are.

    Raises:
        MomagenError: none has such a size.
    """
    every: Sequence[Row] = published()[table]["quick" if quick else "row"]
    if quick or not sizes:
        return every
    chosen = [row for row in every if log_of(table, row) in sizes]
    if not chosen:
        known = sorted({log_of(table, row) for row in every})
        raise MomagenError(f"sizes of {table} among {', '.join(map(str, known))}", _listed(sizes), "--sizes")
    return chosen


def log_of(table: str, row: Row) -> int:
    """log2 of a row's size."""
    value = int(row[SIZES[table]])
    return value if SIZES[table].startswith("log") else value.bit_length() - 1


def figure(value: float, unit: str, of: str) -> dict[str, Any]:
    """A number of the paper as results have it."""
    return {"value": value, "unit": unit, "of": of}


def batches(table: str, limit: Sequence[int]) -> Sequence[int]:
    """Those of a figure; of ``limit`` where it has any."""
    every: Sequence[int] = published()[table]["batches"]
    return [batch for batch in limit or every]


def _listed(values: Sequence[int]) -> str:
    return ",".join(map(str, values))
