"""Packed twiddles, which are stored as one residue in words: their Shoup quotients are computed where they are used.

A twiddle with its quotient has twice as many limbs as the residue has in words. If tables are larger than the
caches, reading them costs more than the product v' = v·⌊2^(held + s)/q⌋ / 2^s, which is computed once for all
butterflies with the same twiddle.
"""

from __future__ import annotations

from momagen.ir import Block, Builder

from .reduced_radix import ReducedRadix


def lost(h: int, v: int, columns: int) -> int:
    """Return the largest error of a product of h by v limbs if everything below column ``columns`` is omitted.

    Omitted are the low halves of the column below, the high halves of the next one, and all lower columns,
    which together count as one.
    """
    pairs = [i + j for i in range(h) for j in range(v)]
    return pairs.count(columns - 1) + pairs.count(columns - 2) + (columns > 1)


def left_out(a: ReducedRadix) -> int:
    """Return the number of limbs of s: as many as v has, so that v/2^s, the error from truncating 1/q, is below 1."""
    return -(-a.bits // a.word)


def most(a: ReducedRadix) -> int:
    """Return the largest ν = ⌊2^(held + s)/q⌋."""
    return (1 << a.held + a.word * left_out(a)) // a.least


def digits(a: ReducedRadix) -> int:
    """Return the number of limbs of ν."""
    return -(-most(a).bit_length() // a.word)


def near_enough(a: ReducedRadix) -> bool:
    """Return whether butterflies may use such quotients.

    A quotient whose error is e instead of 1 adds (e - 1)·y/2^held to the multiples of q in a product y·v.
    This adds nothing to the bound, which only needs y·e ≤ 2^held.
    """
    lacks = 2 + lost(digits(a), left_out(a), left_out(a))
    return (a.reach * a.top << a.doubling) * lacks <= 1 << a.held


def quotient(a: ReducedRadix) -> Block:
    """Return the codelet that computes U ≈ ⌊v·2^held/q⌋ in normalised limbs from v and ν."""
    b, width = Builder(), a.word << (digits(a) - 1).bit_length()
    u = b.one("over_about", width, a.residue(b, "v"), a.q(b, a.least), k=a.held)
    b.output("U", b.one("settle", a.held, u, k=a.word))
    return b.block
