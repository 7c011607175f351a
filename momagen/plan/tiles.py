"""Cache blocking: each pass does several levels on tiles, rows of vectors that stay in the first cache.

Ring splitting has log2 n levels; level d splits 2^d factors, number i of them at depth d by a power of the root. A
*column* tile is ``rows`` vectors of neighbouring elements a stride apart; the last six levels work on tiles of 64
consecutive elements, three levels before and three after an 8 × 8 turn. Passes go depth first, all below one block
before the next block: from the first block on that the second cache holds, data crosses memory no more.

The transform of every column of a matrix is the first levels of one transform of all its residues, row after row: with
passes over columns alone, the last of which has strides of one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from momagen.targets import Memory, Target

LARGEST = 6
"""Levels of a column tile at most, and digits between two carries."""
LINES = 16
"""The most cache lines of one row of tiles that are fetched together."""


def tile_bytes(first: Memory) -> int:
    """The most bytes of a tile: half of the first cache. The other half is for constants and for prefetched data."""
    return first.bytes // 2


@dataclass(frozen=True)
class PassTiles:
    """``blocks`` = 2^depth factors, each rows · stride elements; a tile is one vector of every row.

    Attributes:
        width: tiles side by side that are fetched together, and put back together.
        rests: whether residues between this pass and the next one below are words in the user's array, else digits.
        group: blocks that go together, so that loops are long enough.
        across: levels across lanes, beside those on whole vectors: of the last pass.
        left: of a stride, the residues that fill no vector.
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
        return 1 << self.depth

    @property
    def rows(self) -> int:
        return 1 << self.levels

    @property
    def vectors(self) -> int:
        """Rows of all blocks that go together."""
        return self.group * self.rows


@dataclass(frozen=True)
class Tiles:
    """The passes of one transform in the order in which the forward one takes them: over columns, then over rows of
    lanes² elements, log2 lanes levels on whole vectors and as many across lanes; of matrices none over rows.

    Attributes:
        rows: levels of the last pass on whole vectors and across lanes; (0, 0): log2 lanes each.
        row: residues of a row of the matrix, as it is kept between passes; 0: of one transform.
    """

    n: int
    lanes: int
    columns: tuple[PassTiles, ...]
    rows: PassTiles
    row: int = 0

    @property
    def passes(self) -> list[PassTiles]:
        """Those over columns, and that over rows, if it has levels."""
        return [*self.columns, *[self.rows] * (self.rows.across > 0)]

    @property
    def room(self) -> int:
        """Residues stored as digits between passes: all below the last pass that stores words."""
        return min((one.stride for one in self.columns if one.rests), default=self.n * max(1, self.row))


def fits(n: int, lanes: int, columns: int = 1) -> bool:
    """Whether n points fill at least one tile of rows. ``columns`` of a matrix need none; but fewer than lanes, if they
    are a power of two, share vectors with other rows on whole words, which wastes no lane."""
    return lanes > 1 and (columns >= lanes or columns & (columns - 1) > 0 or (columns == 1 and n >= lanes * lanes))


def few(columns: int, lanes: int) -> bool:
    """Whether columns are a power of two and fewer than lanes, so that levels across lanes end before all is split."""
    return columns < lanes and not columns & columns - 1


def ragged(n: int, columns: int, lanes: int) -> int:
    """The last levels of every column, whose strides are no multiple of ``lanes``: 0 where one row is."""
    return min(n, max(1, lanes // (columns & -columns))).bit_length() - 1


def parts(levels: int, most: int, first: int = 0) -> list[int]:
    """``levels`` in as few parts of at most ``most`` as there may be, nearly equal, long ones first; the first one may
    have ``first``, where that saves a part."""
    count, found = (levels > 0) + -(-max(levels - max(first, most), 0) // most), list[int]()
    for left in range(count, 0, -1):
        rest = levels - sum(found)
        found.append(max(-(-rest // left), rest - most * (left - 1)))
    return found


def width(vectors: int, vector: int, levels: int, target: Target) -> int:
    """How many tiles of 2^levels rows go side by side, a power of two; a row has ``vectors`` of ``vector`` bytes.

    Several, where a block fills a quarter of the second cache: rows a power of two apart share a few sets of every
    cache, and what one column fetches beside its own is gone when the next one asks for it. Their tiles fill two first
    caches at most.
    """
    first, second = target.first, target.second
    if vectors * vector << levels < second.bytes // 4:
        return 1
    most = min(vectors, LINES * first.line // vector, 2 * first.bytes // vector >> levels)
    return 1 << max(1, most).bit_length() - 1


def tiles(
    n: int, target: Target, vector: int, most: int = LARGEST, group: int = 0, rest: int = 0,
    levels: Sequence[int] | None = None, opening: int = 0, row: int = 0, rows: tuple[int, int] = (0, 0),
) -> Tiles:  # fmt: skip
    """The passes for n points in vectors of ``vector`` bytes: as few as the target's first cache allows, nearly equal.

    Args:
        most: levels of a column pass at most.
        group: blocks of the last pass that go together, a power of two, where there are so many; 0: what the cache
            allows.
        rest: bytes of a block from which on residues rest in words; 0: they never do.
        levels: those of every column pass, where they are known.
        opening: levels of the first column pass at most, where it may have more.
        row: residues of a row of the matrix, of which every column is transformed; 0: there is none.
    """
    lanes, fitting = target.lanes, (tile_bytes(target.first) // vector).bit_length() - 1
    whole, across = rows if any(rows) else (lanes.bit_length() - 1,) * 2
    whole, across, last, bottom = (0, 0, 0, row) if row else (whole, across, whole + across, lanes << whole)
    columns, depth = list[PassTiles](), 0
    if levels is None:
        levels = parts(n.bit_length() - 1 - last, max(2, min(most, fitting)), min(opening, fitting))
    for each in levels:
        stride = (n >> depth + each) * max(1, row)
        rests, left = stride > bottom and 0 < rest <= (stride << each) // lanes * vector, stride % lanes
        vectors = stride // lanes
        side = 1 if left else min(width(vectors, vector, each, target), vectors & -vectors)
        columns.append(PassTiles(depth, each, stride, side, rests, left=left))
        depth += each
    largest = columns[-1].levels if columns else 0
    together = group.bit_length() - 1 if group else max(0, min(2, fitting - last // 2))
    ends = PassTiles(depth, whole, lanes, group=1 << min(largest, together), across=across)
    return Tiles(n, lanes, tuple(columns), ends, row)
