"""Functions of depth-first transforms: passes over the columns of a block, and the whole transform.

A depth-first transform computes the first levels of a block on its columns, then all remaining levels of one
sub-block after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from momagen.plan.schedule.depth_first.transform import DepthFirstTransform
from momagen.plan.schedule.tiles import PassTiles
from momagen.plan.schedule.types import Schedule

from .parts import Split, write_parts
from .writer import PartWriter, ProgramWriter

LINES = 4
"""The number of lines of the first-level cache that one row of a square should fill when residues are
reordered."""


def known(plan: DepthFirstTransform) -> dict[str, object]:
    """Return the values that the texts of a transform's functions use, by name."""
    of = plan.breakdown
    return {
        "plan": plan, "inverse": of.inverse, "natural": of.natural, "lanes": plan.lanes,
        "columns": len(plan.tiles.columns), "length": plan.schedule.elements * plan.arith.words,
        "levels": plan.tiles.rows.levels + plan.tiles.rows.across, "height": plan.tiles.rows.rows,
        "matrix": plan.columns, "row": plan.tiles.row,
        "row_offset": plan.offsets[-1], "row_words": plan.block_words(-1),
    }  # fmt: skip


def write_passes(
    writer: PartWriter, plan: DepthFirstTransform, passes: Sequence[PassTiles],
    more: Callable[[int], Mapping[str, object]], split: Split | None = None,
) -> None:  # fmt: skip
    """Write the functions of all passes over columns, and the function of the whole transform.

    Pass k becomes columns_k(y, …, c, tables, b); the pass with the smallest blocks is written first, because
    its callers follow. The whole transform becomes transform(y, …, x, c, tables). If threads share a
    transform, run(y, x, c, tables, t …, phase, part, parts) replaces this function and columns_0.

    Args:
        writer: The writer of the functions.
        plan: The plan of the transform.
        passes: The passes; those over columns are first.
        more: A function that returns additional values for the text of pass k, by name.
        split: How threads share one transform, or None if each transform has one thread.
    """
    for at in reversed(range(len(plan.tiles.columns))):
        one, below = passes[at], partial(writer.call, f"columns_{at + 1}")
        bottom = at == len(plan.tiles.columns) - 1
        given = {
            "one": one, "last": one.depth + one.levels - 1, "offset": plan.offsets[at],
            "block_words": plan.block_words(at), "bottom": bottom, "lowest": bottom and plan.columns > 0,
            "span": plan.span(one), "next_columns": below, **more(at),
        }  # fmt: skip
        if split and at == 0:
            squares = squares_of(writer, plan.schedule) if plan.breakdown.natural else {}
            write_parts(writer, plan, split, given, squares)
        else:
            writer.write("columns", f"columns_{at}", **given)
    if not split:
        writer.write("transform")


def write_reorder(writer: ProgramWriter, plans: Iterable[DepthFirstTransform]) -> None:
    """Write the function reorder(y, x), if a transform has natural order and its threads do not reorder.

    Args:
        writer: The writer of the function.
        plans: The plans of the transforms.
    """
    for plan in [plan for plan in plans if plan.breakdown.natural and not plan.split][:1]:
        writer.write("reorder", "reorder", **squares_of(writer, plan.schedule))


def squares_of(writer: ProgramWriter, schedule: Schedule, blocks: int = 1) -> dict[str, int]:
    """Return the sizes of the squares in which the residues of a transform, or rows of a matrix, are bit-reversed.

    The result has the words of one element, the number of elements per side, its logarithm, and the logarithm
    of the number of squares.

    Args:
        writer: The writer of the functions that reorder.
        schedule: The schedule of the transform.
        blocks: The number of blocks of values that are reordered together.
    """
    n, run = schedule.breakdown.n * blocks, LINES * writer.target.first.line * 8 // writer.target.word
    log_n, size = n.bit_length() - 1, schedule.columns * writer.arith.words
    log_side = min(log_n // 2, max(1, run // size).bit_length() - 1)
    return {"size": size, "log_side": log_side, "side": 1 << log_side, "log_squares": log_n - 2 * log_side}
