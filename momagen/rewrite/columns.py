"""Sums of products digit by digit: what a product adds to which column, and the folded product by a constant.

A product of two digits is its low and its high half. All are sums without carries, so a column may hold as many terms
as the lane has room for.
"""

from __future__ import annotations

from collections import defaultdict

from momagen.ir import Value

from .carries import Carries
from .digits import ZERO, Digits


class Columns:
    """Terms by column; column j has weight 2^(word·j)."""

    def __init__(self, carries: Carries) -> None:
        self.carries = carries
        self.terms: dict[int, Digits] = defaultdict(list)

    def product(self, column: int, a: Value, b: Value) -> None:
        """a·b at ``column``."""
        self.terms[column].append(self.carries.one("mullo", a, b))
        self.terms[column + 1].append(self.carries.one("mulhi", a, b))

    def total(self, column: int) -> Value:
        """The sum of a column so far."""
        total: Value = ZERO
        for term in self.terms[column]:
            total = self.carries.digit("plus", total, term)
        return total


def folded(c: Carries, y: Digits, rows: list[Digits], q: Digits, minus_inverse: Value) -> Digits:
    """Digits of (Σ y_i·W_i + m·q)/2^word, low first, where m makes the sum divisible.

    Args:
        y: normal digits. rows: the digits of W_0, W_1, ….
        minus_inverse: -1/q mod 2^word.
    """
    columns = Columns(c)
    for digit, row in zip(y, rows, strict=False):
        for at, w in enumerate(row):
            columns.product(at, digit, w)
    low = c.one("low", columns.total(0), k=c.word)
    m = c.one("low", c.one("mullo", low, minus_inverse), k=c.word)
    for at, digit in enumerate(q):
        columns.product(at, m, digit)
    columns.terms[1].append(c.one("sar", columns.total(0), k=c.word))
    return [columns.total(at) for at in range(1, max(columns.terms) + 1)]
