"""Well-known primes, which are read from ``fields.toml``: every field is a table there."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError

_TABLE = Path(__file__).with_name("fields.toml")


@dataclass(frozen=True)
class PrimeField:
    """A prime field.

    Attributes:
        name: The name of the field in expressions.
        modulus: The modulus.
        note: A remark.
        source: The source of the modulus.
        form: The modulus as a short expression, or "".
    """

    name: str
    modulus: int
    note: str
    source: str
    form: str = ""  # the modulus as an expression, where it has a short one

    @property
    def bits(self) -> int:
        """The width of the modulus in bits."""
        return self.modulus.bit_length()

    @property
    def two_adicity(self) -> int:
        """The largest s with 2^s | modulus - 1.

        Cyclic transforms have up to 2^s points and negacyclic ones up to 2^(s-1), and both at most 2^26.
        """
        return ((self.modulus - 1) & -(self.modulus - 1)).bit_length() - 1


def known_fields() -> dict[str, PrimeField]:
    """Return all well-known primes by name, in the order of the table.

    Raises:
        MomagenError: The table is invalid; the message names the row.
    """
    return dict(_read(_TABLE))


@cache
def _read(path: Path) -> dict[str, PrimeField]:
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as reason:
        raise MomagenError("a readable TOML table of primes", reason, str(path)) from None
    return {name: _field(name, row, path) for name, row in rows.items()}


def _field(name: str, row: Any, path: Path) -> PrimeField:
    try:
        return PrimeField(name, int(row["modulus"], 0), row["note"], row["source"], row.get("form", ""))
    except (KeyError, TypeError, ValueError, AttributeError):
        expected = 'a table with modulus = "0x…", note, source and perhaps form'
        raise MomagenError(expected, row, f"{path} [{name}]") from None
