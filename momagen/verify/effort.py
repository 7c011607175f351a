"""How much is compared at which size: everything where that is cheap, a few seconds' worth elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

COMPLETE = 512
"""The largest transform of which every output of every vector is compared."""
ONE_COMPLETE = 4096
"""The largest one of which every output of one random vector is."""
PRODUCT_WORDS = 1 << 18
"""The longest polynomial, in words, that is multiplied out."""
BUDGET = 1_500_000_000
"""Word products of all butterflies together, about: a second or two of machine time."""
EMULATION = 16
"""How much slower stand-ins are."""


@dataclass(frozen=True)
class Effort:
    """What a transform of n residues of so many words can afford."""

    n: int
    words: int
    emulated: bool = False

    @property
    def cost(self) -> int:
        """Word products of one transform, about."""
        return self.n * self.n.bit_length() * self.words**2 * (EMULATION if self.emulated else 1)

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
        return self.n * self.words <= PRODUCT_WORDS

    @property
    def batch(self) -> int:
        """Random transforms that run at once: many short ones, few long ones."""
        return max(3, min(64, COMPLETE // self.n)) if self.thorough else 1

    def outputs(self, seed: int, *, more: bool = False) -> list[int]:
        """The outputs to compare: all, or the first, the last and random ones between."""
        if self.n <= (ONE_COMPLETE if more and self.thorough else COMPLETE):
            return list(range(self.n))
        middle = np.random.default_rng([seed, self.n]).integers(1, self.n - 1, 14 if self.thorough else 2)
        return sorted({0, self.n - 1, *map(int, middle)})
