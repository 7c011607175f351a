"""The orders of values, and the sizes of transforms."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.formula.breakdown import RING

ALGORITHM = {"bitrev": RING, "natural": "stockham"}
"""The fastest data flow for each order: neither has passes that only reorder."""
ORDERS = tuple(ALGORITHM)
LARGEST_N = 1 << 26
"""Points of a transform at most."""


def check_size(n: int, columns: int = 1, most: int = LARGEST_N) -> None:
    """Refuse numbers of points or columns that no transform has; ``most``: residues of all columns."""
    if n < 2 or n & (n - 1) or n > LARGEST_N:
        raise MomagenError(f"a power of two from 2 to {LARGEST_N}", n, "n")
    if columns < 1:
        raise MomagenError("at least 1", columns, "columns")
    if columns > 1 and n * columns > most:
        raise MomagenError(
            f"at most {most // n} columns of {n} residues, or {most} residues in all", columns, "columns"
        )
