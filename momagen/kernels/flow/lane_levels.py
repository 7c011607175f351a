"""Levels across lanes: which index bits stand in registers for them, and which in lanes.

A tile is 2^v vectors of 2^l lanes. The first v levels are on whole vectors. Then the top index bits that stand in lanes
change places with those of registers, as many at once as there are registers for, until the levels are done; what is
left of lanes are bits that no level splits.
"""

from __future__ import annotations

from typing import NamedTuple

from .index_bits import Order

Wanted = list[list[tuple[int, int]]]


class LaneLevels(NamedTuple):
    """Levels that are done at once.

    Attributes:
        levels: so many. done: levels across lanes before them. order: the index bit that stands at each position, lanes
            first. lanes, vectors: logarithms of those of a tile.
    """

    levels: int
    done: int
    order: Order
    lanes: int
    vectors: int

    @property
    def copies(self) -> int:
        """Butterflies side by side, each with constants of its own."""
        return 1 << self.vectors - self.levels

    def nodes(self, tiles: int) -> list[int]:
        """By how much each bit of the number of an entry moves its node on: lanes first, then copies, then ``tiles``, a
        power of two."""
        fixed = self.lanes - self.done - self.levels  # lanes whose bits are split later, or never
        copies = self.vectors - self.levels
        lanes = [0] * fixed + [1 << copies + i for i in range(self.lanes - fixed)]
        above = self.vectors + self.done
        return [*lanes, *(1 << i for i in range(copies)), *(1 << above + i for i in range(tiles.bit_length() - 1))]


def natural(lanes: int, vectors: int) -> Order:
    """The order in memory."""
    return tuple(range(lanes + vectors))


def lane_levels(lanes: int, vectors: int, across: int) -> list[LaneLevels]:
    """``across`` levels, the first on the top bit of the lanes."""
    order, done, found = [*natural(lanes, vectors)], 0, list[LaneLevels]()
    for levels in _groups(across, vectors):
        for i in range(levels):
            lane, register = lanes - done - levels + i, lanes + vectors - levels + i
            order[lane], order[register] = order[register], order[lane]
        found.append(LaneLevels(levels, done, tuple(order), lanes, vectors))
        done += levels
    return found


def _groups(across: int, most: int) -> list[int]:
    """All of ``most`` levels but for the last one: register bits that stay would come between those of the lanes."""
    return [*[most] * (across // most), *[across % most] * (across % most > 0)]


def rearranged(old: Order, new: Order, lanes: int) -> Wanted:
    """For every lane of every register in the order ``new``, where its element stands in the order ``old``."""

    def place(register: int, lane: int) -> tuple[int, int]:
        at = register << lanes | lane
        index = sum((at >> p & 1) << bit for p, bit in enumerate(new))
        found = sum((index >> bit & 1) << p for p, bit in enumerate(old))
        return found >> lanes, found & (1 << lanes) - 1

    return [[place(register, lane) for lane in range(1 << lanes)] for register in range(1 << len(new) - lanes)]
