"""Inner products: sums of products that are not reduced, in words that hold them all, and one reduction at the end."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

from momagen.ir import Block, Builder
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import bounded

KIND, SUM = "dot", "s"
"""The kernel, and the sum that its codelet takes and gives."""
LEAST = 20
"""Bits of the number of products that one sum holds, at least: so many are worth one reduction."""


class ProductSums(NamedTuple):
    """How a sum of x·y for x, y < q is held.

    Attributes:
        arith: of the residues. terms: products that are added in one turn.
    """

    arith: Arith
    terms: int

    @property
    def words(self) -> int:
        """Words of a sum."""
        return -(-(2 * self.arith.bits + LEAST) // self.arith.word)

    @property
    def most(self) -> int:
        """How many products a sum holds, a multiple of ``terms``; turns of them are counted in 32 bits."""
        return 1 << min(self.words * self.arith.word - 2 * self.arith.bits, 31)

    @property
    def width(self) -> int:
        """Of operations on sums."""
        return self.arith.word << (self.words - 1).bit_length()

    def codelet(self) -> Block:
        """s becomes s + Σ x_i·y_i, which stays below most·q² by intervals and the count of turns."""
        b, top, twice = Builder(), self.arith.top - 1, 2 * self.arith.width
        width = max(self.width, twice)
        s = b.input(SUM, 0, (self.most - self.terms) * top * top)
        rows = [tuple(self.arith.residue(b, f"{name}{i}") for name in "xy") for i in range(self.terms)]
        products = [b.one("mullo", twice, x, y) for x, y in rows]
        added = reduce(lambda u, v: b.one("addlo", width, u, v), products)
        total = b.one("addlo", width, s, added)
        b.output(SUM, bounded(total, 0, self.most * top * top, "sums_of_products"))
        return b.block
