"""Theorems on residues: bounds that interval arithmetic alone cannot derive. R is 2^(the number of bits of a residue).

``tests/rules/test_theorems.py`` checks each of them on all small cases. The header of a kernel lists the
theorems that it relies on.
"""

from __future__ import annotations

from typing import NamedTuple

from momagen.ir import Value, refine


class Theorem(NamedTuple):
    """A bound, with its name and its statement."""

    name: str
    why: str

    @property
    def label(self) -> str:
        """The name of the theorem in lists of applied rules."""
        return f"theorem {self.name}"


THEOREMS = {row.name: row for row in (
    Theorem("shoup_remainder", "y·v - ⌊y·⌊v·R/q⌋/R⌋·q lies between 0 and y·v and is below 2q for y < R and v < q"),
    Theorem("offset_difference", "0 < x + m·q - y < (a + m)·q for 0 ≤ x < a·q and 0 ≤ y < m·q"),
    Theorem("folded_product", "Σ y_i·(2^(w·i)·v mod q), after one Montgomery step, is below (n + 1)·q for n limbs y_i"),
    Theorem("lazy_levels", "if each level adds at most g·q to the bound of its values, L levels add at most L·g·q"),
    Theorem("sign_correction", "0 ≤ x + (q if x < 0 else 0) < q for -q < x < q"),
    Theorem("nearest_quotient", "|y·v - ⌊y·⌊v·R/q⌋/R⌉·q| ≤ (1/2 + |y|/R)·q"),
    Theorem("nearest_quotient_less_one", "0 < S - (⌊h·2^k/q⌉ - 1)·q < 2q for h = ⌊S/2^k⌋, 4·2^k ≤ q, quotient ± 1/16"),
    Theorem("montgomery_remainder", "(y·v - m·q)/R lies between -q and q for y·v < R·q and m < R"),
    Theorem("rounded_remainder", "x - ⌊x·⌊R/2/q⌉/(R/2)⌉·q lies between -q and q for |x| ≤ R/2"),
    Theorem("montgomery_step", "0 ≤ ⌊S/R⌋ + q - ⌊m·q/R⌋ < (c + 1)·q for S < c·q·R, m ≡ S/q modulo R and m < R"),
    Theorem("multiples_of_q", "a·q ≤ x < b·q and c·q ≤ y < d·q give (a + c)·q ≤ x + y < (b + d)·q; likewise x - y"),
    Theorem("sums_of_digits", "|S| ≤ 2^g·q for sums S of limbs times numbers within ±q/2, and g for their number"),
    Theorem("sums_of_products", "Σ x_i·y_i ≤ m·(q - 1)² for m products of numbers below q"),
    Theorem("shifted_residue", "x·2^s < c·2^k for x < c·q and q·2^s < 2^k"),
    Theorem("multiple_towards_zero", "x + m·q for x < 0, else x - m·q, is within ±max(m, b - m)·q for |x| ≤ b·q"),
    Theorem("quotient_by_signed_digits", "-q/2 ≤ y0·a + z·b - h·q < 3q/2 for h from a/q, b/q rounded to the nearest"),
    Theorem("split_quotient", "a quotient e from half words is less than 3 too small, so 0 ≤ y·v - e·q < 3q"),
)}  # fmt: skip


def bounded(value: Value, lo: int, hi: int, theorem: str) -> Value:
    """Return ``value`` with the bounds [lo, hi], which ``theorem``, one of ``THEOREMS``, guarantees."""
    assert theorem in THEOREMS, theorem
    found = refine(value, lo, hi)
    if not found.is_const:
        found.theorem = theorem
    return found
