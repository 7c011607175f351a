"""Other moduli for the same build: where a width's extremes are."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from momagen.params import is_prime

SEARCH = 100_000
"""Candidates tried before a prime counts as absent."""


@lru_cache(maxsize=256)
def other_moduli(q: int, order: int) -> tuple[int, ...]:
    """Up to three odd moduli besides q: the largest and the smallest of q's bit length, and the smallest of all.

    Primes with roots of unity of ``order``, a power of two; any odd numbers where ``order`` is 0, for BLAS.
    """
    top, bottom = (1 << q.bit_length()) - 1, (1 << q.bit_length() - 1) + 1
    step = max(order, 2)
    rows = (_candidates(top, bottom, -step), _candidates(bottom, top, step), _candidates(3, top, step))
    found = (next((p for p in islice(row, SEARCH) if p != q and (not order or is_prime(p))), q) for row in rows)
    return tuple(dict.fromkeys(p for p in found if p != q))


def even_moduli(q: int) -> tuple[int, ...]:
    """Even moduli besides q: the smallest of its bit length, a power of two, the largest, and the smallest of all."""
    bits = q.bit_length()
    return tuple(dict.fromkeys(p for p in (1 << bits - 1, (1 << bits) - 2, 2) if p != q))


def _candidates(start: int, end: int, step: int) -> Iterable[int]:
    """The numbers from ``start`` to ``end`` that are 1 modulo |step|."""
    first = start + (1 - start) % step
    return range(first, end + (1 if step > 0 else -1), step)
