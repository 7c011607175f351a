"""The tables of a cache-blocked transform: tables of the passes over columns, then two tables per group of rows."""

from __future__ import annotations

from momagen.lower.digits.writer import TileWriter
from momagen.lower.setup.blocks import of_blocks
from momagen.lower.setup.exponents import tree_of
from momagen.lower.setup.tables import TablesWriter, TwiddleTable
from momagen.plan.schedule.depth_first.reduced_radix import LimbTransform
from momagen.plan.schedule.nests import nests_of
from momagen.plan.schedule.tiles import is_across


def write_tables(writer: TileWriter) -> int:
    """Write the function put_tables, and return the number of words of all plan constants in c.

    Twiddles contain the factor 1/n if the last butterflies do not divide by n.
    """
    made, plan, inverse = writer.constants, writer.plan, writer.plan.breakdown.inverse
    scale, scaled = made.places["scale"], inverse and not writer.inner.over
    TablesWriter(writer, made, plan.breakdown, inverse, scaled, inverse, scale * scaled).write(
        of_blocks(_tables(plan, scaled), plan.breakdown, plan.table_words)
    )
    return scale + made.shared.words * scaled


def _tables(plan: LimbTransform, scaled: bool) -> list[TwiddleTable]:
    """Return the tables in memory order, with the exponents of the steps of the schedule.

    Args:
        plan: The plan of the transform.
        scaled: Whether the twiddle of the root, which an inverse transform uses last, contains the factor of
            all results.
    """
    inverse, inner, lanes, group = plan.breakdown.inverse, plan.inner, plan.lanes, plan.tiles.rows.group
    nodes, found = group * (lanes - 1), list[TwiddleTable]()
    first, second = 0, nodes * inner.shared_words
    if inverse:
        first, second = nodes * lanes * inner.apart_words, 0
    for at, (one, own) in enumerate(zip(plan.passes, nests_of(plan.schedule), strict=True)):
        turn = slice(None, None, -1 if inverse else 1)
        whole, apart = ([s for s in own.computing[turn] if is_across(s) == across] for across in (False, True))
        offset, words, together = plan.offsets[at], plan.block_words(at), group if apart else 1
        loops = [(one.blocks // together, together * words)]
        root = [(1 << one.levels) - 2] * (scaled and whole[0].table.scaled)
        for steps, begin, width in ((whole, first * bool(apart), 1), (apart, second, lanes))[: 1 + bool(apart)]:
            levels = sum(len(step.operands) for step in steps)
            node = {"node": (tree_of(steps, plan.breakdown), 1)}
            found.append(TwiddleTable(offset + begin, levels, node, loops, together, width, scaled=root * (width == 1)))
    return found
