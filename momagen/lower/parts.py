"""Depth-first transforms that threads do together: columns of the first pass, then the blocks below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from momagen.plan.depth_first import DepthFirstPlan
from momagen.plan.tiles import Tiles

from .writer import PartWriter


class Split(NamedTuple):
    """How threads share a transform.

    Attributes:
        shared, each: words of memory in which all work, and of that of every thread. tile_words: of the latter, those
            of tiles; before them, where the first pass ``rests``, stand digits of a block.
        groups: of columns that go together. grain: blocks below the first pass that go together.
    """

    groups: int
    grain: int = 1
    shared: int = 0
    each: int = 0
    tile_words: int = 0
    rests: int = 0


def grain_of(tiles: Tiles, together: int) -> int:
    """Blocks below the first pass that go together; ``together``: rows of all passes that do."""
    return together if len(tiles.columns) == 1 else 1


def phases_of(plan: DepthFirstPlan) -> list[str]:
    """What threads do at the same time, phase by phase."""
    found = ["columns", *["below"] * (len(plan.tiles.passes) > 1), *["order"] * (plan.spec.order == "natural")]
    return found[::-1] if plan.spec.inverse else found


def write_parts(
    writer: PartWriter, plan: DepthFirstPlan, split: Split, given: Mapping[str, object], squares: Mapping[str, int]
) -> None:
    """run(y, x, c, tables, t …, phase, part, parts), and what it calls.

    Args:
        given: what the text knows of the first pass. squares: of an order from which, or to which, residues go.
    """
    phases = {f"{name}_phase": at for at, name in enumerate(phases_of(plan))}
    for name in ("columns_part", *["below_part"] * ("below_phase" in phases)):
        writer.write(name, name, **given)
    if squares:
        writer.write("reorder_part", "reorder_part", **squares)
    writer.write("run_parts", "run", **{**given, **split._asdict(), **phases, **squares})
