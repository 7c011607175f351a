"""The passes of transforms on reduced-radix limbs, as the nests of a schedule state them."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.kernels.flow.columns import Columns
from momagen.kernels.flow.layouts import LANES, USER

from .nests import NestSteps, nests_of
from .types import LIMB_MEMORY, Schedule, Step, TileBlocks

LOADED, STORED = {USER: "begin", LANES: "resume"}, {USER: "end", LANES: "rest"}
"""The conversions that load words or store them, by the layout of the words."""


@dataclass(frozen=True)
class PassTiles:
    """A pass over 2^depth blocks of rows · stride elements each, in tiles of one vector from every row.

    Attributes:
        depth: The number of levels before the pass.
        levels: The number of levels of the pass; in the last pass, of those on whole vectors.
        stride: The number of residues from one row of a block to the next.
        width: The number of neighbouring tiles that are loaded together and stored together.
        rests: Whether residues are stored as words in the user's array between this pass and the next one
            below it; otherwise they are stored as limbs.
        group: The number of blocks that are processed together, so that loops are long enough.
        across: The number of levels across lanes, which only the last pass has.
        left: The number of residues of a stride that do not fill a vector.
    """

    depth: int
    levels: int
    stride: int
    width: int = 1
    rests: bool = False
    group: int = 1
    across: int = 0
    left: int = 0

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return 1 << self.depth

    @property
    def rows(self) -> int:
        """The number of vectors of a tile."""
        return 1 << self.levels

    @property
    def vectors(self) -> int:
        """The number of rows of all blocks that are processed together."""
        return self.group * self.rows


@dataclass(frozen=True)
class Tiles:
    """The passes of one transform in the order of the forward transform.

    Passes over columns come first. The last pass is over rows of lanes² elements, unless the plan states
    other numbers of levels: it has log2 lanes levels on whole vectors and the same number across lanes.
    Transforms of the columns of a matrix have no pass over rows.

    Attributes:
        n: The number of points.
        lanes: The number of lanes of a vector.
        columns: The passes over columns.
        rows: The pass over rows, which is not used if it has no levels across lanes.
        row: The number of residues from one row of the matrix to the next between passes, or 0 without a
            matrix.
    """

    n: int
    lanes: int
    columns: tuple[PassTiles, ...]
    rows: PassTiles
    row: int = 0

    @property
    def passes(self) -> list[PassTiles]:
        """The passes over columns, and the pass over rows if it has levels across lanes."""
        return [*self.columns, *[self.rows] * (self.rows.across > 0)]

    @property
    def room(self) -> int:
        """The number of residues that are stored as limbs between passes.

        They are one block below the last pass that stores words, or all residues if no pass stores words.
        """
        return min((one.stride for one in self.columns if one.rests), default=self.n * max(1, self.row))


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
