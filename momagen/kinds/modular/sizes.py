"""The orders of values, and the sizes of transforms."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.formula.breakdown import RING

ALGORITHM = {"bitrev": RING, "natural": "stockham"}
"""The fastest data flow for each order of values, which has no passes that only reorder."""
ORDERS = tuple(ALGORITHM)
"""The orders of values."""
LARGEST_N = 1 << 26
"""The largest number of points of a transform."""


def check_size(n: int, columns: int = 1, most: int = LARGEST_N) -> None:
    """Check the numbers of points and columns of a transform.

    Args:
        n: The number of points.
        columns: The number of columns.
        most: The largest number of residues of all columns.

    Raises:
        MomagenError: A number is not supported.
    """
    if n < 2 or n & (n - 1) or n > LARGEST_N:
        raise MomagenError(f"a power of two from 2 to {LARGEST_N}", n, "n")
    if columns < 1:
        raise MomagenError("at least 1", columns, "columns")
    if columns > 1 and n * columns > most:
        raise MomagenError(
            f"at most {most // n} columns of {n} residues, or {most} residues in all", columns, "columns"
        )
