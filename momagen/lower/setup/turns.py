"""The twiddles of a step as powers of the root, whose exponents are sums over the bits of an index."""

from __future__ import annotations

from fractions import Fraction

from momagen.formula.transforms import digit_reversal
from momagen.plan.schedule.types import Bits, Step, Turns


def exponents_of(bits: Bits, form: Turns, order: int) -> list[int]:
    """Return the exponent of an affine turn if no bit is set, then the increment by each bit.

    Args:
        bits: The index bits of an entry's number, the lowest bit first.
        form: The turn.
        order: The order of the root.
    """
    return [int(form.get(frozenset(term), 0) * order) for term in ((), *((bit,) for bit in bits))]


def turn_of(step: Step, t: int, inverse: bool) -> tuple[Turns, bool]:
    """Return the turn of twiddle ``t`` of a butterfly, and whether the twiddle is divided by n.

    Twiddle m + b, with a power of two m, splits factor b of m. In addition to the heap's turn it has the turn
    rev(b)/2m, which is negative in an inverse transform. The factor that all results share is in twiddles 0 and 1,
    or in the weights that follow.

    Args:
        step: The step.
        t: The number of the twiddle in the codelet.
        inverse: Whether the transform is an inverse one.
    """
    common, scaled = step.table.common, step.table.scaled
    if t >= step.radix:
        return _sum(common, step.table.weights, t - step.radix), scaled
    if t == 0:
        return common, scaled
    m, shared = 1 << t.bit_length() - 1, step.scaled and t == 1
    own = {frozenset[int](): Fraction(digit_reversal(t - m, m) * (-1 if inverse else 1), 2 * m)}
    return _sum(_sum(common if shared else {}, own, 1), step.table.heap, step.radix // 2 // m), shared and scaled


def _sum(one: Turns, other: Turns, times: int) -> Turns:
    """Return one + times · other."""
    return {term: (one.get(term, Fraction(0)) + times * other.get(term, 0)) % 1 for term in {*one, *other}}
