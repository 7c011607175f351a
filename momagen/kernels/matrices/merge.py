"""Residues of sums of digits: Montgomery's reduction of Σ s_i·2^(digit·i), whose missing factor R the matrix has."""

from __future__ import annotations

from momagen.ir import Block, Builder, const
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import bounded

from .digits import SignedDigits
from .sums import added, range_of


def gain(terms: int, digits: SignedDigits) -> int:
    """g, where sums of so many products of numbers within ±q/2 and digits are within ±2^g·q."""
    return (terms * digits.count << digits.size - 1).bit_length() - 1


def merge(
    arith: Arith, inner: SignedDigits, outer: SignedDigits, terms: int, held: int, m: int, more: int = 0
) -> Block:
    """z ≡ (Σ s_i·2^(digit·i) + v·n)/R below m·q, m 1 or 2; R is 2 to the bits that hold a residue.

    Args:
        inner, outer: the digits of what was multiplied, and of the matrix. terms: elements of a row. held: bits of a
            sum, a multiple of the word: s_i modulo 2^held, with its sign. more: the largest v, where v·n with n < q is
            added; 0: none.
    """
    g, b, size = gain(terms + more, inner), Builder(), outer.size
    width = arith.word << (-(-(held + size * (outer.count - 1) + 1) // arith.word) - 1).bit_length()
    width, top = max(width, arith.width), (1 << held) - 1
    sums = [b.input(f"s{at}", 0, top) for at in range(outer.count)]
    q = b.input("q", 0, arith.top)
    total, shift = added(b, sums, size, width, range_of(terms, inner, held))
    lifted = b.one("sublo", width, b.one("shl", width, q, k=g), const(shift))
    if more:
        v, n = b.input("v", 0, more), b.input("n", 0, arith.top - 1)
        total = b.one("addlo", width, total, b.one("mullo", width, v, n))
    whole = bounded(b.one("addlo", width, total, lifted), 0, arith.top << g + 1, "sums_of_digits")
    inverse = b.one("inverse", width, q, k=arith.held)
    op = "montgomery_lazy" if m > 1 and arith.room > 1 else "montgomery"
    b.output("z", b.one(op, width, whole, const(1), q, inverse, k=arith.held))
    return b.block
