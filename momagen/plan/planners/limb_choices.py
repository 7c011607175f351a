"""The choices of the planner of transforms on reduced-radix limbs, and the facts that follow from them."""

from __future__ import annotations

from typing import NamedTuple

from momagen.kernels.flow.columns import Columns
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kinds.modular.spec import Spec
from momagen.plan.limbs import limbs_of
from momagen.plan.schedule.tiles import row_of
from momagen.plan.tiles import LINES

REGISTERS, MEMORY = "registers", "memory"
"""The places from which butterflies read constants."""


class LimbChoices(NamedTuple):
    """The choices of the planner, from which everything else follows.

    Attributes:
        levels: The numbers of levels of the passes over columns, from the whole ring down.
        widths: The numbers of neighbouring tiles that these passes load together and store together.
        resting: The number of these passes after which residues are stored as words.
        together: The number of blocks of rows that are processed together; 1 without rows.
        twiddles: The format of twiddles that differ by lane.
        paired: Whether the instructions of two butterflies are interleaved.
        constants: The place from which butterflies read constants.
        chain: The largest number of products in one chain of multiply-adds.
        prefetch: The number of words of the twiddles of the rows that each butterfly of two vectors prefetches during
            the last pass over columns.
    """

    levels: tuple[int, ...]
    widths: tuple[int, ...]
    resting: int
    together: int
    twiddles: str
    paired: bool
    constants: str
    chain: int
    prefetch: int


def stated_limbs(spec: Spec, product: bool, made: LimbChoices) -> ReducedRadix:
    """Return the representation of residues in limbs that choices lead to.

    Args:
        spec: The specification of the transform.
        product: Whether the transform is part of a product of polynomials.
        made: The choices.
    """
    found = limbs_of(spec, product, made.twiddles)
    if made.resting and found.words != spec.arith.words:
        return limbs_of(spec, product, made.twiddles, rests=True)
    return found


def matrix_row(spec: Spec) -> int:
    """Return the number of residues of a row of the matrix between passes, or 0 without a matrix."""
    return row_of(Columns(spec.columns), spec.target.lanes)


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


def is_fused(inner: ReducedRadix, made: LimbChoices) -> bool:
    """Return whether a loop computes two levels, because the registers hold four residues and three twiddles."""
    return inner.single and not made.paired and made.constants == REGISTERS


def opened_levels(spec: Spec, inner: ReducedRadix, levels: tuple[int, ...]) -> int:
    """Return the number of levels that are fused with the conversion of the input, or of the results of an inverse.

    It is 0 if the results of an inverse transform are scaled.

    Args:
        spec: The specification of the transform.
        inner: The representation of residues.
        levels: The numbers of levels of the passes over columns.
    """
    if spec.inverse and not inner.over:
        return 0
    rows = 1 << levels[0] if levels else spec.target.lanes
    return 2 if not spec.splits and rows >= 4 and (inner.sums_first or spec.inverse) else 1


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
