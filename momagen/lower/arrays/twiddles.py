"""Twiddles of butterflies on arrays: what power of the root each is, by the bits of a butterfly's number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from momagen.formula.transforms import digit_reversal
from momagen.kernels.flow.index_bits import Phase
from momagen.kernels.flow.ntt_flow import Pass
from momagen.kinds.modular.derived.meaning import lacking_bits
from momagen.plan.array_plan import ArrayPass, ArrayPlan

from .codelets import MODULUS, ArrayCodelet, DerivedConstant


@dataclass(frozen=True)
class TwiddleArrays:
    """Twiddles of a pass, and what is derived of them.

    Attributes:
        first, steps: entry i is the root to the power first + Σ of steps[b] over the bits b of i, over n where
            ``scaled``, and then times 2^``lifted``. shape: beside an array without legs. constants: that codelets read.
    """

    first: int
    steps: Sequence[int]
    scaled: bool
    lifted: int
    shape: Sequence[int]
    constants: Sequence[DerivedConstant]


def twiddle_arrays(each: ArrayPass, plan: ArrayPlan, made: ArrayCodelet) -> Iterator[TwiddleArrays]:
    """Those that the codelet of a pass reads, twiddle by twiddle."""
    (bits, shape), spec = each.table(), plan.spec
    lifted = lacking_bits(spec) * (plan.product and spec.inverse)  # a product of points lacks R
    for twiddle in dict.fromkeys(constant.of for constant in made.constants if constant.of != MODULUS):
        form, scaled = _turn(each.done, int(twiddle[1:]), -1 if spec.inverse else 1)
        first, *steps = (int(form.get(frozenset(some), 0) * spec.order_of_root) for some in ((), *((b,) for b in bits)))
        constants = [one for one in made.constants if one.of == twiddle]
        yield TwiddleArrays(first, steps[::-1], scaled, lifted * scaled, shape, constants)


def _turn(done: Pass, t: int, sign: int) -> tuple[Phase, bool]:
    """The turn of twiddle t of a butterfly, affine in the bits of its number, and whether it is over n.

    Twiddle m + b, m a power of two, splits factor b of m, and has besides the heap's turn the part ``sign`` ·
    rev(b)/2m. What all results share is in twiddles 0 and 1, or in the weights behind.
    """
    common, scaled = done.flow.common, done.flow.scaled
    if t >= done.radix:
        return _sum(common, done.weights, t - done.radix), scaled
    if t == 0:
        return common, scaled
    m, shared = 1 << t.bit_length() - 1, done.scaled and t == 1
    own = {frozenset[int](): Fraction(sign * digit_reversal(t - m, m), 2 * m)}
    return _sum(_sum(common if shared else {}, own, 1), done.heap, done.radix // 2 // m), shared and scaled


def _sum(one: Phase, other: Phase, times: int) -> Phase:
    """one + times · other."""
    return {term: (one.get(term, 0) + times * other.get(term, 0)) % 1 for term in {*one, *other}}  # type: ignore[misc]
