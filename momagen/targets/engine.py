"""Matrix engines: the digits that they accept, and the sums that they compute exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from momagen.errors import MomagenError, among, quoted

KEYS: dict[str, type] = {
    "name": str,
    "digit": int,
    "exact": int,
    "takes": str,
    "gives": str,
    "cost": float,
    "beside": float,
    "terms": int,
}
TYPES = {"int8": 8, "uint32": 32, "uint64": 64, "bfloat16": 8, "int32": 31, "float32": 24, "float64": 53}
"""The types of numbers, and the number of bits up to which they represent all signed integers."""


WANTED = {str: "a string", int: "an integer", float: "a number with a decimal point"}
"""The names of the types in error messages."""


class Engine(NamedTuple):
    """One matrix engine.

    Attributes:
        name: The name of the engine, as the option ``engine`` uses it.
        digit: The largest width of a signed digit in bits.
        exact: The largest width in bits of the magnitude of sums that are exact.
        takes: The type of digits.
        gives: The type of sums.
        cost: The time of one product and sum in nanoseconds.
        beside: The time of computing one digit, or of adding one sum, in nanoseconds.
        terms: The largest number of terms of a row (0: any).
    """

    name: str
    digit: int
    exact: int
    takes: str
    gives: str
    cost: float
    beside: float
    terms: int

    @property
    def held(self) -> int:
        """The width of a sum with its sign, as an integer of 32 or 64 bits."""
        return 32 if self.exact < 32 else 64

    @property
    def words(self) -> bool:
        """Whether it multiplies residues of one word as they are, on vectors, with results of two words."""
        return self.takes == "uint32"


def parse_engines(rows: object, where: str) -> tuple[Engine, ...]:
    """Return the engines of the rows ``[[engine]]`` in a target file.

    Raises:
        MomagenError: A key or a type is wrong, or a number of bits exceeds what a type holds.
    """
    if not isinstance(rows, list):
        raise MomagenError(f"tables [[engine]] with the keys {', '.join(KEYS)}", quoted(rows), where)
    return tuple(_engine(row, f"{where}, [[engine]] {at}") for at, row in enumerate(rows, 1))


def _engine(row: object, where: str) -> Engine:
    """Return the engine of one row.

    Raises:
        MomagenError: A key or a type is wrong, or a number is out of range.
    """
    if not isinstance(row, Mapping) or set(row) != set(KEYS):
        got = ", ".join(row) if isinstance(row, Mapping) else quoted(row)
        raise MomagenError(f"exactly the keys {', '.join(KEYS)}", got, where)
    for key, kind in KEYS.items():
        if type(row[key]) is not kind:
            raise MomagenError(WANTED[kind], quoted(row[key]), f"{where}, {key}")
    for key in ("takes", "gives"):
        if row[key] not in TYPES:
            raise among("one of the types", TYPES, row[key], f"{where}, {key}")
    for key, of in (("digit", "takes"), ("exact", "gives")):
        if not 2 <= row[key] <= TYPES[row[of]]:
            expected = f"from 2 to {TYPES[row[of]]} bits, because `{of}` is {row[of]}"
            raise MomagenError(expected, row[key], f"{where}, {key}")
    return Engine(**row)
