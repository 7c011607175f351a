"""Theorems on residues: bounds that interval arithmetic alone cannot derive. R is 2^(the number of bits of a residue).

``rules/theorems.toml`` states them, ``momagen.prove`` proves them, and ``tests/rules/test_theorems.py`` checks each of
them on all small cases. The header of a kernel lists the theorems that it relies on.
"""

from __future__ import annotations

from typing import NamedTuple

from momagen.data import folder
from momagen.ir import Value, refine
from momagen.tables import read_toml

FILE = "theorems.toml"


class Theorem(NamedTuple):
    """A bound, with its name and its statement."""

    name: str
    why: str

    @property
    def label(self) -> str:
        """The name of the theorem in lists of applied rules."""
        return f"theorem {self.name}"


THEOREMS = {
    row["name"]: Theorem(row["name"], row["why"])
    for row in read_toml(folder("rules") / FILE, "theorems in TOML", FILE)["theorem"]
}


def bounded(value: Value, lo: int, hi: int, theorem: str) -> Value:
    """Return ``value`` with the bounds [lo, hi], which ``theorem``, one of ``THEOREMS``, guarantees."""
    assert theorem in THEOREMS, theorem
    found = refine(value, lo, hi)
    if not found.is_const:
        found.theorem = theorem
    return found
