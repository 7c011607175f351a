"""Sums of products of residues of one word each, which are exact in two words if there are few of them."""

from __future__ import annotations

from momagen.ir import Block, Builder, const
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import bounded


def fits(arith: Arith, terms: int) -> bool:
    """Return whether Σ x_i·m_i plus a multiple of q fits two words, and the result of Montgomery's step one word."""
    held = arith.words == 1 and _most(arith, terms, terms + 1) >> 2 * arith.word == 0
    return held and _left(arith, terms) <= arith.room


def _most(arith: Arith, terms: int, more: int) -> int:
    """Return the largest sum."""
    return terms * (arith.top - 1) ** 2 + more * (arith.top - 1)


def _left(arith: Arith, terms: int) -> int:
    """Return the power of two m for which Montgomery's step reduces sums to below m·q.

    The sums are below (terms + 1)·q·2^bits.
    """
    return 1 << ((terms + 1 << arith.bits) >> arith.word).bit_length() + 1


def merge_words(arith: Arith, terms: int, more: int = 0) -> Block:
    """Return the codelet z ≡ (S + v·n)/R below q, for a sum S of products of residues in two words and R = 2^word.

    Args:
        arith: The representation of residues.
        terms: The number of products.
        more: The largest v of the additional product v·n with n < q, or 0 if there is none.
    """
    b, word = Builder(), arith.word
    width = 2 * word
    s = b.input("s0", 0, _most(arith, terms, 0))
    q = b.input("q", 0, arith.top)
    if more:
        product = b.one("mullo", width, b.input("v", 0, more), b.input("n", 0, arith.top - 1))
        s = b.one("addlo", width, s, product)
    inverse = b.one("inverse", word, q, k=word)
    low, high = b.one("low", width, s, k=word), b.one("shr", width, s, k=word)
    m = b.one("mullo", word, low, inverse)
    left = _left(arith, terms)
    z = b.one("sublo", word, b.one("addlo", word, high, q), b.one("mulhi", word, m, q))
    z = bounded(z, 0, left * arith.top - 1, "montgomery_step")
    while left > 1:
        left //= 2
        z = b.one("csub", word, z, arith.times_q(b, q, left))
    b.output("z", z)
    return b.block


def fraction_bits(arith: Arith, terms: int) -> int:
    """Return the exponent e for which Σ x_i·⌊2^e/q_i⌋ with x_i < q_i leaves two bits of two words free."""
    return 2 * arith.word - 2 - terms.bit_length()


def overflow_words(arith: Arith, terms: int) -> Block:
    """Return the codelet that computes v and u as :func:`momagen.kernels.matrices.overflow.overflow` does.

    It reads F = Σ x_i·⌊2^e/q_i⌋ in two words.
    """
    b, word, e = Builder(), arith.word, fraction_bits(arith, terms)
    width = 2 * word
    total = b.input("s0", 0, terms << e)
    least = b.one("addlo", width, total, const(1 << e - 1))
    most = b.one("addlo", width, least, const(terms << arith.bits))
    low, high = (b.one("low", width, b.one("shr", width, each, k=e), k=word) for each in (least, most))
    b.output("v", high)
    b.output("u", b.one("sublo", word, high, low))
    return b.block
