"""The twiddles of ring splitting as the broken-down formula of the transform states them, and their numbers in a tree.

Level l splits 2^l rings x^(2m) - v^2 into x^m - v and x^m + v. The twiddle v of block b is e(turn), where the turn is a
sum over the bits of b. Kernels that split rings in place store the powers of the root in bit-reversed order of their
exponents. If the formula describes ring splitting, v is the power with the number of a node of a binary tree: the
nodes below node i have the numbers 2i and 2i + 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from momagen.errors import build_error
from momagen.formula.atoms import Diagonal, Scale
from momagen.formula.breakdown import RING, asked, expand
from momagen.formula.factors import Stage, stages
from momagen.formula.transforms import Transform, digit_reversal

from .data_flow import plain_kernel
from .level_twiddles import REMEDY, LevelTwiddles, turn_at


@cache
def ring_levels(n: int, inverse: bool = False, negacyclic: bool = False) -> tuple[LevelTwiddles, ...]:
    """Return the twiddles of all levels of a transform of n points, from the whole ring down.

    Args:
        n: The number of points, a power of two.
        inverse: Whether the transform is an inverse one, whose twiddles are the inverses.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1), or another one whose first level has a twiddle other than 1.

    Raises:
        MomagenError: The broken-down formula does not split rings in place, level by level.
    """
    formula = expand(*asked(RING, n, 2, inverse=inverse, negacyclic=negacyclic))
    found = [stage for stage in stages(formula) if not isinstance(stage.core, Scale)]
    levels = found[::-1] if inverse else found
    return tuple(_level(stage, n >> at + 1, 1 << at) for at, stage in enumerate(levels))


def _level(stage: Stage, stride: int, blocks: int) -> LevelTwiddles:
    """Return the twiddles of a stage, whose butterflies must have this stride and be in this number of blocks."""
    core = stage.core
    if not isinstance(core, Transform) or (stage.right, core.blocks) != (stride, blocks):
        raise build_error(f"the formula does not split {blocks} rings in place", "formula", REMEDY)
    diagonals = [each.core for each in stages(expand(core, plain_kernel)) if isinstance(each.core, Diagonal)]
    found = LevelTwiddles.read(lambda block: turn_at(diagonals, 2 * block + 1), blocks.bit_length() - 1)
    if any(turn_at(diagonals, 2 * block) for block in (*range(min(blocks, 8)), blocks - 1)):
        raise build_error(f"level {blocks.bit_length() - 1} has more than one twiddle for a block", "formula", REMEDY)
    return found


@cache
def root_node(n: int, inverse: bool = False, negacyclic: bool = False) -> int:
    """Return the number of the node at the root of the tree of twiddles: 0, or 1 if its twiddle is not 1.

    See :func:`ring_levels` for the arguments.

    Raises:
        MomagenError: The twiddles of the broken-down formula are not the nodes of a tree.
    """
    order = n << negacyclic
    root = 0
    for at, level in enumerate(ring_levels(n, inverse, negacyclic)):
        first, *bits = (_number(-turn if inverse else turn, order) for turn in (level.first, *level.bits))
        root = root if at else first
        if (first, bits) != (root << at, [1 << bit for bit in range(at)]):
            raise build_error(f"the twiddles of level {at} are not the nodes of a tree", "formula", REMEDY)
    return root


def _number(turn: Fraction, order: int) -> int:
    """Return the number of a power of the root of this order, among the powers in bit-reversed order."""
    exponent = turn * order % order
    if exponent.denominator > 1 or 2 * exponent >= order:
        return -1
    return digit_reversal(int(exponent), order // 2)
