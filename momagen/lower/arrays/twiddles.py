"""The twiddles of butterflies on arrays, as powers of the root that depend on the bits of a butterfly's number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from momagen.formula.transforms import digit_reversal
from momagen.kinds.modular.derived.meaning import lacking_bits
from momagen.kinds.modular.spec import Spec
from momagen.plan.schedule.arrays import ArrayPass
from momagen.plan.schedule.types import Step, Turns

from .codelets import MODULUS, ArrayCodelet, DerivedConstant


@dataclass(frozen=True)
class TwiddleArrays:
    """Twiddles of a pass, and the constants that are derived from them.

    Entry i is the root to the exponent first + Σ steps[b] over the set bits b of i, divided by n if
    ``scaled``, and multiplied by 2^lifted.

    Attributes:
        first: The exponent of entry 0.
        steps: The contribution of each bit of the index, the lowest bit first.
        scaled: Whether the twiddles are divided by n.
        lifted: The exponent of the factor 2^lifted.
        shape: The shape that broadcasts to the shape of an array without the axis of butterfly inputs.
        constants: The derived constants that codelets read.
    """

    first: int
    steps: Sequence[int]
    scaled: bool
    lifted: int
    shape: Sequence[int]
    constants: Sequence[DerivedConstant]


def twiddle_arrays(each: ArrayPass, spec: Spec, product: bool, made: ArrayCodelet) -> Iterator[TwiddleArrays]:
    """Yield the twiddles that the codelet of a pass reads, one after another.

    Args:
        each: The pass.
        spec: The specification of the transform.
        product: Whether the transform is part of a product of polynomials.
        made: The codelet.
    """
    bits, shape = each.table()
    lifted = lacking_bits(spec) * (product and spec.inverse)  # a product of points lacks R
    for twiddle in dict.fromkeys(constant.of for constant in made.constants if constant.of != MODULUS):
        form, scaled = _turn(each.done, int(twiddle[1:]), -1 if spec.inverse else 1)
        first, *steps = (int(form.get(frozenset(some), 0) * spec.order_of_root) for some in ((), *((b,) for b in bits)))
        constants = [one for one in made.constants if one.of == twiddle]
        yield TwiddleArrays(first, steps[::-1], scaled, lifted * scaled, shape, constants)


def _turn(done: Step, t: int, sign: int) -> tuple[Turns, bool]:
    """Return the turn of twiddle t of a butterfly, affine in the bits of its number, and whether it is divided by n.

    Twiddle m + b, with a power of two m, splits factor b of m. In addition to the heap's turn it has the turn
    ``sign``·rev(b)/2m. The factor that all results share is in twiddles 0 and 1, or in the weights that
    follow.
    """
    common, scaled = done.table.common, done.table.scaled
    if t >= done.radix:
        return _sum(common, done.table.weights, t - done.radix), scaled
    if t == 0:
        return common, scaled
    m, shared = 1 << t.bit_length() - 1, done.scaled and t == 1
    own = {frozenset[int](): Fraction(sign * digit_reversal(t - m, m), 2 * m)}
    return _sum(_sum(common if shared else {}, own, 1), done.table.heap, done.radix // 2 // m), shared and scaled


def _sum(one: Turns, other: Turns, times: int) -> Turns:
    """Return one + times · other."""
    return {term: (one.get(term, 0) + times * other.get(term, 0)) % 1 for term in {*one, *other}}  # type: ignore[misc]
