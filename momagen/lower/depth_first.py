"""Depth-first passes of a transform: functions for the columns of a block with all levels below, and for the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
        "columns": len(plan.tiles.columns), "length": spec.elements * spec.arith.words, "levels": sum(plan.steps(-1)),
        "height": plan.tiles.rows.rows, "matrix": plan.columns, "row": plan.tiles.row,
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
        bottom = at == len(plan.tiles.columns) - 1
        given = {
            "one": one, "last": one.depth + one.levels - 1, "offset": plan.offsets[at],
            "block_words": plan.block_words(at), "bottom": bottom, "lowest": bottom and plan.columns > 0,
            "span": plan.span(one), "next_columns": below, **more(at),
        }  # fmt: skip
        if split and at == 0:
            squares = squares_of(writer, plan.spec.n) if plan.spec.order == "natural" else {}
            write_parts(writer, plan, split, given, squares)
        else:
            writer.write("columns", f"columns_{at}", **given)
    if not split:
        writer.write("transform")


def write_reorder(writer: ProgramWriter, plans: Iterable[DepthFirstPlan] = (), called: str = "reorder") -> None:
    """reorder(y, x), where the order of a transform asks for it; without ``plans`` of a result, as ``called``."""
    natural = [plan.spec.n for plan in plans if plan.spec.order == "natural" and not plan.split]
    for n in natural[:1] if called == "reorder" else [writer.spec.n * writer.spec.blowup]:
        writer.write("reorder", called, **squares_of(writer, n))


def squares_of(writer: ProgramWriter, n: int) -> dict[str, int]:
    """The squares by which n residues, or rows of a matrix, go from one order to another."""
    log_n, run = n.bit_length() - 1, LINES * writer.target.first.line * 8 // writer.target.word
    size = writer.spec.columns * writer.arith.words
    log_side = min(log_n // 2, max(1, run // size).bit_length() - 1)
    return {"size": size, "log_side": log_side, "side": 1 << log_side, "log_squares": log_n - 2 * log_side}
