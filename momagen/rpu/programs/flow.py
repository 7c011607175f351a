"""Data flows of transforms on vectors of 512 lanes: where each bit of a point's number lies, pass by pass.

Bits of a number are time bits k - 1 … 0 until a stage has turned them into frequency bits: stage s turns time bit
k - 1 - s into frequency bit s. A pass loads vectors that differ in some bits of their number, its local ones;
butterflies turn local bits, an unpack exchanges one with a bit of the lanes; then it stores. All flows end with
frequency bit 0 highest: bit reversal, which costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from momagen.errors import among
from momagen.rpu.isa.table import b512

LANES = b512().machine["lanes"]
WIDTH = LANES.bit_length() - 1
BUTTERFLY, UNPACK = "butterfly", "unpack"
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
    source: tuple[Bit, ...], local: tuple[int, ...], steps: tuple[tuple[str, int], ...], spread: bool
) -> PassFlow:
    """A pass, with what it makes of addresses: vectors' numbers end with the local bits, below the lanes where they are
    ``spread``."""
    made = PassFlow(source, (), local, steps, len(local) * spread)
    lanes, ends = [*made.states()][-1]
    rest = tuple(bit for place, bit in enumerate(source[WIDTH:], WIDTH) if place not in local)
    goal = (*ends[::-1], *lanes, *rest) if spread else (*lanes, *ends[::-1], *rest)
    return PassFlow(source, goal, local, steps, made.spread)


Flow = Callable[[int, int], list[PassFlow]]


def pease(bits: int, depth: int) -> list[PassFlow]:
    """Constant geometry (Pease 1968; Korn and Lambiotte 1979): an unpack behind each butterfly but those of the last
    stage; 2^depth vectors go through depth stages at a time, all of them through all stages where they are not more."""
    source, found, most = _natural(bits), list[PassFlow](), min(depth, bits - WIDTH)
    whole = bits - WIDTH <= depth
    for first in range(0, bits, bits if whole else most):
        stages = min(bits - first, bits if whole else most)
        local, last = tuple(bits - 1 - i for i in range(most)), first + stages == bits
        steps = [(kind, stage % most) for stage in range(stages) for kind in (BUTTERFLY, UNPACK)][
            : -1 if last else None
        ]
        found.append(_ended(pass_flow(source, local, tuple(steps), False), stages, last))
        source = found[-1].goal
    return found


def _ended(made: PassFlow, stages: int, last: bool) -> PassFlow:
    """``made`` with local bits in the order of their stages; the last of all is the lowest bit of addresses."""
    count = len(made.local)
    if not last:
        start = stages % count
        order = [*range(start, count), *range(start)]
        lanes, ends = [*made.states()][-1]
        local = [ends[i] for i in order]
        rest = made.goal[WIDTH + count :]
        return PassFlow(made.source, (*lanes, *local[::-1], *rest), made.local, made.steps, 0)
    lanes, ends = [*made.states()][-1]
    vectors = [*ends, *made.goal[WIDTH + count :]]
    lowest = max(vectors)
    others = sorted((bit for bit in vectors if bit != lowest), reverse=True)
    return PassFlow(made.source, (lowest, *lanes, *others), made.local, made.steps, 1)


def unpacked(bits: int, depth: int) -> list[PassFlow]:
    """Butterflies between vectors first, then one unpack for each bit of the lanes: in one pass where registers hold
    all vectors, else in two, the second one on sixteen at a time."""
    count, source, found = bits - WIDTH, _natural(bits), list[PassFlow]()
    if count > HELD:
        local = tuple(bits - 1 - i for i in range(count - SIXTEEN))
        found.append(pass_flow(source, local, tuple((BUTTERFLY, i) for i in range(len(local))), False))
        source, count = found[0].goal, SIXTEEN
    local = tuple(bits - 1 - i for i in range(count))
    steps = [(BUTTERFLY, i) for i in range(count)]
    steps += [(kind, count - 1) for _ in range(WIDTH) for kind in (UNPACK, BUTTERFLY)]
    return [*found, _ended(pass_flow(source, local, tuple(steps), False), bits, True)]


def strided(bits: int, depth: int) -> list[PassFlow]:
    """No shuffles: each pass turns the highest bits of vectors' numbers, and stores them below the lanes."""
    source, found, most = _natural(bits), list[PassFlow](), min(depth, bits - WIDTH)
    for first in range(0, bits, most):
        count = min(most, bits - first)
        local = tuple(bits - 1 - i for i in range(count))
        found.append(pass_flow(source, local, tuple((BUTTERFLY, i) for i in range(count)), True))
        source = found[-1].goal
    return found


def _natural(bits: int) -> tuple[Bit, ...]:
    return tuple(Bit(False, i) for i in range(bits))


FLOWS: dict[str, Flow] = {"pease": pease, "unpacked": unpacked, "strided": strided}


def passes(name: str, bits: int, depth: int) -> list[PassFlow]:
    """The passes of the flow ``name`` for 2^bits points.

    Raises:
        MomagenError: there is no such flow.
    """
    if name not in FLOWS:
        raise among("a flow among", FLOWS, name, "flow")
    found = FLOWS[name](bits, depth)
    assert all(one.goal == other.source for one, other in pairwise(found))
    assert found[-1].goal == tuple(Bit(True, bits - 1 - i) for i in range(bits))
    return found
