"""The facts that limit the choices of the planner of transforms on reduced-radix limbs."""

from __future__ import annotations

from momagen.kernels.residues import on_the_fly_quotient as packed
from momagen.kernels.residues.integer_digits import lazy
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kinds.modular.spec import Spec
from momagen.plan.schedule.depth_first.choices import LimbChoices
from momagen.plan.schedule.depth_first.limbs import COMPUTED, PACKED, WHOLE, limbs_of, requested
from momagen.plan.schedule.depth_first.reduced_radix import is_fused, matrix_row, opened_levels
from momagen.plan.tiles import LINES


def usual_twiddles(spec: Spec, product: bool, rests: bool = False) -> str:
    """Return the format of twiddles that differ by lane: the requested one, or the one that is faster on the target.

    Twiddles of integers are packed if their table is long, unless packing takes one more limb and the table of whole
    ones is short. Since the cost of computing a quotient grows with the square of the number of limbs, so does the
    size from which on a table is long. See :func:`limbs_of` for the arguments.
    """
    target, options = spec.target, spec.options
    if stated := {"table": WHOLE, "computed": COMPUTED}.get(options.quotients or ""):
        return stated
    if target.real:
        return WHOLE if limbs_of(spec, product, "", rests).over_q else COMPUTED
    if options.twiddles:
        return options.twiddles
    given, whole = lazy(requested(spec, product, rests)), limbs_of(spec, product, WHOLE, rests)
    long_from = target.packed
    saves = whole.words < given.words and 8 * spec.n * whole.apart_words <= target.saved
    long = 0 < long_from * given.words**2 <= 8 * spec.n * given.apart_words
    return PACKED if long and not saves and packed.near_enough(given) else WHOLE


def vector_bytes(spec: Spec, inner: ReducedRadix) -> int:
    """Return the size of a vector of residues in limbs."""
    return inner.words * spec.target.lanes * spec.target.word // 8


def row_words(spec: Spec, inner: ReducedRadix) -> int:
    """Return the number of words of the constants of one block of rows."""
    lanes = spec.target.lanes
    return (lanes - 1) * (inner.shared_words + lanes * inner.apart_words)


def prefetched(spec: Spec, inner: ReducedRadix, made: LimbChoices) -> int:
    """Return the number of words that each butterfly of the last pass over columns prefetches if it prefetches any.

    It is 0 if this pass cannot prefetch, because it is the first one, loads several tiles together, computes two
    levels at once, or no rows follow.
    """
    able = len(made.levels) > 1 and made.widths[-1] == 1 and not matrix_row(spec) and not is_fused(inner, made)
    return row_words(spec, inner) * 2 // (spec.target.lanes * made.levels[-1]) if able else 0


def can_pair(spec: Spec, inner: ReducedRadix, levels: tuple[int, ...]) -> bool:
    """Return whether every pass has several butterflies for each broadcast twiddle; see :func:`opened_levels`.

    The pass over rows has one if vectors have two lanes.
    """
    return spec.target.lanes > 2 and 1 not in levels[min(opened_levels(spec, inner, levels), 1) :]


def widest(spec: Spec, levels: tuple[int, ...], at: int) -> int:
    """Return the largest number of neighbouring tiles of pass ``at`` over columns.

    It is 1 if the columns of the caller's matrix do not fill the last vector.
    """
    target, row = spec.target, matrix_row(spec)
    vectors = (spec.n >> sum(levels[: at + 1])) * max(1, row) // target.lanes
    edged = row > spec.columns and at in (0, len(levels) - 1)
    return 1 if edged else min(vectors & -vectors, LINES * target.first.line * 8 // (target.lanes * target.word))
