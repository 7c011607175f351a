"""Places that are linear in the bits of a number: each bit moves an address by a weight of its own."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.program import Expr, Number


def linear(index: Expr, weights: Sequence[int]) -> Expr:
    """Σ weights[b] over the set bits b of ``index``, which has no others; neighbouring bits whose weights double go
    together."""
    found: Expr = Number(0)
    at = 0
    while at < len(weights):
        end = at + 1
        while end < len(weights) and weights[end] == 2 * weights[end - 1]:
            end += 1
        if weights[at]:
            part = index >> at
            found = found + (part if end == len(weights) else part & (1 << end - at) - 1) * weights[at]
        at = end
    return found


def constant(number: int, weights: Sequence[int]) -> int:
    """The same for a number that is known."""
    return sum(weight for bit, weight in enumerate(weights) if number >> bit & 1)
