"""The number of comparisons at each size: all of them if that is cheap, otherwise as many as a few seconds allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

COMPLETE = 512
"""The largest transform of which every output of every vector is compared."""
ONE_COMPLETE = 4096
"""The largest transform of which every output of one random vector is compared."""
COLUMNS, MANY_COLUMNS = 16, 1024
"""The largest numbers of columns that are all compared with the definition: of every vector, and of a random one."""
PRODUCT_WORDS = 1 << 18
"""The longest polynomial, in words, whose products are computed completely."""
BUDGET = 1_500_000_000
"""The approximate number of word products of all butterflies together, which take a second or two."""
EMULATION = 16
"""The factor by which stand-ins are slower."""
SAMPLE = (16, 64)
"""The sizes to which a sample of an emulated ``ntt("any")`` is limited."""


@dataclass(frozen=True)
class Effort:
    """The number of comparisons for a transform.

    Attributes:
        n: The number of points.
        words: The number of words of a residue.
        emulated: Whether the kernel is emulated.
        columns: The number of columns.
    """

    n: int
    words: int
    emulated: bool = False
    columns: int = 1

    @property
    def cost(self) -> int:
        """The approximate number of word products of one transform."""
        return self.columns * self.n * self.n.bit_length() * self.words**2 * (EMULATION if self.emulated else 1)

    @property
    def vectors(self) -> int:
        """The number of vectors that the budget allows, at least two."""
        return max(2, BUDGET // self.cost)

    @property
    def thorough(self) -> bool:
        """Whether every vector is also transformed in place and back."""
        return self.cost * 32 <= BUDGET

    @property
    def moduli(self) -> int:
        """The number of other moduli: three, one, or none if a single transform exceeds the budget."""
        return 3 if self.thorough else 1 if self.cost <= BUDGET else 0

    @property
    def product(self) -> bool:
        """Whether all coefficients of products are compared."""
        return self.columns * self.n * self.words <= PRODUCT_WORDS

    @property
    def batch(self) -> int:
        """The number of random transforms in one call: many short ones, or few long ones."""
        return max(3, min(64, COMPLETE // self.n // self.columns)) if self.thorough else 1

    @property
    def complete(self) -> bool:
        """Whether every output of every vector is compared with the definition."""
        return self.n * self.columns <= COMPLETE

    def outputs(self, seed: int, *, more: bool = False) -> list[int]:
        """Return the indices of the outputs to compare.

        They are all indices, or the first, the last and random ones, of some columns.

        Args:
            seed: The seed of the random indices.
            more: Whether to compare more outputs, as for one random vector.
        """
        count = self.n * self.columns
        if self.complete or (more and self.thorough and count <= ONE_COMPLETE):
            return list(range(count))
        rows, columns = _some(self.n, 16 if self.thorough else 4, seed), self.some_columns(seed, more=more)
        return [row * self.columns + column for row in rows for column in columns]

    def some_columns(self, seed: int, *, more: bool = False) -> Sequence[int]:
        """Return the columns to compare; if ``more`` is true, up to ``MANY_COLUMNS`` of them."""
        return _some(self.columns, MANY_COLUMNS if more else COLUMNS, seed)


def sample_of(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of a transform that a sample compares: those of :data:`SAMPLE`, or the largest."""
    return tuple(n for n in sorted(sizes) if n in SAMPLE) or (max(sizes),)


def _some(count: int, most: int, seed: int) -> Sequence[int]:
    """Return all indices below ``count``, or ``most`` of them: the first, the last and random ones."""
    if count <= most:
        return range(count)
    return sorted({0, count - 1, *map(int, np.random.default_rng([seed, count]).integers(1, count - 1, most - 2))})
