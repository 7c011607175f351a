"""The bounds of the CKKS paper (eprint 2016/421), as published, from those that noise is made of."""

from __future__ import annotations

from math import isclose, sqrt

import pytest

from momagen.he.noise import ROUNDING, NoiseBounds, one, two
from momagen.he.parameters import HeParameters


@pytest.mark.parametrize(("n", "h", "sigma"), [(2**12, 64, 3.2), (2**15, 2731, 3.19)])
def test_published_constants(n: int, h: int, sigma: float) -> None:
    fresh = two(1 / 2, sigma**2, n) + one(sigma**2, n) + two(h / n, sigma**2, n)
    assert isclose(fresh, 8 * sqrt(2) * sigma * n + 6 * sigma * sqrt(n) + 16 * sigma * sqrt(h * n))
    assert isclose(two(ROUNDING, sigma**2, n), 8 * sigma * n / sqrt(3))
    bounds = NoiseBounds(HeParameters(n, 3), h)
    assert isclose(bounds.rounding(), sqrt(n / 3) * (3 + 8 * sqrt(h)))
    assert isclose(bounds.rescaled(2.0**40, 2**30), 2.0**10 + sqrt(n / 3) * (3 + 8 * sqrt(h)))
