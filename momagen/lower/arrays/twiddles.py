"""The twiddles of butterflies on arrays, as powers of the root that depend on the bits of a butterfly's number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from momagen.lower.setup.turns import twiddle_exponents
from momagen.plan.schedule.arrays import ArrayPass
from momagen.plan.schedule.transform import ScheduledTransform

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


def twiddle_arrays(each: ArrayPass, plan: ScheduledTransform, made: ArrayCodelet) -> Iterator[TwiddleArrays]:
    """Yield the twiddles that the codelet of a pass reads, one after another.

    Args:
        each: The pass.
        plan: The transform.
        made: The codelet.
    """
    of = plan.breakdown
    lifted = of.lifted  # a product of points lacks R
    for twiddle in dict.fromkeys(constant.of for constant in made.constants if constant.of != MODULUS):
        (first, *steps), scaled = twiddle_exponents(each.done, int(twiddle[1:]), of)
        constants = [one for one in made.constants if one.of == twiddle]
        yield TwiddleArrays(first, steps, scaled, lifted * scaled, each.table_shape, constants)
