"""Residues of what sums of digits stand for: by Montgomery's reduction, whose factor R the matrix has, or Barrett's."""

from __future__ import annotations

from momagen.ir import Block, Builder, const
from momagen.kernels.residues.arith import Arith

from .sums import DigitSums


def merge(sums: DigitSums, m: int, more: int = 0) -> Block:
    """z ≡ (Σ s_i·2^(size·i) + v·n)/R below m·q, m 1 or 2, for R = 2^``sums.radix``.

    ``more``: the largest v, where v·n with n < q is added; 0: none.
    """
    arith, b = sums.arith, Builder()
    q = b.input("q", 0, arith.top)
    whole, width, radix = sums.lifted(b, q, more), sums.width, sums.radix
    inverse = b.one("inverse", width, q, k=radix)
    op = "montgomery_lazy" if m > 1 and arith.room > 1 else "montgomery"
    b.output("z", b.one(op, width, whole, const(1), q, inverse, k=radix))
    return b.block


def quotient_room(arith: Arith) -> int:
    """Bits that sums may have beside q for Barrett's reduction to serve all q of ``arith.bits`` bits."""
    return arith.word - 3


def least_modulus(sums: DigitSums) -> int:
    """The smallest q that Barrett's reduction serves."""
    return 1 << _cut(sums) + 1


def merge_by_quotient(sums: DigitSums, m: int) -> Block:
    """z ≡ Σ s_i·2^(size·i) below m·q, m 1 or 2, for q from ``least_modulus(sums)`` on."""
    arith, b = sums.arith, Builder()
    q = b.input("q", least_modulus(sums), arith.top)
    z = b.one("residue_lazy", sums.width, sums.lifted(b, q), q, k=_cut(sums))
    b.output("z", z if m > 1 and arith.room > 1 else b.one("csub", sums.width, z, q))
    return b.block


def _cut(sums: DigitSums) -> int:
    """The bits that a quotient's leading words leave out."""
    return max(1, sums.arith.bits + sums.gain() + 2 - sums.arith.word)
