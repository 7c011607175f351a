"""The passes of transforms on reduced-radix limbs, as the nests of a schedule state them."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.kernels.flow.columns import Columns
from momagen.kernels.flow.layouts import LANES, USER
from momagen.plan.tiles import PassTiles

from .nests import NestSteps, nests_of
from .types import LIMB_MEMORY, Schedule, Step, TileBlocks

LOADED, STORED = {USER: "begin", LANES: "resume"}, {USER: "end", LANES: "rest"}
"""The conversions that load words or store them, by the layout of the words."""


@dataclass(frozen=True, kw_only=True)
class TilePass(PassTiles):
    """A pass with its loops and conversions.

    Attributes:
        half: The number of vectors of half a block in the widest level that a loop computes, or 0 if
            conversions compute all levels.
        fetch: The name of the conversion that loads rows into a tile, or "" if the levels load them.
        put: The name of the conversion that stores the rows of a tile, or "" if the levels store them.
        come: The number of words of a residue that is loaded.
        go: The number of words of a residue that is stored.
        given: Whether rows are loaded from the user's array.
        taken: Whether rows are stored to the user's array.
        prefetched: The number of words of the table of the rows that each butterfly of two vectors
            prefetches.
    """

    half: int
    fetch: str
    put: str
    come: int
    go: int
    given: bool
    taken: bool
    prefetched: int

    @property
    def butterflies(self) -> int:
        """The number of butterflies of two vectors in the loops over one tile."""
        return self.rows // 2 * self.half.bit_length()


def is_across(step: Step) -> bool:
    """Return whether the twiddles of a step differ by lane."""
    return not {*step.lanes}.isdisjoint(step.table.bits)


def tile_passes(schedule: Schedule, lanes: int, words: int, limbs: int) -> list[TilePass]:
    """Return the passes of a schedule in the order of the forward transform.

    Args:
        schedule: The schedule.
        lanes: The number of lanes of a vector.
        words: The number of words of a residue.
        limbs: The number of limbs of a residue.
    """
    return [_pass(schedule, each, lanes, (words, limbs)) for each in nests_of(schedule)]


def row_of(columns: Columns, lanes: int) -> int:
    """Return the number of residues of a row of a matrix between passes, or 0 if it has one column.

    Rows are padded to whole vectors.
    """
    return -(-columns.row // lanes) * lanes * (columns.row > 1)


def _pass(schedule: Schedule, own: NestSteps, lanes: int, units: tuple[int, int]) -> TilePass:
    """Return the pass of a nest.

    Args:
        schedule: The schedule.
        own: The nest.
        lanes: The number of lanes of a vector.
        units: The numbers of words and of limbs of a residue.
    """
    nest, depth, inverse = own.nest, len(own.nest.blocks), schedule.breakdown.inverse
    columns = own.computing[0].columns
    row = row_of(columns, lanes)
    across = sum(len(step.operands) for step in own.computing if is_across(step))
    levels = sum(len(step.operands) for step in own.computing) - across
    source, goal, below = own.edges[0], own.edges[-1], own.edges[0 if inverse else -1]
    fetch, put = "" if inverse and across else _fetch(own), "" if across and not inverse else _put(own)
    opened = (len(own.computing[0].operands), fetch == "first"), (len(own.computing[-1].operands), put == "last")
    given, taken = source.layout == USER, goal.layout == USER
    width, group = (1, nest.together) if across else (nest.together, 1)
    rests = below.memory != LIMB_MEMORY and below.layout != USER and not across
    come, go = (units[edge.layout not in (USER, LANES)] for edge in (source, goal))
    stride = (schedule.breakdown.n >> depth + levels) * max(row, 1)
    left = columns.row % lanes * (row > 0 and (given or taken))
    half = (1 << levels - sum(count for count, opens in opened if opens)) // 2
    return TilePass(
        depth=depth, levels=levels, stride=stride, width=width, rests=rests, group=group, across=across, left=left,
        half=half, fetch=fetch, put=put, come=come, go=go, given=given, taken=taken,
        prefetched=nest.prefetch if isinstance(nest, TileBlocks) else 0,
    )  # fmt: skip


def _fetch(own: NestSteps) -> str:
    """Return the name of the conversion that loads the rows of a nest into a tile, or "" if its levels load them."""
    source, goal, *_ = own.edges
    if isinstance(own.steps[0], Step):
        return "first" if source.layout == USER else ""
    same = (source.layout, source.least, source.below) == (goal.layout, goal.least, goal.below)
    return LOADED.get(source.layout, "copy" if same else "settle")


def _put(own: NestSteps) -> str:
    """Return the name of the conversion that stores the rows of a tile of a nest, or "" if its levels store them."""
    goal = own.edges[-1]
    if isinstance(own.steps[-1], Step):
        return "last" if goal.layout == USER else ""
    return STORED.get(goal.layout, "copy")
