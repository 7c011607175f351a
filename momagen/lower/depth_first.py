"""Depth-first passes of a transform: functions for the columns of a block with all levels below, and for the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from momagen.plan.depth_first import DepthFirstPlan
from momagen.plan.tiles import PassTiles

from .parts import Split, write_parts
from .writer import PartWriter, ProgramWriter

LINES = 4
"""Of the first cache, that are read and written in one go between two orders."""


def known(plan: DepthFirstPlan) -> dict[str, object]:
    """What the text of its functions knows of a plan."""
    spec = plan.spec
    return {
        "plan": plan, "inverse": spec.inverse, "natural": spec.order == "natural", "lanes": plan.lanes,
        "columns": len(plan.tiles.columns), "length": spec.n * spec.arith.words, "levels": sum(plan.steps(-1)),
        "row_offset": plan.offsets[-1], "row_words": plan.block_words(-1),
    }  # fmt: skip


def write_passes(
    writer: PartWriter, plan: DepthFirstPlan, passes: Sequence[PassTiles], more: Callable[[int], Mapping[str, object]],
    split: Split | None = None,
) -> None:  # fmt: skip
    """columns_k(y, …, c, tables, b), the one of the smallest blocks first; transform(y, …, x, c, tables), or for
    threads run(y, x, c, tables, t …, phase, part, parts) in the place of columns_0 and of that.

    Args:
        passes: over columns first. more: what the text knows of pass k beside its plan. split: what it does of threads.
    """
    for at in reversed(range(len(plan.tiles.columns))):
        one, below = passes[at], partial(writer.call, f"columns_{at + 1}")
        given = {
            "one": one, "last": one.depth + one.levels - 1, "offset": plan.offsets[at],
            "block_words": plan.block_words(at), "bottom": at == len(plan.tiles.columns) - 1, "next_columns": below,
            **more(at),
        }  # fmt: skip
        if split and at == 0:
            write_parts(writer, split, given, squares_of(writer))
        else:
            writer.write("columns", f"columns_{at}", **given)
    if not split:
        writer.write("transform")


def write_reorder(writer: ProgramWriter) -> None:
    """reorder(y, x), where the order of a transform asks for it."""
    if not writer.spec.split and (squares := squares_of(writer)):
        writer.write("reorder", "reorder", **squares)


def squares_of(writer: ProgramWriter) -> dict[str, int]:
    """The squares by which residues go from one order to another, where they do."""
    if writer.spec.order != "natural":
        return {}
    log_n, run = writer.spec.n.bit_length() - 1, LINES * writer.target.first.line * 8 // writer.target.word
    log_side = min(log_n // 2, max(1, run // writer.arith.words).bit_length() - 1)
    return {"log_side": log_side, "side": 1 << log_side, "log_squares": log_n - 2 * log_side}
