"""The twiddles of a step as powers of the root, whose exponents are sums over the bits of an index."""

from __future__ import annotations

from momagen.formula.transforms import digit_reversal
from momagen.plan.schedule.types import Bits, Breakdown, Step, Turns


def exponents_of(bits: Bits, form: Turns, order: int) -> list[int]:
    """Return the exponent of an affine turn if no bit is set, then the increment by each bit.

    Args:
        bits: The index bits of an entry's number, the lowest bit first.
        form: The turn.
        order: The order of the root.
    """
    return [int(form.get(frozenset(term), 0) * order) for term in ((), *((bit,) for bit in bits))]


def twiddle_exponents(step: Step, t: int, of: Breakdown) -> tuple[list[int], bool]:
    """Return the exponent of twiddle ``t`` of a butterfly if no bit is set, and the increment by each bit of its table.

    Twiddle m + b, with a power of two m, splits factor b of m. In addition to the heap's turn it has the turn
    rev(b)/2m, which is negative in an inverse transform. The factor that all results share is in twiddles 0 and 1,
    or in the weights that follow.

    Args:
        step: The step.
        t: The number of the twiddle in the codelet.
        of: The transform.

    Returns:
        The exponents.
        Whether the twiddle is divided by n.
    """
    table, order, m = step.table, of.order_of_root, 1 << max(t.bit_length() - 1, 0)
    shares, turn = t >= step.radix or (step.scaled and t < 2), 0
    if t >= step.radix:
        form, times = table.weights, t - step.radix
    else:
        form, times = table.heap, step.radix // 2 // m * (t > 0)
        turn = digit_reversal(t - m, m) * (order // 2 // m) * (-1 if of.inverse else 1) if t else 0
    own, common = (exponents_of(table.bits, each, order) for each in (form, table.common))
    first, *steps = (times * a + shares * b for a, b in zip(own, common, strict=True))
    return [each % order for each in (first + turn, *steps)], shares and table.scaled
