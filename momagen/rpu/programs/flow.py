"""Data flows of transforms on vectors of 512 lanes: where each bit of a point's number lies, pass by pass.

Bits of a number are time bits k - 1 … 0 until a stage has turned them into frequency bits: stage s turns time bit
k - 1 - s into frequency bit s. A pass loads vectors that differ in some bits of their number, its local ones;
butterflies turn local bits, an unpack exchanges one with a bit of the lanes; then it stores. All flows end with
frequency bit 0 highest: bit reversal, which costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from momagen.errors import among
from momagen.rpu.isa.elements import LANES

from .moves import BUTTERFLY, UNPACK, stages_of

WIDTH = LANES.bit_length() - 1
CONSTANT_GEOMETRY = "korn_lambiotte_dif"
"""The algorithm in rules/algorithms.toml, which is the paper's."""
TURNED = [(UNPACK, 0), (BUTTERFLY, 0)]
"""A stage of a bit of the lanes."""
HELD, SIXTEEN = 5, 4
"""Up to so many bits of vectors' numbers registers hold all vectors at a time, else sixteen."""


class Bit(NamedTuple):
    """A bit of a point's number: time bit, or frequency bit, ``number``."""

    frequency: bool
    number: int


@dataclass(frozen=True)
class PassFlow:
    """One pass.

    Attributes:
        source, goal: the bits of addresses before and behind it, the lowest first. local: places of its local bits in
            source, in the order in which steps name them. steps: (BUTTERFLY or UNPACK, number of a local bit). spread:
            lanes are stored 2^spread words apart.
    """

    source: tuple[Bit, ...]
    goal: tuple[Bit, ...]
    local: tuple[int, ...]
    steps: tuple[tuple[str, int], ...]
    spread: int

    def states(self) -> Iterator[tuple[tuple[Bit, ...], tuple[Bit, ...]]]:
        """The bits of the lanes, and the local ones, before each step and behind the last."""
        lanes, local = list(self.source[:WIDTH]), [self.source[place] for place in self.local]
        yield tuple(lanes), tuple(local)
        for kind, at in self.steps:
            if kind == BUTTERFLY:
                local[at] = Bit(True, len(self.source) - 1 - local[at].number)
            else:
                lanes.insert(0, local[at])
                local[at] = lanes.pop()
            yield tuple(lanes), tuple(local)


def pass_flow(
    source: tuple[Bit, ...], local: tuple[int, ...], steps: Iterable[tuple[str, int]], spread: int = 0
) -> PassFlow:
    """A pass, with what it makes of addresses.

    Vectors' numbers end with frequency bits, the latest lowest, below time bits, the next one highest; the lowest
    ``spread`` of them lie below the lanes.
    """
    made = PassFlow(source, (), local, tuple(steps), spread)
    lanes, ends = [*made.states()][-1]
    rest = [bit for place, bit in enumerate(source[WIDTH:], WIDTH) if place not in local]
    vectors = sorted((*ends, *rest), key=lambda bit: (not bit.frequency, -bit.number if bit.frequency else bit.number))
    return replace(made, goal=(*vectors[:spread], *lanes, *vectors[spread:]))


Flow = Callable[[int, int], list[PassFlow]]


def pease(bits: int, depth: int) -> list[PassFlow]:
    """Constant geometry (Pease 1968; Korn and Lambiotte 1979), stage by stage as the formula has it: an unpack behind
    each butterfly, which the stores of the last stage do; 2^depth vectors go through depth stages at a time, all of
    them through all stages where they are not more."""
    source, found, count = _natural(bits), list[PassFlow](), min(depth, bits - WIDTH)
    local, most = _highest(bits, count), bits if bits - WIDTH <= depth else count
    stages = stages_of(CONSTANT_GEOMETRY, bits)
    for first in range(0, bits, most):
        some = enumerate(stages[first : first + most])
        steps = [(kind, stage % count) for stage, kinds in some for kind in kinds]
        last = first + most >= bits
        found.append(pass_flow(source, local, steps[:-1] if last else steps, int(last)))
        source = found[-1].goal
    return found


def unpacked(bits: int, depth: int) -> list[PassFlow]:
    """Butterflies between vectors first, then one unpack for each bit of the lanes: in one pass where registers hold
    all vectors, else in two, the second one on sixteen at a time; of depth 1 in a pass for each stage."""
    count, source, found = bits - WIDTH, _natural(bits), list[PassFlow]()
    if depth == 1:
        for stage in range(bits):
            local, steps = (_highest(bits, 1), [(BUTTERFLY, 0)]) if stage < count else ((WIDTH,), TURNED)
            found.append(pass_flow(source, local, steps, int(stage == bits - 1)))
            source = found[-1].goal
        return found
    if count > HELD:
        count -= SIXTEEN
        found.append(pass_flow(source, _highest(bits, count), _butterflies(count)))
        source, count = found[0].goal, SIXTEEN
    unpacks = [(kind, count - 1) for _ in range(WIDTH) for kind in (UNPACK, BUTTERFLY)]
    return [*found, pass_flow(source, _highest(bits, count), [*_butterflies(count), *unpacks], 1)]


def strided(bits: int, depth: int) -> list[PassFlow]:
    """No shuffles: each pass turns the highest bits of vectors' numbers, and stores them below the lanes."""
    source, found, most = _natural(bits), list[PassFlow](), min(depth, bits - WIDTH)
    for first in range(0, bits, most):
        count = min(most, bits - first)
        found.append(pass_flow(source, _highest(bits, count), _butterflies(count), count))
        source = found[-1].goal
    return found


def _natural(bits: int) -> tuple[Bit, ...]:
    return tuple(Bit(False, i) for i in range(bits))


def _highest(bits: int, count: int) -> tuple[int, ...]:
    """The places of the ``count`` highest bits, the highest first."""
    return tuple(range(bits - 1, bits - 1 - count, -1))


def _butterflies(count: int) -> list[tuple[str, int]]:
    """One on each local bit."""
    return [(BUTTERFLY, i) for i in range(count)]


FLOWS: dict[str, Flow] = {"pease": pease, "unpacked": unpacked, "strided": strided}


def passes(name: str, bits: int, depth: int) -> list[PassFlow]:
    """Return the passes of the data flow ``name`` for 2^bits points.

    Raises:
        MomagenError: the name is unknown.
    """
    if name not in FLOWS:
        raise among("one of the data flows", FLOWS, name, "flow")
    found = FLOWS[name](bits, depth)
    assert all(one.goal == other.source for one, other in pairwise(found))
    assert found[-1].goal == tuple(Bit(True, bits - 1 - i) for i in range(bits))
    return found
