"""Plans of transforms on arrays: the axes that each pass sees, and the transpositions of arrays.

Memory contains the elements in the order of some permutation of their index bits, the last bit varying
fastest. If a pass loads and stores in another order, the bits are renamed, and no element moves. An array is
transposed before a pass whose butterflies leave fewer than ``minor`` elements in the last axis, and at the
end into the user's order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from momagen.kernels.flow.index_bits import inverted

from .schedule.types import Bits, Schedule, Step
from .tree import AXIS, LEG, PlannedPass
from .word_plan import WordPlan

RADIX = 2
"""The default radix. A compiler of arrays turns each pass into a loop, and larger radices were not faster on
CPUs."""
ARRAY = "array"


@dataclass(frozen=True)
class ArrayPlan(WordPlan):
    """A plan of one transform whose passes are operations on whole arrays."""

    @property
    def radix(self) -> int:
        """The largest radix of a pass, at most n."""
        return min(self.spec.options.radix or RADIX, self.spec.n)

    @property
    def why(self) -> str:
        """The property of the machine that determines the transpositions."""
        return f"axes      transposed if the last axis is shorter than {self.target.minor}"

    @cached_property
    def passes(self) -> list[ArrayPass | Bits]:
        """The passes, followed by the order of bits of the last transposition if the result is in another order."""
        return [*array_passes(self.schedule, max(1, self.target.minor // self.spec.columns))]

    def planned(self) -> list[PlannedPass]:
        """Return the passes in the order of execution."""
        return [self._planned(each) for each in self.passes]

    def _planned(self, each: ArrayPass | Bits) -> PlannedPass:
        """Return the description of a pass, or of a transposition."""
        if not isinstance(each, ArrayPass):
            return PlannedPass("", ARRAY, ARRAY, note="transposes")
        legs, entries = set(each.done.operands), each.done.entries
        bits = "".join(LEG if bit in legs else AXIS for bit in each.bits)
        note = "transposed first" * (each.moved is not None)
        return PlannedPass(bits, ARRAY, ARRAY, (len(legs),), entries, entries * self.arith.twiddle_words, note=note)


@dataclass(frozen=True)
class ArrayPass:
    """A pass over an array.

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

    def table(self) -> tuple[Bits, list[int]]:
        """Return the order and the shape of the table of twiddles.

        Returns:
            The bits on which twiddles depend, in the order of the table.
            The shape with which the table is broadcast to the array without the axis of the butterfly inputs.
        """
        read, legs = set(self.done.table.bits), set(self.done.operands)
        kept = [bits for bits in self.axes if not legs & {*bits}]
        return tuple(bit for bits in kept for bit in bits if bit in read), [
            1 << len(bits) if read & {*bits} else 1 for bits in kept
        ]


def array_passes(schedule: Schedule, minor: int) -> Iterator[ArrayPass | Bits]:
    """Yield the passes, and at the end the order of bits of the last transposition if the result is in another order.

    Args:
        schedule: The steps of the transform. Where elements only change addresses, no element moves.
        minor: The number of elements that the last axis of a pass should have.
    """
    steps = [step for step in schedule.steps if isinstance(step, Step)]
    memory = tuple(reversed(schedule.edges[0].addresses))
    for at, step in enumerate(steps):
        better = _better(memory, steps[at:], minor)
        yield ArrayPass(step, better or memory, better and _order(memory, better))
        memory = better or memory
    result = inverted(schedule.edges[-1].addresses)[::-1]
    if memory != result:
        yield _order(memory, result)


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


def _order(bits: Bits, wanted: Bits) -> Bits:
    """Return the index in ``bits`` of each wanted bit."""
    return tuple(bits.index(bit) for bit in wanted)


def _better(bits: Bits, left: Sequence[Step], minor: int) -> Bits | None:
    """Return another order of bits for a pass whose last axis is short, or None.

    In this order, the bits that no remaining step transforms are last, if this makes the last axis longer.

    Args:
        bits: The bits in the order of memory.
        left: The remaining steps, the next one first.
        minor: The number of elements from which on the last axis is long enough.
    """
    run = next((at for at, bit in enumerate(reversed(bits)) if bit in left[0].operands), len(bits))
    late = {bit for each in left for bit in each.operands}
    last = tuple(bit for bit in bits if bit not in late)
    if 1 << run >= minor or len(last) <= run:
        return None
    return (*(bit for bit in bits if bit in late), *last)
