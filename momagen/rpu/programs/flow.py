"""The data flows of transforms on vectors of 512 lanes: the place of each bit of a point's index before each pass.

The bits of an index are time bits k - 1 … 0 until a stage transforms them into frequency bits: stage s
transforms time bit k - 1 - s into frequency bit s. A pass loads vectors whose indices differ in some bits,
its local bits. Butterflies transform local bits, an unpack exchanges a local bit with a bit of the lanes, and
then the pass stores the vectors. All flows end with frequency bit 0 as the highest bit: this is bit reversal,
which costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from momagen.errors import among

from .moves import BUTTERFLY, UNPACK, stages_of
from .wires import WIDTH

CONSTANT_GEOMETRY = "korn_lambiotte_dif"
"""The name of the paper's algorithm in rules/algorithms.toml."""
TURNED = [(UNPACK, 0), (BUTTERFLY, 0)]
"""The steps of a stage that transforms a bit of the lanes."""
HELD, SIXTEEN = 5, 4
"""Up to ``HELD`` bits of the vectors' indices, registers hold all vectors at a time; otherwise they hold
2^``SIXTEEN`` vectors."""


class Bit(NamedTuple):
    """A bit of a point's index.

    Attributes:
        frequency: Whether it is a frequency bit instead of a time bit.
        number: The number of the bit.
    """

    frequency: bool
    number: int


@dataclass(frozen=True)
class PassFlow:
    """One pass.

    Attributes:
        source: The bits of addresses before the pass, the lowest first.
        goal: The bits of addresses after the pass, the lowest first.
        local: The places of the local bits in ``source``, in the order of their numbers.
        steps: The steps, as pairs of BUTTERFLY or UNPACK and the number of a local bit.
        spread: The lanes are stored 2^spread words apart.
    """

    source: tuple[Bit, ...]
    goal: tuple[Bit, ...]
    local: tuple[int, ...]
    steps: tuple[tuple[str, int], ...]
    spread: int

    def states(self) -> Iterator[tuple[tuple[Bit, ...], tuple[Bit, ...]]]:
        """Yield the bits of the lanes and the local bits before each step and after the last one."""
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
    """Return a pass, including the order of the address bits after it.

    After the pass, the indices of vectors have the frequency bits, the latest lowest, below the time bits,
    the next one highest. The lowest ``spread`` of these bits are below the bits of the lanes.

    Args:
        source: The bits of addresses before the pass, the lowest first.
        local: The places of the local bits in ``source``.
        steps: The steps.
        spread: The lanes are stored 2^spread words apart.
    """
    made = PassFlow(source, (), local, tuple(steps), spread)
    lanes, ends = [*made.states()][-1]
    rest = [bit for place, bit in enumerate(source[WIDTH:], WIDTH) if place not in local]
    vectors = sorted((*ends, *rest), key=lambda bit: (not bit.frequency, -bit.number if bit.frequency else bit.number))
    return replace(made, goal=(*vectors[:spread], *lanes, *vectors[spread:]))


Flow = Callable[[int, int], list[PassFlow]]
"""A data flow: a function that returns the passes for 2^bits points with at most ``depth`` stages in a rectangle."""


def pease(bits: int, depth: int) -> list[PassFlow]:
    """Return the passes of constant geometry (Pease 1968; Korn and Lambiotte 1979), stage by stage as in the formula.

    An unpack follows each butterfly, except that the stores of the last stage replace it. Groups of 2^depth
    vectors go through ``depth`` stages in one pass. If there are not more vectors than that, they go through
    all stages in one pass.
    """
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
    """Return passes with the butterflies between vectors first, then one unpack for each bit of the lanes.

    There is one pass if registers hold all vectors. Otherwise there are two, and the second one processes
    sixteen vectors at a time. With a depth of 1 there is one pass for each stage.
    """
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
    """Return passes without shuffles.

    Each pass transforms the highest bits of the vectors' indices, and stores these bits below those of the
    lanes.
    """
    source, found, most = _natural(bits), list[PassFlow](), min(depth, bits - WIDTH)
    for first in range(0, bits, most):
        count = min(most, bits - first)
        found.append(pass_flow(source, _highest(bits, count), _butterflies(count), count))
        source = found[-1].goal
    return found


def _natural(bits: int) -> tuple[Bit, ...]:
    """Return the bits of an index in natural order, the lowest first."""
    return tuple(Bit(False, i) for i in range(bits))


def _highest(bits: int, count: int) -> tuple[int, ...]:
    """Return the places of the ``count`` highest bits, the highest first."""
    return tuple(range(bits - 1, bits - 1 - count, -1))


def _butterflies(count: int) -> list[tuple[str, int]]:
    """Return one butterfly for each local bit."""
    return [(BUTTERFLY, i) for i in range(count)]


FLOWS: dict[str, Flow] = {"pease": pease, "unpacked": unpacked, "strided": strided}
"""The data flows by name."""


def passes(name: str, bits: int, depth: int) -> list[PassFlow]:
    """Return the passes of the data flow ``name`` for 2^bits points.

    Args:
        name: The name of the data flow.
        bits: The number of bits of an index.
        depth: The largest number of stages in a rectangle.

    Raises:
        MomagenError: The name is unknown.
    """
    if name not in FLOWS:
        raise among("one of the data flows", FLOWS, name, "flow")
    found = FLOWS[name](bits, depth)
    assert all(one.goal == other.source for one, other in pairwise(found))
    assert found[-1].goal == tuple(Bit(True, bits - 1 - i) for i in range(bits))
    return found
