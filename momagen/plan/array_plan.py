"""Plans of transforms on arrays: which axes a pass sees, and when an array is transposed.

Memory holds elements in the order of some bits of their index, the last one fastest. Where a pass reads and writes in
another order, the bits get other names and nothing moves. An array is transposed before a pass whose butterflies leave
fewer than ``minor`` elements in the last axis, and at the end into the order that the caller sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from momagen.kernels.flow.data_flow import Move
from momagen.kernels.flow.index_bits import inverted
from momagen.kernels.flow.ntt_flow import Flow, Pass

from .tree import AXIS, LEG, PlannedPass
from .word_plan import WordPlan

Bits = tuple[int, ...]
"""Bits of an index in the order of memory, the slowest first."""

RADIX = 2
"""Where nothing is said: a compiler of arrays makes a loop of each pass, and larger ones were no quicker on CPUs."""
ARRAY = "array"


@dataclass(frozen=True)
class ArrayPlan(WordPlan):
    """The plan of one transform whose passes are operations on whole arrays."""

    @property
    def radix(self) -> int:
        """The largest of a pass, at most n."""
        return min(self.spec.options.radix or RADIX, self.spec.n)

    @property
    def why(self) -> str:
        """Which properties of the machine decided."""
        return f"axes      transposed if the last axis is shorter than {self.target.minor}"

    @cached_property
    def passes(self) -> list[ArrayPass | Bits]:
        """The passes; at the end the order in which bits are to be taken, if that is another."""
        return [*array_passes(self.flow, max(1, self.target.minor // self.spec.columns))]

    def planned(self) -> list[PlannedPass]:
        """The passes in the order in which they run."""
        return [self._planned(each) for each in self.passes]

    def _planned(self, each: ArrayPass | Bits) -> PlannedPass:
        if not isinstance(each, ArrayPass):
            return PlannedPass("", ARRAY, ARRAY, note="transposes")
        legs, entries = set(each.done.flow.legs), each.done.entries()
        bits = "".join(LEG if bit in legs else AXIS for bit in each.bits)
        note = "transposed first" * (each.moved is not None)
        return PlannedPass(bits, ARRAY, ARRAY, (len(legs),), entries, entries * self.arith.twiddle_words, note=note)


@dataclass(frozen=True)
class ArrayPass:
    """One pass.

    Attributes:
        done: its butterflies. bits: the position's bits in the order of memory, before and behind it. moved: in which
            order those bits are to be taken first, None where they stay.
    """

    done: Pass
    bits: Bits
    moved: Bits | None = None

    @property
    def axes(self) -> list[Bits]:
        """The bits of each axis: those share one that stand side by side and are legs, or do, or do not, choose
        twiddles."""
        legs, read = set(self.done.flow.legs), set(self.done.table_bits)
        kinds = ((bit, (bit in legs, bit in read)) for bit in self.bits)
        return [tuple(bit for bit, _ in some) for _, some in groupby(kinds, key=lambda pair: pair[1])]

    @property
    def shape(self) -> list[int]:
        return [1 << len(bits) for bits in self.axes]

    @property
    def leg_axis(self) -> int:
        """The axis of the legs: flows and transpositions leave them side by side."""
        return next(at for at, bits in enumerate(self.axes) if {*bits} == {*self.done.flow.legs})

    def place(self, leg: int) -> int:
        """Where a leg stands in that axis."""
        legs, bits = self.done.flow.legs, self.axes[self.leg_axis]
        return sum((leg >> legs.index(bit) & 1) << at for at, bit in enumerate(reversed(bits)))

    def table(self) -> tuple[Bits, list[int]]:
        """The bits that twiddles depend on, in the order of a table, and the shape of that beside an array without
        legs."""
        read, legs = set(self.done.table_bits), set(self.done.flow.legs)
        kept = [bits for bits in self.axes if not legs & {*bits}]
        return tuple(bit for bits in kept for bit in bits if bit in read), [
            1 << len(bits) if read & {*bits} else 1 for bits in kept
        ]


def array_passes(flow: Flow, minor: int) -> Iterator[ArrayPass | Bits]:
    """The passes, and at the end the order in which bits are to be taken, if that is another."""
    count = flow.n.bit_length() - 1
    natural = tuple(reversed(range(count)))
    memory = natural  # addresses
    for at, step in enumerate(flow.steps):
        if isinstance(step, Move):
            memory = _renamed(memory, inverted(step.order))
            continue
        bits = _renamed(memory, inverted(step.flow.load))
        better = _better(bits, [each for each in flow.steps[at:] if isinstance(each, Pass)], minor)
        yield ArrayPass(step, better or bits, better and _order(bits, better))
        memory = _renamed(better or bits, step.flow.store)
    if memory != natural:
        yield _order(memory, natural)


def transposition(order: Bits) -> tuple[list[int], list[int]]:
    """Axes for taking bits in this order: bits that stay side by side share one. Their sizes, and which comes first."""
    runs = list[list[int]]()
    for bit in order:
        if runs and runs[-1][-1] + 1 == bit:
            runs[-1].append(bit)
        else:
            runs.append([bit])
    places = sorted(range(len(runs)), key=lambda at: runs[at][0])
    return [1 << len(runs[at]) for at in places], [places.index(at) for at in range(len(runs))]


def interleavings(order: Bits, most: int) -> list[tuple[int, int, int]]:
    """The same as steps, in each of which the middle one of three axes goes last: their sizes. ``most``: bits of it."""
    left, found = [*range(len(order))], list[tuple[int, int, int]]()
    start = next((at for at in range(1, len(order)) if order[at] < order[at - 1]), len(order))
    while start < len(order):
        place = left.index(order[start])
        size = next(s for s in range(most, 0, -1) if order[start : start + s] == (*left[place : place + s],))
        found.append((1 << place, 1 << size, 1 << len(order) - place - size))
        left = [*left[:place], *left[place + size :], *left[place : place + size]]
        start += size
    return found


def _renamed(bits: Bits, order: Sequence[int]) -> Bits:
    return tuple(order[bit] for bit in bits)


def _order(bits: Bits, wanted: Bits) -> Bits:
    """Which axis comes first, and so on, when every bit is one."""
    return tuple(bits.index(bit) for bit in wanted)


def _better(bits: Bits, left: Sequence[Pass], minor: int) -> Bits | None:
    """Another order for a pass whose last axis is short: bits that no pass turns any more go last, if they are more."""
    legs = {*left[0].flow.legs}
    run = next((at for at, bit in enumerate(reversed(bits)) if bit in legs), len(bits))
    late = _turned(left)
    last = tuple(bit for bit in bits if bit not in late)
    if 1 << run >= minor or len(last) <= run:
        return None
    return (*(bit for bit in bits if bit in late), *last)


def _turned(left: Sequence[Pass]) -> set[int]:
    """The bits that these passes turn, by their names in the first."""
    found, names = set[int](), {bit: bit for bit in range(len(left[0].flow.load))}
    for before, each in zip((None, *left), left, strict=False):
        if before:
            places = inverted(each.flow.load)
            names = {bit: places[before.flow.store[name]] for bit, name in names.items()}
        found |= {bit for bit, name in names.items() if name in each.flow.legs}
    return found
