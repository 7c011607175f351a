"""The rectangles of a schedule: vectors that registers hold from the first load to the last store of a nest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .types import Bits, Edge, Move, Rectangles, Schedule, Step


class HeldBits(NamedTuple):
    """The index bits of the vectors that registers hold.

    Attributes:
        lanes: The index bits of the lanes, the lowest first.
        wires: The index bits of a vector's number, the lowest first.
    """

    lanes: Bits
    wires: Bits

    @property
    def order(self) -> Bits:
        """The order of an edge in registers."""
        return (*self.lanes, *self.wires)

    def unpacked(self, at: int) -> HeldBits:
        """Return the index bits after an unpack.

        Bit ``at`` of a vector's number becomes the lowest bit of the lanes, and their highest bit replaces it.
        """
        wires = (*self.wires[:at], self.lanes[-1], *self.wires[at + 1 :])
        return HeldBits((self.wires[at], *self.lanes[:-1]), wires)

    def unpacks(self, edge: Edge) -> list[int]:
        """Return the places of bits whose unpack leaves the lanes next to each other in the order of an edge."""
        return [at for at in range(len(self.wires)) if starts(edge.order, self.unpacked(at).lanes)]


class RectangleSteps(NamedTuple):
    """The steps of a nest in the order of the forward transform.

    Attributes:
        blocks: The index bits that number the rectangles.
        numbers: The number of each step in the schedule.
        steps: The steps.
        places: The number of each edge before, between and after the steps.
        edges: These edges.
    """

    blocks: Bits
    numbers: range
    steps: tuple[Step | Move, ...]
    places: range
    edges: tuple[Edge, ...]

    def loaded(self, lanes: int) -> HeldBits:
        """Return the index bits of the vectors that are loaded, in which neighbouring elements are lanes."""
        width, order = lanes.bit_length() - 1, self.edges[0].order
        return HeldBits(order[:width], tuple(bit for bit in order[width:] if bit not in self.blocks))


def rectangle_steps(schedule: Schedule) -> Iterator[RectangleSteps]:
    """Yield the steps of each nest, the nests in the order of execution."""
    first, turn = 0, slice(None, None, -1 if schedule.breakdown.inverse else 1)
    for nest in schedule.nests:
        assert isinstance(nest, Rectangles), "the check of schedules refuses other nests"
        numbers, places = range(first, first + nest.steps)[turn], range(first, first + nest.steps + 1)[turn]
        steps = tuple(schedule.steps[at] for at in numbers)
        yield RectangleSteps(nest.blocks, numbers, steps, places, tuple(schedule.edges[at] for at in places))
        first += nest.steps


def starts(order: Bits, lanes: Bits) -> bool:
    """Return whether the bits of lanes are next to each other in an order."""
    at = order.index(lanes[0]) if lanes[0] in order else 0
    return order[at : at + len(lanes)] == lanes
