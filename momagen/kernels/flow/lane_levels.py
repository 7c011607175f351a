"""Levels across lanes: the assignment of index bits to registers and lanes for each level.

A tile is 2^v vectors of 2^l lanes. The first v levels act on whole vectors. Then the highest index bits that
are in lanes are exchanged with bits of registers, as many at a time as there are register bits, until the
levels are done. The bits that remain in lanes are the bits that no level splits.
"""

from __future__ import annotations

from typing import NamedTuple

from .index_bits import Order

Wanted = list[list[tuple[int, int]]]
"""For every lane of every register, the register and the lane from which its element comes."""


class LaneLevels(NamedTuple):
    """Levels that are computed together, without an exchange of bits between them.

    Attributes:
        levels: The number of levels.
        done: The number of levels across lanes before them.
        order: The index bit at each position, lanes first.
        lanes: The binary logarithm of the number of lanes.
        vectors: The binary logarithm of the number of vectors of a tile.
    """

    levels: int
    done: int
    order: Order
    lanes: int
    vectors: int

    @property
    def copies(self) -> int:
        """The number of butterflies in a tile, each of which has separate constants."""
        return 1 << self.vectors - self.levels


def natural(lanes: int, vectors: int) -> Order:
    """Return the order in memory."""
    return tuple(range(lanes + vectors))


def lane_levels(lanes: int, vectors: int, across: int) -> list[LaneLevels]:
    """Return the groups of ``across`` levels across lanes, the first of which is on the highest bit of the lanes."""
    order, done, found = [*natural(lanes, vectors)], 0, list[LaneLevels]()
    for levels in _groups(across, vectors):
        for i in range(levels):
            lane, register = lanes - done - levels + i, lanes + vectors - levels + i
            order[lane], order[register] = order[register], order[lane]
        found.append(LaneLevels(levels, done, tuple(order), lanes, vectors))
        done += levels
    return found


def _groups(across: int, most: int) -> list[int]:
    """Return the numbers of levels of the groups.

    All groups except the last one have ``most`` levels, because register bits that stay would otherwise come
    between those of the lanes.
    """
    return [*[most] * (across // most), *[across % most] * (across % most > 0)]


def rearranged(old: Order, new: Order, lanes: int) -> Wanted:
    """Return where the element for every lane of every register in the order ``new`` is in the order ``old``."""

    def place(register: int, lane: int) -> tuple[int, int]:
        at = register << lanes | lane
        index = sum((at >> p & 1) << bit for p, bit in enumerate(new))
        found = sum((index >> bit & 1) << p for p, bit in enumerate(old))
        return found >> lanes, found & (1 << lanes) - 1

    return [[place(register, lane) for lane in range(1 << lanes)] for register in range(1 << len(new) - lanes)]
