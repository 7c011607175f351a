"""The ranges of operands for which butterflies on full-radix limbs are generated."""

from __future__ import annotations

from dataclasses import replace

from momagen.kernels.residues.arith import Arith

WIDE = 12
"""The number of words from which on one codelet serves all ranges. It is then long, and the cost of a
conditional subtraction is small in comparison."""


def reduced_by(arith: Arith, reduction: str) -> Arith:
    """Return the representation of residues whose products are reduced by the given scheme."""
    return arith if reduction == arith.kind else replace(arith, scheme=reduction)


def range_classes(arith: Arith, m: int, radix: int, late: bool, reduction: str = "") -> tuple[int, ...]:
    """Return the bounds of inputs for which a codelet is generated if its inputs are below m·q, the usual one first.

    There are at most two, so that steps share code. With the first one, none of the log2 radix levels needs a
    conditional subtraction; it is omitted if m exceeds it. The other one is the largest that the words hold.

    Args:
        arith: The representation of residues.
        m: The inputs are below m·q.
        radix: The radix of the codelet.
        late: Whether the butterflies are Gentleman–Sande ones.
        reduction: The scheme of reduction, if it is not the usual one.
    """
    levels, own = radix.bit_length() - 1, reduced_by(arith, reduction or arith.kind)
    if own.reduction.closed:
        return (m,)
    most = own.room if late else max(m, own.reach)
    easy = most >> levels if late else most - own.grown * levels
    return (easy, most) if m <= easy and own.words < WIDE else (most,)
