"""The reduction of sums of digits to residues, by Montgomery's method or by Barrett's.

For Montgomery's reduction, the matrix includes the factor R.
"""

from __future__ import annotations

from momagen.ir import Block, Builder, const
from momagen.kernels.residues.arith import Arith

from .sums import DigitSums


def merge(sums: DigitSums, m: int, more: int = 0) -> Block:
    """Return the codelet z ≡ (Σ s_i·2^(size·i) + v·n)/R below m·q, for R = 2^``sums.radix``.

    Args:
        sums: The sums.
        m: The bound of the result in multiples of q, 1 or 2.
        more: The largest v of an additional product v·n with n < q, or 0 if there is none.
    """
    arith, b = sums.arith, Builder()
    q = b.input("q", 0, arith.top)
    whole, width, radix = sums.lifted(b, q, more), sums.width, sums.radix
    inverse = b.one("inverse", width, q, k=radix)
    op = "montgomery_lazy" if m > 1 and arith.room > 1 else "montgomery"
    b.output("z", b.one(op, width, whole, const(1), q, inverse, k=radix))
    return b.block


def quotient_room(arith: Arith) -> int:
    """Return the number of bits that sums may have above the bits of q in Barrett's reduction.

    The reduction then supports all q of ``arith.bits`` bits.
    """
    return arith.word - 3


def least_modulus(sums: DigitSums) -> int:
    """Return the smallest q that Barrett's reduction supports."""
    return 1 << _cut(sums) + 1


def merge_by_quotient(sums: DigitSums, m: int) -> Block:
    """Return the codelet z ≡ Σ s_i·2^(size·i) below m·q by Barrett's reduction, for q from ``least_modulus(sums)`` on.

    The factor m is 1 or 2.
    """
    arith, b = sums.arith, Builder()
    q = b.input("q", least_modulus(sums), arith.top)
    z = b.one("residue_lazy", sums.width, sums.lifted(b, q), q, k=_cut(sums))
    b.output("z", z if m > 1 and arith.room > 1 else b.one("csub", sums.width, z, q))
    return b.block


def _cut(sums: DigitSums) -> int:
    """Return the number of bits that the leading words of a quotient omit."""
    return max(1, sums.arith.bits + sums.gain() + 2 - sums.arith.word)
