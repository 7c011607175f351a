"""Addresses that are linear in the bits of a number: each bit has a weight, by which it moves the address."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.program import Expr, Number


def linear(index: Expr, weights: Sequence[int]) -> Expr:
    """Return Σ weights[b] over the set bits b of ``index``.

    Adjacent bits whose weights double are extracted together.

    Args:
        index: A number that has no more bits than there are weights.
        weights: The weight of each bit, the lowest bit first.
    """
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
    """Return the same sum for a constant number."""
    return sum(weight for bit, weight in enumerate(weights) if number >> bit & 1)
