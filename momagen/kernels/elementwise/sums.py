"""Inner products: sums of unreduced products, in words that hold all of them, and one reduction at the end."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

from momagen.ir import Block, Builder
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import bounded

KIND, SUM = "dot", "s"
"""The name of the kernel, and the name of the sum that its codelet updates."""
LEAST = 20
"""The smallest number of bits of the number of products in one sum. The products are then worth one reduction."""


class ProductSums(NamedTuple):
    """The representation of a sum of products x·y for x, y < q.

    Attributes:
        arith: The representation of residues.
        terms: The number of products that one iteration adds.
    """

    arith: Arith
    terms: int

    @property
    def words(self) -> int:
        """The number of words of a sum."""
        return -(-(2 * self.arith.bits + LEAST) // self.arith.word)

    @property
    def most(self) -> int:
        """The largest number of products in a sum, a multiple of ``terms``. Iterations are counted in 32 bits."""
        return 1 << min(self.words * self.arith.word - 2 * self.arith.bits, 31)

    @property
    def width(self) -> int:
        """The width of operations on sums."""
        return self.arith.word << (self.words - 1).bit_length()

    def codelet(self) -> Block:
        """Return the codelet that adds Σ x_i·y_i to s.

        The sum stays below most·q² by interval arithmetic and the number of iterations.
        """
        b, top, twice = Builder(), self.arith.top - 1, 2 * self.arith.width
        width = max(self.width, twice)
        s = b.input(SUM, 0, (self.most - self.terms) * top * top)
        rows = [tuple(self.arith.residue(b, f"{name}{i}") for name in "xy") for i in range(self.terms)]
        products = [b.one("mullo", twice, x, y) for x, y in rows]
        added = reduce(lambda u, v: b.one("addlo", width, u, v), products)
        total = b.one("addlo", width, s, added)
        b.output(SUM, bounded(total, 0, self.most * top * top, "sums_of_products"))
        return b.block
