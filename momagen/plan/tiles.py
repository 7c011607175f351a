"""Cache blocking: passes of several levels on tiles, which are rows of vectors that fit the first-level cache.

Ring splitting has log2 n levels; level d splits 2^d factors, and factor i at depth d is split by a power of
the root. A tile of a pass over *columns* consists of ``rows`` vectors of neighbouring elements, one stride
apart. The last six levels (for eight lanes) work on tiles of 64 consecutive elements: three levels before a
transposition of 8 × 8 elements, and three after it. Passes run depth first: all levels below one block are
computed before the next block. From the first block on that fits the second-level cache, data does not return
to memory until its levels are done.

The transform of every column of a matrix consists of the first levels of one transform of all residues, row
after row. It has passes over columns only, and the last one has a stride of one row.
"""

from __future__ import annotations

from momagen.targets import Memory, Target

from .schedule.tiles import PassTiles, Tiles

LARGEST = 6
"""The largest number of levels of a pass over columns."""
LINES = 16
"""The largest number of cache lines that neighbouring tiles fetch together from one row."""
SHARE = 2
"""One register in ``SHARE`` holds a value; the others hold products and constants."""


def tile_bytes(first: Memory) -> int:
    """Return the largest size of a tile in bytes: half of the first-level cache.

    The other half is for constants and for prefetched data.

    Args:
        first: The first-level cache.
    """
    return first.bytes // 2


def fits(n: int, lanes: int, columns: int = 1) -> bool:
    """Return whether the data is large enough for cache-blocked passes.

    One transform of n points must fill at least one tile of rows, of lanes² elements. Columns of a matrix
    need not; but if they are fewer than the lanes and a power of two, they share vectors with other rows on
    full-radix limbs, which wastes no lane.

    Args:
        n: The number of points.
        lanes: The number of lanes of a vector.
        columns: The number of columns.
    """
    return lanes > 1 and (columns >= lanes or columns & (columns - 1) > 0 or (columns == 1 and n >= lanes * lanes))


def few(columns: int, lanes: int) -> bool:
    """Return whether columns share vectors with other rows: whether they are a power of two below the number of lanes.

    The levels across lanes then end before the elements of one row are separated.
    """
    return columns < lanes and not columns & columns - 1


def ragged(n: int, columns: int, lanes: int) -> int:
    """Return the number of the last levels of every column whose strides are not a multiple of ``lanes``.

    It is 0 if the length of a row is a multiple.
    """
    return min(n, max(1, lanes // (columns & -columns))).bit_length() - 1


def parts(levels: int, most: int, first: int = 0) -> list[int]:
    """Return ``levels`` as a sum of as few nearly equal parts as possible, the longest ones first.

    Args:
        levels: The number of levels.
        most: The largest part.
        first: The largest first part, if it is larger than ``most`` and this saves a part; or 0.
    """
    count, found = (levels > 0) + -(-max(levels - max(first, most), 0) // most), list[int]()
    for left in range(count, 0, -1):
        rest = levels - sum(found)
        found.append(max(-(-rest // left), rest - most * (left - 1)))
    return found


def width(vectors: int, vector: int, levels: int, target: Target) -> int:
    """Return the number of neighbouring tiles that are loaded together, a power of two.

    It is larger than 1 if a block fills a quarter of the second-level cache. Rows at a distance of a power of
    two then share a few sets of every cache, so the rest of the lines that one tile fetches would be evicted
    before the next tile uses it. The tiles fill at most two first-level caches.

    Args:
        vectors: The number of vectors of a row.
        vector: The size of a vector in bytes.
        levels: The number of levels; a tile has 2^levels rows.
        target: The target, which states the caches.
    """
    first, second = target.first, target.second
    if vectors * vector << levels < second.bytes // 4:
        return 1
    most = min(vectors, LINES * first.line // vector, 2 * first.bytes // vector >> levels)
    return 1 << max(1, most).bit_length() - 1


def tiles(
    n: int, target: Target, vector: int, most: int = LARGEST, group: int = 0, rest: int = 0, opening: int = 0,
    row: int = 0,
) -> Tiles:  # fmt: skip
    """Return the passes for n points: the fewest that the first-level cache allows, with nearly equal levels.

    Args:
        n: The number of points, a power of two.
        target: The target, which states the caches and the lanes.
        vector: The size in bytes of a vector of residues.
        most: The largest number of levels of a pass over columns.
        group: The largest number of blocks of the last pass that are processed together, a power of two; 0:
            the number that the cache allows.
        rest: The size of a block in bytes from which on residues are stored as words; 0: never.
        opening: The largest number of levels of the first pass over columns, if it may exceed ``most``; or 0.
        row: The number of residues of a row of the matrix whose columns are transformed, or 0 without a
            matrix.
    """
    lanes, fitting = target.lanes, (tile_bytes(target.first) // vector).bit_length() - 1
    whole = 0 if row else lanes.bit_length() - 1
    columns, depth, bottom = list[PassTiles](), 0, row or lanes << whole
    for each in parts(n.bit_length() - 1 - 2 * whole, max(2, min(most, fitting)), min(opening, fitting)):
        stride = (n >> depth + each) * max(1, row)
        rests, left = stride > bottom and 0 < rest <= (stride << each) // lanes * vector, stride % lanes
        vectors = stride // lanes
        side = 1 if left else min(width(vectors, vector, each, target), vectors & -vectors)
        columns.append(PassTiles(depth, each, stride, side, rests, left=left))
        depth += each
    largest = columns[-1].levels if columns else 0
    together = group.bit_length() - 1 if group else max(0, min(2, fitting - whole))
    ends = PassTiles(depth, whole, lanes, group=1 << min(largest, together), across=whole)
    return Tiles(n, lanes, tuple(columns), ends, row)


def radix_levels(registers: int) -> int:
    """Return the largest number of levels of a step, whose values fill the registers that hold values."""
    return (registers // SHARE).bit_length() - 1


def tile_levels(target: Target) -> int:
    """Return the largest number of levels of a pass over columns whose tile of vectors fits the first-level cache."""
    return (tile_bytes(target.first) * 8 // (target.lanes * target.word)).bit_length() - 1


def step_passes(levels: int, target: Target) -> list[int]:
    """Return the numbers of levels of the passes over columns.

    A single pass has at most the levels for which a tile fits the cache. The last of several passes has one
    level fewer, and each pass before it is one step, of the largest number of levels that the registers allow
    or one fewer.

    Args:
        levels: The number of levels of all passes over columns.
        target: The target, which states the registers, the lanes and the cache.
    """
    whole = tile_levels(target)
    if levels <= whole:
        return [levels] * (levels > 0)
    most = max(radix_levels(target.registers), 2)
    above = levels - (whole - 1)
    above = min(levels, max(above, (most - 1) * -(-above // most)))
    return [*parts(above, most), *[levels - above] * (above < levels)]
