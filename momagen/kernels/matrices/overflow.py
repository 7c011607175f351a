"""How often Q goes into Σ x_i·Q/q_i: the nearest integer to Σ x_i/q_i, by fixed-point fractions of the moduli."""

from __future__ import annotations

from momagen.ir import Block, Builder, const
from momagen.kernels.residues.arith import Arith

from .digits import SignedDigits
from .sums import added, range_of


def fraction_bits(arith: Arith) -> int:
    """e, where ⌊2^e/q⌋ stands for 1/q: a word more than residues have."""
    return arith.held + arith.word


def digits_of_fractions(arith: Arith, inner: SignedDigits) -> SignedDigits:
    """Those of 2^(digit·k)·⌊2^e/q⌋ for q > 2 and every digit k of a residue."""
    bits = fraction_bits(arith) + inner.size * (inner.count - 1)
    return SignedDigits(inner.size, -(-(bits + 1) // inner.size))


def overflow(arith: Arith, inner: SignedDigits, terms: int, held: int) -> Block:
    """v and a flag u, of sums s_i of digits whose value F = Σ s_i·2^(digit·i) is Σ x_i·⌊2^e/q_i⌋, x_i < q_i.

    v is the nearest integer to Σ x_i/q_i where u is 0; where u is 1, one less may be right. F lacks less than
    E = terms·2^bits of Σ x_i/q_i·2^e, so v = ⌊(F + 2^(e - 1) + E)/2^e⌋ unless that is another number without E.
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
    """g' = 1 where v > c, or v = c and g = 1; else 0: numbers of mixed radices compared from the lowest digit on."""
    b = Builder()
    v, c, g = b.input("v", 0, arith.top), b.input("c", 0, arith.top), b.input("g", 0, 1)
    same, more = b.one("eq", arith.width, v, c), b.one("lt", arith.width, c, v)
    b.output("z", b.one("select", arith.width, more, const(1), b.one("select", arith.width, same, g, const(0))))
    return b.block
