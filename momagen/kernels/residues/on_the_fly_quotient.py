"""Twiddles that come as one residue in words: their Shoup quotients are computed where they are used.

A twiddle with its quotient is twice as many digits as words hold. Where tables are longer than the caches, reading them
costs more than the product v' = v·⌊2^(held + s)/q⌋ / 2^s, once for all butterflies that share the twiddle.
"""

from __future__ import annotations

from momagen.ir import Block, Builder

from .reduced_radix import ReducedRadix


def lost(h: int, v: int, columns: int) -> int:
    """By how much a product of h by v digits is too small at most where all below ``columns`` is left out: low halves
    of the column below, high halves of the next, and all the rest together."""
    pairs = [i + j for i in range(h) for j in range(v)]
    return pairs.count(columns - 1) + pairs.count(columns - 2) + (columns > 1)


def left_out(a: ReducedRadix) -> int:
    """s in digits: as many as v has, so that v/2^s, what the cut of 1/q costs, is below 1."""
    return -(-a.bits // a.word)


def most(a: ReducedRadix) -> int:
    """The largest ν = ⌊2^(held + s)/q⌋."""
    return (1 << a.held + a.word * left_out(a)) // a.least


def digits(a: ReducedRadix) -> int:
    """Digits of ν."""
    return -(-most(a).bit_length() // a.word)


def near_enough(a: ReducedRadix) -> bool:
    """Whether butterflies may use such quotients.

    A quotient that lacks e instead of 1 adds (e - 1)·y/2^held to the multiples of q in a product y·v: nothing to the
    bound, which takes y·e ≤ 2^held.
    """
    lacks = 2 + lost(digits(a), left_out(a), left_out(a))
    return (a.reach * a.top << a.doubling) * lacks <= 1 << a.held


def quotient(a: ReducedRadix) -> Block:
    """U ≈ ⌊v·2^held/q⌋ from v and ν, in normal digits."""
    b, width = Builder(), a.word << (digits(a) - 1).bit_length()
    u = b.one("over_about", width, a.residue(b, "v"), a.q(b, a.least), k=a.held)
    b.output("U", b.one("settle", a.held, u, k=a.word))
    return b.block
