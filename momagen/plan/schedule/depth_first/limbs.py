"""The reduced-radix limbs of a transform, for each format of its twiddles."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from momagen.kernels.residues import on_the_fly_quotient as packed
from momagen.kernels.residues.double_digits import LONGEST, doubles, one_double
from momagen.kernels.residues.integer_digits import balanced, lazy
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kinds.modular.spec import Spec

WHOLE, COMPUTED, PACKED = TWIDDLES = ("whole", "computed", "packed")
"""The formats of twiddles that differ by lane: limbs with quotients by q, limbs without quotients, and words."""
SPARE = 8
"""The number of bits that values leave free for the multiples of q by which computed quotients are too small."""


def limbs_of(spec: Spec, product: bool, twiddles: str, rests: bool = False) -> ReducedRadix:
    """Return the representation of residues in limbs.

    Packed twiddles of integers take one more limb if their computed quotients lack headroom. Constants of doubles
    have the target's format if ``twiddles`` is "".

    Args:
        spec: The specification of the transform.
        product: Whether the transform is part of a product of polynomials.
        twiddles: One of ``TWIDDLES``, or "".
        rests: Whether residues are stored as words between some passes, which needs headroom for their conversion.
    """
    target, asked = spec.target, replace(requested(spec, product, rests), folds=twiddles == COMPUTED)
    log_lanes = 0 if spec.columns > 1 else target.lanes.bit_length() - 1
    if target.real:
        quotients = {WHOLE: LONGEST, COMPUTED: 0}.get(twiddles, target.quotients)
        return _doubles(asked, target.real, quotients, 2 * max(log_lanes, 1))
    if twiddles == PACKED:
        return replace(next(a for a in (lazy(asked), lazy(asked, SPARE)) if packed.near_enough(a)), packed=True)
    return _integers(asked, log_lanes, not spec.splits)


def requested(spec: Spec, product: bool, rests: bool) -> ReducedRadix:
    """Return the properties of a transform that limbs must have; see :func:`limbs_of` for the arguments."""
    target, levels = spec.target, spec.n.bit_length() - 1
    return ReducedRadix(
        spec.arith.bits, target.digit, lane=target.word, levels=levels, doubling=spec.inverse,
        m_in=spec.ranges.input, m_out=spec.ranges.output,
        over=levels * (spec.inverse and not product and spec.divisor_bits == levels), rests=rests,
    )  # fmt: skip


_integers = lru_cache(maxsize=64)(balanced)


@lru_cache(maxsize=64)
def _doubles(asked: ReducedRadix, most: int, quotients: int, first: int) -> ReducedRadix:
    """Return floating-point limbs; see :func:`doubles` for the arguments."""
    return one_double(asked) or doubles(asked, most, quotients, first)
