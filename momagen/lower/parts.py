"""Depth-first transforms that several threads execute together.

The threads divide the columns of the first pass among themselves, and then the blocks below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from momagen.plan.schedule.depth_first.transform import DepthFirstTransform
from momagen.plan.schedule.tiles import Tiles

from .writer import PartWriter


class Split(NamedTuple):
    """How threads share a transform.

    Attributes:
        groups: The number of groups into which the columns of the first pass are divided. A thread processes
            whole groups.
        grain: The number of blocks below the first pass that form a group, which one thread processes.
        shared: The number of words of scratch memory that all threads share.
        each: The number of words of scratch memory of each thread.
        tile_words: The number of words at the end of a thread's scratch memory that hold tiles.
        rests: Whether residues are stored as words after the first pass. The scratch memory of a thread then
            begins with the limbs of one block.
    """

    groups: int
    grain: int = 1
    shared: int = 0
    each: int = 0
    tile_words: int = 0
    rests: int = 0


def grain_of(tiles: Tiles, together: int) -> int:
    """Return the number of blocks below the first pass that form a group, which one thread processes.

    Args:
        tiles: The passes of the transform.
        together: The number of blocks of the last pass that are processed together.
    """
    return together if len(tiles.columns) == 1 else 1


def phases_of(plan: DepthFirstTransform) -> list[str]:
    """Return the names of the phases of a transform, in order; all threads work on one phase at a time."""
    found = ["columns", *["below"] * (len(plan.tiles.passes) > 1), *["order"] * plan.breakdown.natural]
    return found[::-1] if plan.breakdown.inverse else found


def write_parts(
    writer: PartWriter, plan: DepthFirstTransform, split: Split, given: Mapping[str, object], squares: Mapping[str, int]
) -> None:
    """Write run(y, x, c, tables, t …, phase, part, parts) and the functions that it calls.

    Args:
        writer: The writer of the functions.
        plan: The plan of the transform.
        split: How threads share the transform.
        given: The values that the text of the first pass uses, by name.
        squares: The sizes of the squares in which residues are reordered; empty if the order of the transform
            is not natural.
    """
    phases = {f"{name}_phase": at for at, name in enumerate(phases_of(plan))}
    for name in ("columns_part", *["below_part"] * ("below_phase" in phases)):
        writer.write(name, name, **given)
    if squares:
        writer.write("reorder_part", "reorder_part", **squares)
    writer.write("run_parts", "run", **{**given, **split._asdict(), **phases, **squares})
