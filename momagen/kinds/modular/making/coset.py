"""Transforms on a coset: values at g·w^i instead of w^i, for a requested number g and the root w.

x^n - g^n splits as x^n + 1 does: into x^(n/2) ∓ g^(n/2), and so on down to x - g·w^i. A transform on a coset
is therefore a negacyclic transform with other twiddles. With h = n/2^(l + 1), the twiddles of level l are
g^h·w^(h·k), while those of the negacyclic transform are v^(h·(1 + 2k)) for v² = w. There is no additional
multiplication, and no table is longer.
"""

from __future__ import annotations

from typing import NamedTuple

from momagen.errors import MomagenError


class CosetTwiddle(NamedTuple):
    """The twiddle g^(2^doublings)·w^exponent.

    Attributes:
        doublings: The binary logarithm of the exponent of g, or None without a factor of g.
        exponent: The exponent of w.
    """

    doublings: int | None
    exponent: int


def coset_twiddle(exponent: int) -> CosetTwiddle:
    """Return the twiddle of a transform on a coset that corresponds to v^exponent in the negacyclic transform."""
    low = exponent & -exponent
    return CosetTwiddle(low.bit_length() - 1 if low else None, (exponent - low) // 2)


def check_coset(coset: int) -> None:
    """Check the number g; 0 means no coset.

    Raises:
        MomagenError: The number is negative.
    """
    if coset < 0:
        raise MomagenError("a positive number", coset, "coset")
