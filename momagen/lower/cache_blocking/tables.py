"""The tables of a cache-blocked transform: tables of the passes over columns, then two tables per group of rows."""

from __future__ import annotations

from momagen.lower.digits.writer import TileWriter
from momagen.lower.setup.blocks import of_blocks
from momagen.lower.setup.tables import Loops, TablesWriter, TwiddleTable
from momagen.plan.digit_plan import DigitPlan


def write_tables(writer: TileWriter) -> int:
    """Write the function put_tables, and return the number of words of all plan constants in c.

    Twiddles contain the factor 1/n if the last butterflies do not divide by n.
    """
    made, plan, inverse = writer.constants, writer.plan, writer.spec.inverse
    scale, scaled = made.places["scale"], inverse and not writer.inner.over
    TablesWriter(writer, made, plan, inverse, scaled, inverse, scale * scaled).write(
        of_blocks(_tables(plan, scaled), plan.spec, plan.table_words)
    )
    return scale + made.shared.words * scaled


def _tables(plan: DigitPlan, scaled: bool) -> list[TwiddleTable]:
    """Return the tables in memory order.

    Args:
        plan: The plan of the transform.
        scaled: Whether the twiddle of the root, which an inverse transform uses last, contains the factor of
            all results.
    """
    rows, last, inner, log_lanes = plan.tiles.rows, plan.offsets[-1], plan.inner, plan.lanes.bit_length() - 1

    def table(at: int, depth: int, levels: int, loops: Loops, group: int = 1, lanes: int = 1) -> TwiddleTable:
        node, root = (plan.root_node << depth, 1), [(1 << levels) - 2] * (scaled and depth == 0)
        return TwiddleTable(at, levels, {"node": node}, loops, group, lanes, scaled=root)

    nodes, loops = rows.group * (plan.lanes - 1), [(rows.blocks // rows.group, rows.group * plan.block_words(-1))]
    first, second = 0, nodes * inner.shared_words
    if plan.spec.inverse:
        first, second = nodes * plan.lanes * inner.apart_words, 0
    columns = [
        table(plan.offsets[at], one.depth, one.levels, [(one.blocks, plan.block_words(at))])
        for at, one in enumerate(plan.tiles.columns)
    ]  # fmt: skip
    if plan.row:
        return columns
    return [
        *columns,
        table(last + first, rows.depth, log_lanes, loops, rows.group),
        table(last + second, rows.depth + log_lanes, log_lanes, loops, rows.group, plan.lanes),
    ]  # fmt: skip
