"""Transforms on a coset: values at g·w^i instead of w^i, for the number g that is asked for and the root w.

x^n - g^n splits as x^n + 1 does: into x^(n/2) ∓ g^(n/2), and so on down to x - g·w^i. So a transform on a coset is a
negacyclic one in all but its twiddles. Those of level l are g^h·w^(h·k), h = n/2^(l + 1), where the negacyclic ones are
v^(h·(1 + 2k)), v² = w. No multiplication is added, and no table gets longer.
"""

from __future__ import annotations

from typing import NamedTuple

from momagen.errors import MomagenError
from momagen.formula.breakdown import RING
from momagen.targets import load_target


class CosetTwiddle(NamedTuple):
    """g^(2^doublings)·w^exponent; no factor of g where ``doublings`` is None."""

    doublings: int | None
    exponent: int


def coset_twiddle(exponent: int) -> CosetTwiddle:
    """That of a transform on a coset for the power ``exponent`` of v in the negacyclic one."""
    low = exponent & -exponent
    return CosetTwiddle(low.bit_length() - 1 if low else None, (exponent - low) // 2)


def check_coset(kind: str, coset: int, target: str, order: str, negacyclic: bool, algorithm: str) -> None:
    """Refuse a coset where there is none.

    Raises:
        MomagenError: another kernel, a negacyclic ring, another algorithm than ``RING``, in threads natural order, or a
            target that has only arrays.
    """
    if not coset:
        return
    if coset < 0:
        raise MomagenError("a positive number", coset, "coset")
    if kind not in ("ntt", "lde"):
        raise MomagenError(f"none for {kind}", coset, "coset")
    if negacyclic:
        raise MomagenError("none beside negacyclic, whose values are those on one coset", coset, "coset")
    if order != "bitrev" and load_target(target).threads:
        raise MomagenError("values in bit-reversed order on a coset", order, "order")
    if algorithm != RING:
        raise MomagenError(f"the algorithm {RING} on a coset, which splits its ring", algorithm, "algorithm")
    if kind == "ntt" and load_target(target).minor:  # for lde, see check_extension
        raise MomagenError("a target of C, or one with threads, as cuda, for a transform on a coset", target, "target")
