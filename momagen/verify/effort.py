"""How much is compared at which size: everything where that is cheap, a few seconds' worth elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

COMPLETE = 512
"""The largest transform of which every output of every vector is compared."""
ONE_COMPLETE = 4096
"""The largest one of which every output of one random vector is."""
COLUMNS, MANY_COLUMNS = 16, 1024
"""The most columns of which every one is compared with the definition: of every vector, and of one random one."""
PRODUCT_WORDS = 1 << 18
"""The longest polynomial, in words, that is multiplied out."""
BUDGET = 1_500_000_000
"""Word products of all butterflies together, about: a second or two of machine time."""
EMULATION = 16
"""How much slower stand-ins are."""
SAMPLE = (16, 64)
"""The sizes of an emulated transform of any size that a sample compares."""


@dataclass(frozen=True)
class Effort:
    """What a transform of n residues of so many words can afford, or one of every column."""

    n: int
    words: int
    emulated: bool = False
    columns: int = 1

    @property
    def cost(self) -> int:
        """Word products of one transform, about."""
        return self.columns * self.n * self.n.bit_length() * self.words**2 * (EMULATION if self.emulated else 1)

    @property
    def vectors(self) -> int:
        """Vectors that the budget buys; at least two."""
        return max(2, BUDGET // self.cost)

    @property
    def thorough(self) -> bool:
        """Whether every vector also runs in place and back."""
        return self.cost * 32 <= BUDGET

    @property
    def moduli(self) -> int:
        """Other moduli that the budget buys: three, one, or none where a single transform exceeds it."""
        return 3 if self.thorough else 1 if self.cost <= BUDGET else 0

    @property
    def product(self) -> bool:
        """Whether products are compared whole."""
        return self.columns * self.n * self.words <= PRODUCT_WORDS

    @property
    def batch(self) -> int:
        """Random transforms that run at once: many short ones, few long ones."""
        return max(3, min(64, COMPLETE // self.n // self.columns)) if self.thorough else 1

    @property
    def complete(self) -> bool:
        """Whether every output of every vector is compared with the definition."""
        return self.n * self.columns <= COMPLETE

    def outputs(self, seed: int, *, more: bool = False) -> list[int]:
        """The outputs to compare: all, or the first, the last and random ones between, of some columns."""
        count = self.n * self.columns
        if self.complete or (more and self.thorough and count <= ONE_COMPLETE):
            return list(range(count))
        rows, columns = _some(self.n, 16 if self.thorough else 4, seed), self.some_columns(seed, more=more)
        return [row * self.columns + column for row in rows for column in columns]

    def some_columns(self, seed: int, *, more: bool = False) -> Sequence[int]:
        """The columns to compare: all of few; of one random vector, of not so many."""
        return _some(self.columns, MANY_COLUMNS if more else COLUMNS, seed)


def sample_of(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of a transform that a sample compares: those of :data:`SAMPLE`, or the largest."""
    return tuple(n for n in sorted(sizes) if n in SAMPLE) or (max(sizes),)


def _some(count: int, most: int, seed: int) -> Sequence[int]:
    """All of ``most``, or the first, the last and random ones between."""
    if count <= most:
        return range(count)
    return sorted({0, count - 1, *map(int, np.random.default_rng([seed, count]).integers(1, count - 1, most - 2))})
