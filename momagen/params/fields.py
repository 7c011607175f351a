"""Well-known primes, read from ``fields.toml`` beside this file: a field is one table there."""

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
    """A prime field: its name in expressions, its modulus, and where that comes from."""

    name: str
    modulus: int
    note: str
    source: str
    form: str = ""  # the modulus as an expression, where it has a short one

    @property
    def bits(self) -> int:
        """Bits of the modulus."""
        return self.modulus.bit_length()

    @property
    def two_adicity(self) -> int:
        """The largest s with 2^s | modulus − 1: cyclic transforms reach n = 2^s, negacyclic ones 2^(s−1), and both 2^26
        at most."""
        return ((self.modulus - 1) & -(self.modulus - 1)).bit_length() - 1


def known_fields() -> dict[str, PrimeField]:
    """All well-known primes by name, in the order of the table.

    Raises:
        MomagenError: a broken table (the message names the row).
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
