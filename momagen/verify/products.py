"""The right coefficients of a product of polynomials: all of them, or where that is too long, some."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from momagen.params.words import Words

from .effort import Effort
from .oracle import product, product_at

SOME = 64


def some_of_product(
    x: Words, y: Words, q: int, negacyclic: bool, effort: Effort, seed: int, power: int = 1
) -> tuple[Sequence[int], list[int]]:
    """Indices, and the coefficients of x·y there, modulo x^n − power, or x^n + power where ``negacyclic``."""
    if effort.product:
        return range(len(x)), product(x, y, q, negacyclic, power)
    indices = sorted({0, len(x) - 1, *map(int, np.random.default_rng([seed, len(x)]).integers(0, len(x), SOME))})
    return indices, product_at(x, y, indices, q, negacyclic, power)
