"""The correct coefficients of a product of polynomials: all of them, or some if the product is long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from momagen.params.words import Words
from momagen.verify.effort import Effort
from momagen.verify.oracle import product, product_at

SOME = 64


def some_of_product(
    x: Words, y: Words, q: int, negacyclic: bool, effort: Effort, seed: int, power: int = 1
) -> tuple[Sequence[int], list[int]]:
    """Return indices and the coefficients of x·y there, modulo x^n - power, or x^n + power if ``negacyclic`` is true.

    Args:
        x: The first polynomial.
        y: The second polynomial.
        q: The modulus.
        negacyclic: Whether the ring is the negacyclic one.
        effort: The number of comparisons.
        seed: The seed of the random indices.
        power: The constant that x^n equals, up to its sign.
    """
    if effort.product:
        return range(len(x)), product(x, y, q, negacyclic, power)
    indices = sorted({0, len(x) - 1, *map(int, np.random.default_rng([seed, len(x)]).integers(0, len(x), SOME))})
    return indices, product_at(x, y, indices, q, negacyclic, power)
