"""Engines of products of matrices: digits that they take, and sums that they give exactly."""

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
"""Types of numbers, and bits up to which all integers, with a sign, are among them."""


WANTED = {str: "a string", int: "an integer", float: "a number with a decimal point"}
"""The names of the types in error messages."""


class Engine(NamedTuple):
    """One engine.

    Attributes:
        name: for people, and to ask for it. digit: bits of a signed digit at most. exact: bits of the magnitude of
            sums that it gives exactly. takes, gives: the types of digits and of sums. cost: nanoseconds of one product
            and sum; beside: of making one digit, or of adding one sum up. terms: of a row at most; 0: any.
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
        """Bits of a sum with its sign, as an integer of 32 or 64."""
        return 32 if self.exact < 32 else 64

    @property
    def words(self) -> bool:
        """Whether it takes residues that are one word as they are, on vectors, and gives two words."""
        return self.takes == "uint32"


def parse_engines(rows: object, where: str) -> tuple[Engine, ...]:
    """Return the engines of the rows ``[[engine]]`` in a target file.

    Raises:
        MomagenError: a key or a type is wrong, or a number of bits exceeds what a type holds.
    """
    if not isinstance(rows, list):
        raise MomagenError(f"tables [[engine]] with the keys {', '.join(KEYS)}", quoted(rows), where)
    return tuple(_engine(row, f"{where}, [[engine]] {at}") for at, row in enumerate(rows, 1))


def _engine(row: object, where: str) -> Engine:
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
