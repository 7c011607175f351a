"""The steps of a schedule for arrays: the axes that each step sees, and the transpositions of arrays.

Memory contains the elements in the order of some permutation of their index bits, the last bit varying
fastest. A step replaces elements where they are; only moves transpose the array.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from .types import Bits, Schedule, Step


@dataclass(frozen=True)
class ArrayPass:
    """A step over an array.

    Attributes:
        done: The step.
        bits: The index bits in the order of memory, the slowest first, both before and after the step.
        moved: The order of bits into which the array is transposed first, or None if it is not transposed.
    """

    done: Step
    bits: Bits
    moved: Bits | None = None

    @property
    def axes(self) -> list[Bits]:
        """The bits of each axis of the array, the slowest axis first.

        Neighbouring bits share an axis if they have the same role: they number butterfly inputs or not, and
        choose twiddles or not.
        """
        legs, read = set(self.done.operands), set(self.done.table.bits)
        kinds = ((bit, (bit in legs, bit in read)) for bit in self.bits)
        return [tuple(bit for bit, _ in some) for _, some in groupby(kinds, key=lambda pair: pair[1])]

    @property
    def shape(self) -> list[int]:
        """The shape of the array: the length of each axis."""
        return [1 << len(bits) for bits in self.axes]

    @property
    def leg_axis(self) -> int:
        """The index of the axis of the butterfly inputs.

        There is one such axis, because data flows and transpositions leave the bits of the inputs next to
        each other.
        """
        return next(at for at, bits in enumerate(self.axes) if {*bits} == {*self.done.operands})

    def place(self, leg: int) -> int:
        """Return the index of a butterfly input along the axis of the inputs."""
        legs, bits = self.done.operands, self.axes[self.leg_axis]
        return sum((leg >> legs.index(bit) & 1) << at for at, bit in enumerate(reversed(bits)))

    @property
    def table_shape(self) -> list[int]:
        """The shape with which the table is broadcast to the array without the axis of the butterfly inputs."""
        read, legs = set(self.done.table.bits), set(self.done.operands)
        kept = [bits for bits in self.axes if not legs & {*bits}]
        return [1 << len(bits) if read & {*bits} else 1 for bits in kept]


def array_passes(schedule: Schedule) -> Iterator[ArrayPass | Bits]:
    """Yield the steps, and at the end the order of bits of the last transposition if the result is in another order."""
    moved: Bits | None = None
    for step, source, goal in zip(schedule.steps, schedule.edges, schedule.edges[1:], strict=False):
        if isinstance(step, Step):
            yield ArrayPass(step, source.order[::-1], moved)
            moved = None
        else:
            moved = order_of(source.order[::-1], goal.order[::-1])
    if moved:
        yield moved


def transposition(order: Bits) -> tuple[list[int], list[int]]:
    """Return the shape and the permutation of axes by which an array is transposed.

    Bits that stay next to each other share an axis.

    Args:
        order: For each bit of the result, the slowest first, the index of the bit in the operand.

    Returns:
        The length of each axis of the operand.
        For each axis of the result, the index of the axis of the operand.
    """
    runs = list[list[int]]()
    for bit in order:
        if runs and runs[-1][-1] + 1 == bit:
            runs[-1].append(bit)
        else:
            runs.append([bit])
    places = sorted(range(len(runs)), key=lambda at: runs[at][0])
    return [1 << len(runs[at]) for at in places], [places.index(at) for at in range(len(runs))]


def interleavings(order: Bits, most: int) -> list[tuple[int, int, int]]:
    """Return a transposition as a sequence of moves that interleave an array.

    Each move views the array with three axes, and moves the middle axis to the end.

    Args:
        order: For each bit of the result, the slowest first, the index of the bit in the operand.
        most: The largest number of bits of the middle axis.

    Returns:
        The lengths of the three axes for each move.
    """
    left, found = [*range(len(order))], list[tuple[int, int, int]]()
    start = next((at for at in range(1, len(order)) if order[at] < order[at - 1]), len(order))
    while start < len(order):
        place = left.index(order[start])
        size = next(s for s in range(most, 0, -1) if order[start : start + s] == (*left[place : place + s],))
        found.append((1 << place, 1 << size, 1 << len(order) - place - size))
        left = [*left[:place], *left[place + size :], *left[place : place + size]]
        start += size
    return found


def order_of(bits: Bits, wanted: Bits) -> Bits:
    """Return the index in ``bits`` of each wanted bit."""
    return tuple(bits.index(bit) for bit in wanted)
