"""Other moduli for the same build: the extremes of its width."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from momagen.params import is_prime

SEARCH = 100_000
"""The number of candidates after which the search for a prime ends."""


@lru_cache(maxsize=256)
def other_moduli(q: int, order: int) -> tuple[int, ...]:
    """Return up to three odd moduli other than q: the largest and the smallest of q's width, and the smallest of all.

    They are primes with roots of unity of ``order``, a power of two, or any odd numbers if ``order`` is 0, as for
    element-wise kernels.
    """
    top, bottom = (1 << q.bit_length()) - 1, (1 << q.bit_length() - 1) + 1
    step = max(order, 2)
    rows = (_candidates(top, bottom, -step), _candidates(bottom, top, step), _candidates(3, top, step))
    found = (next((p for p in islice(row, SEARCH) if p != q and (not order or is_prime(p))), q) for row in rows)
    return tuple(dict.fromkeys(p for p in found if p != q))


def even_moduli(q: int) -> tuple[int, ...]:
    """Return even moduli other than q: the smallest and the largest of its width, and the smallest of all."""
    bits = q.bit_length()
    return tuple(dict.fromkeys(p for p in (1 << bits - 1, (1 << bits) - 2, 2) if p != q))


def _candidates(start: int, end: int, step: int) -> Iterable[int]:
    """Return the numbers from ``start`` to ``end`` that are 1 modulo the absolute value of ``step``."""
    first = start + (1 - start) % step
    return range(first, end + (1 if step > 0 else -1), step)
