"""The paper's shapes, with its numbers from paper.toml, as sweeps use them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError
from momagen.tables import read_toml

from .race.trials import SweepSettings

TABLE = Path(__file__).with_name("shapes.toml")
Row = Mapping[str, Any]
SIZES = {"table5": "inner", "table6": "degree", "table7": "log_n", "table8": "degree", "table10": "log_n"}
"""By table, the entry to whose binary logarithm ``--sizes`` refers, or which is that logarithm."""


@functools.cache
def published() -> Mapping[str, Any]:
    """All of paper.toml."""
    return read_toml(TABLE, "the paper's tables in TOML", TABLE.name)


def rows(table: str, settings: SweepSettings) -> Sequence[Row]:
    """Return the rows of a table that have the requested sizes and names, or the small rows that replace them.

    Raises:
        MomagenError: No row has a requested size or name.
    """
    every: Sequence[Row] = published()[table]["quick" if settings.quick else "row"]
    if settings.quick:
        return every
    sized = [row for row in every if not settings.sizes or log_of(table, row) in settings.sizes]
    if not sized:
        known = sorted({log_of(table, row) for row in every})
        raise MomagenError(f"sizes of {table} among {_listed(known)}", _listed(settings.sizes), "--sizes")
    chosen = [row for row in sized if not settings.names or row.get("name") in (None, *settings.names)]
    if not chosen:
        names = (row["name"] for row in sized)
        raise MomagenError(f"names of {table} among {_listed(names)}", _listed(settings.names), "--names")
    return chosen


def log_of(table: str, row: Row) -> int:
    """Return the binary logarithm of a row's size."""
    value = int(row[SIZES[table]])
    return value if SIZES[table].startswith("log") else value.bit_length() - 1


def figure(value: float, unit: str, of: str) -> dict[str, Any]:
    """Return a number of the paper in the format of results."""
    return {"value": value, "unit": unit, "of": of}


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))
