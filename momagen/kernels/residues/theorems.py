"""Theorems on residues: bounds that intervals alone do not give. R is 2 to the bits that hold a residue.

Every one is checked on all small cases in ``tests/rules/test_theorems.py``; a kernel's header lists those it rests on.
"""

from __future__ import annotations

from typing import NamedTuple

from momagen.ir import Value, refine


class Theorem(NamedTuple):
    """A bound: its name, and what it says."""

    name: str
    why: str

    @property
    def label(self) -> str:
        """How lists of applied rules name it."""
        return f"theorem {self.name}"


THEOREMS = {row.name: row for row in (
    Theorem("shoup_remainder", "0 ≤ y·v - ⌊y·⌊v·R/q⌋/R⌋·q ≤ y·v and < 2q for y < R, v < q"),
    Theorem("offset_difference", "0 < x + m·q - y < (a + m)·q for x < a·q, y < m·q"),
    Theorem("folded_product", "Σ y_i·(2^(w·i)·v mod q), reduced by one digit, is less than q a digit of y, and q"),
    Theorem("lazy_levels", "values that each level takes further by g·q at most are within reach·q after all of them"),
    Theorem("sign_correction", "0 ≤ x + (x < 0 ? q : 0) < q for -q < x < q"),
    Theorem("nearest_quotient", "y·v - ⌊y·⌊v·R/q⌋/R⌉·q is within (1/2 + |y|/R)·q of zero"),
    Theorem("nearest_quotient_less_one", "0 < S - (⌊h·2^k/q⌉ - 1)·q < 2q for h = ⌊S/2^k⌋, 4·2^k ≤ q, quotient ± 1/16"),
    Theorem("montgomery_remainder", "(y·v - m·q)/R is within ±q for y·v < R·q, m < R"),
    Theorem("rounded_remainder", "x - ⌊x·⌊R/2/q⌉/(R/2)⌉·q is within ±q for x within ±R/2"),
    Theorem("montgomery_step", "0 ≤ ⌊S/R⌋ + q - ⌊m·q/R⌋ < (c + 1)·q for S < c·q·R and m ≡ S/q modulo R, m < R"),
    Theorem("multiples_of_q", "x ± y is within a·q ± c·q … b·q ± d·q for x, y within a·q … b·q, c·q … d·q, whatever q"),
    Theorem("sums_of_digits", "0 ≤ S + 2^g·q ≤ 2^(g + 1)·q for sums S of numbers, by digits, times some within ±q/2"),
    Theorem("sums_of_products", "Σ x_i·y_i ≤ m·(q - 1)² for m products of numbers below q"),
    Theorem("shifted_residue", "x·2^s < c·2^k for x < c·q, where q·2^s < 2^k"),
    Theorem("multiple_towards_zero", "x + m·q for x < 0, else x - m·q, is within ±max(m, b - m)·q for x within ±b·q"),
    Theorem("quotient_by_signed_digits", "-q/2 ≤ y0·a + z·b - h·q < 3q/2 for h of a/q and b/q to the nearest"),
    Theorem("split_quotient", "a quotient by halves of a word lacks less than 3, so 0 ≤ y·v - e·q < 3q"),
)}  # fmt: skip


def bounded(value: Value, lo: int, hi: int, theorem: str) -> Value:
    """``value``, which lies in [lo, hi] by ``theorem``, one of ``THEOREMS``."""
    assert theorem in THEOREMS, theorem
    found = refine(value, lo, hi)
    if not found.is_const:
        found.theorem = theorem
    return found
