"""The multiple of Q in Σ x_i·Q/q_i: the integer nearest to Σ x_i/q_i, by fixed-point fractions of the moduli."""

from __future__ import annotations

from momagen.ir import Block, Builder, const
from momagen.kernels.residues.arith import Arith

from .digits import SignedDigits
from .sums import added, range_of


def fraction_bits(arith: Arith) -> int:
    """Return the exponent e for which ⌊2^e/q⌋ represents 1/q: it has one word more than residues."""
    return arith.held + arith.word


def digits_of_fractions(arith: Arith, inner: SignedDigits) -> SignedDigits:
    """Return the digits of 2^(digit·k)·⌊2^e/q⌋, for q > 2 and every digit k of a residue."""
    bits = fraction_bits(arith) + inner.size * (inner.count - 1)
    return SignedDigits(inner.size, -(-(bits + 1) // inner.size))


def overflow(arith: Arith, inner: SignedDigits, terms: int, held: int) -> Block:
    """Return the codelet that computes v and a flag u from sums s_i of digits.

    The sums represent F = Σ s_i·2^(digit·i) = Σ x_i·⌊2^e/q_i⌋ for x_i < q_i. If u is 0, v is the integer
    nearest to Σ x_i/q_i. If u is 1, the nearest integer is v or v - 1. F is smaller than Σ x_i/q_i·2^e by
    less than E = terms·2^bits, so that v = ⌊(F + 2^(e - 1) + E)/2^e⌋ is the nearest integer unless it changes
    without E.

    Args:
        arith: The representation of residues.
        inner: The digits of residues.
        terms: The number of moduli q_i.
        held: The number of bits of a sum.
    """
    b, e, outer = Builder(), fraction_bits(arith), digits_of_fractions(arith, inner)
    size, top = outer.size, (1 << held) - 1
    width = arith.word << (-(-(held + size * outer.count) // arith.word) - 1).bit_length()
    sums = [b.input(f"s{at}", 0, top) for at in range(outer.count)]
    total, shift = added(b, sums, size, width, range_of(terms, inner, held))
    shift -= 1 << e - 1
    least = b.one("sublo", width, total, const(shift % (1 << width)))
    most = b.one("addlo", width, least, const(terms << arith.bits))
    low, high = (b.one("low", width, b.one("shr", width, each, k=e), k=arith.word) for each in (least, most))
    b.output("v", high)
    b.output("u", b.one("sublo", arith.word, high, low))
    return b.block


def above(arith: Arith) -> Block:
    """Return the codelet z = 1 if v > c, or if v = c and g = 1; otherwise z = 0.

    It compares numbers in mixed radices from the lowest digit on.
    """
    b = Builder()
    v, c, g = b.input("v", 0, arith.top), b.input("c", 0, arith.top), b.input("g", 0, 1)
    same, more = b.one("eq", arith.width, v, c), b.one("lt", arith.width, c, v)
    b.output("z", b.one("select", arith.width, more, const(1), b.one("select", arith.width, same, g, const(0))))
    return b.block
