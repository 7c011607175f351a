"""Transforms on a coset: values at g·w^i instead of w^i, for the number g that is asked for and the root w.

x^n - g^n splits as x^n + 1 does: into x^(n/2) ∓ g^(n/2), and so on down to x - g·w^i. So a transform on a coset is a
negacyclic one in all but its twiddles. Those of level l are g^h·w^(h·k), h = n/2^(l + 1), where the negacyclic ones are
v^(h·(1 + 2k)), v² = w. No multiplication is added, and no table gets longer.
"""

from __future__ import annotations

from typing import NamedTuple

from momagen.errors import MomagenError


class CosetTwiddle(NamedTuple):
    """g^(2^doublings)·w^exponent; no factor of g where ``doublings`` is None."""

    doublings: int | None
    exponent: int


def coset_twiddle(exponent: int) -> CosetTwiddle:
    """That of a transform on a coset for the power ``exponent`` of v in the negacyclic one."""
    low = exponent & -exponent
    return CosetTwiddle(low.bit_length() - 1 if low else None, (exponent - low) // 2)


def check_coset(coset: int) -> None:
    """Refuse a negative number g; 0 stands for no coset."""
    if coset < 0:
        raise MomagenError("a positive number", coset, "coset")
