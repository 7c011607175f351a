"""Sums of products digit by digit: what a product adds to which column, and the folded product by a constant.

A product of two digits is one number where the lane holds it (``full``), else its low and its high half. All are sums
without carries, so a column may hold as many terms as the lane has room for.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from momagen.ir import Value, const

if TYPE_CHECKING:
    from .slack import SlackPass

ZERO = const(0)


class Columns:
    """Terms by column; column j has weight 2^(word·j)."""

    def __init__(self, owner: SlackPass) -> None:
        self.owner = owner
        self.terms: dict[int, list[Value]] = defaultdict(list)

    def product(self, column: int, a: Value, b: Value) -> None:
        """a·b at ``column``."""
        p = self.owner
        if p.full:
            self.terms[column].append(p.one("times", p.word, a, b))
        else:
            self.terms[column].append(p.one("mullo", p.word, a, b))
            self.terms[column + 1].append(p.one("mulhi", p.word, a, b))

    def total(self, column: int) -> Value:
        """The sum of a column so far."""
        total: Value = ZERO
        for term in self.terms[column]:
            total = self.owner.digit("plus", total, term)
        return total


def folded(p: SlackPass, y: list[Value], rows: list[list[Value]], q: list[Value], minus_inverse: Value) -> list[Value]:
    """Digits of (Σ y_i·W_i + m·q)/2^word, low first, where m makes the sum divisible.

    Args:
        y: digits that the machine takes as factors. rows: the digits of W_0, W_1, …. minus_inverse: -1/q mod 2^word.
    """
    columns = Columns(p)
    for digit, row in zip(y, rows, strict=False):
        for at, w in enumerate(row):
            columns.product(at, digit, w)
    low = p.one("low", p.word, columns.total(0), k=p.word)
    m = p.one("low", p.word, p.one("times" if p.full else "mullo", p.word, low, minus_inverse), k=p.word)
    for at, digit in enumerate(q):
        columns.product(at, m, digit)
    columns.terms[1].append(p.one("sar", p.word, columns.total(0), k=p.word))
    return [columns.total(at) for at in range(1, max(columns.terms) + 1)]
