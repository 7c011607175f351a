"""The operations of a pass on wires, rectangle by rectangle. They are the same for forward and inverse transforms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from momagen.plan.schedule.rectangles import HeldBits, RectangleSteps, rectangle_steps
from momagen.plan.schedule.types import Bits, Schedule, Step, Turns
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.kernel import Powers

WIDTH = LANES.bit_length() - 1
"""The number of bits of a lane's index."""


class RootExponents(NamedTuple):
    """Exponents of the root, which are affine in the bits of an index.

    Attributes:
        first: The exponent if no bit is set.
        bits: The exponent that each index bit adds, if it is not 0.
    """

    first: int
    bits: Mapping[int, int]

    @classmethod
    def of(cls, turns: Turns, order: int) -> RootExponents:
        """Return the exponents of a root of this order with the given turns."""
        bits = {bit: int(turn * order) for term, turn in turns.items() for bit in term}
        return cls(int(turns.get(frozenset(), 0) * order), bits)

    def powers(self, order: int, lanes: Sequence[int], known: Mapping[int, int]) -> Powers:
        """Return the powers of the root. The highest bits of lanes on which they do not depend are omitted.

        Args:
            order: The order of the root.
            lanes: The index bits of the lanes, the lowest first.
            known: The values of other index bits, which are the same for all lanes.
        """
        first = self.first + sum(exponent for bit, exponent in self.bits.items() if known.get(bit))
        steps = [self.bits.get(bit, 0) for bit in lanes]
        while steps and not steps[-1]:
            steps.pop()
        return Powers(first % order, tuple(steps))


@dataclass(frozen=True)
class VectorPass:
    """A pass in the direction of the forward transform: steps on vectors between their loads and stores.

    Attributes:
        source: The index bit at each address bit of the loads.
        goal: The index bit at each address bit of the stores.
        blocks: The index bits that number the rectangles.
        places: For each step, the bit of a vector's number on which it works.
        twiddles: For each step, the exponents of its twiddles, or None for an unpack.
        states: The index bits of registers before each step and after the last one.
        factor: The exponents of the factors at the end of an inverse transform.
        order: The order of the root.
    """

    source: Bits
    goal: Bits
    blocks: Bits
    places: Sequence[int]
    twiddles: Sequence[RootExponents | None]
    states: Sequence[HeldBits]
    factor: RootExponents
    order: int

    @property
    def spread(self) -> int:
        """The binary logarithm of the number of words from one lane to the next in the stores."""
        return self.goal.index(self.states[-1].lanes[0])


def vector_passes(schedule: Schedule) -> list[VectorPass]:
    """Return the passes of a schedule in the order of execution."""
    return [_pass(own, schedule.breakdown.order_of_root) for own in rectangle_steps(schedule)]


def _pass(own: RectangleSteps, order: int) -> VectorPass:
    """Return the pass of a nest, for a root of ``order``."""
    states, places = [own.loaded(LANES)], list[int]()
    for step, edge in zip(own.steps, own.edges[1:], strict=True):
        held = states[-1]
        if isinstance(step, Step):
            places.append(held.wires.index(step.operands[0]))
            states.append(held)
        else:
            places.append(held.unpacks(edge)[0])
            states.append(held.unpacked(places[-1]))
    twiddles = [RootExponents.of(step.table.heap, order) if isinstance(step, Step) else None for step in own.steps]
    factors = [RootExponents.of(_factor(step), order) for step in own.steps if isinstance(step, Step)]
    source, goal = own.edges[0].order, own.edges[-1].order
    return VectorPass(source, goal, own.blocks, places, twiddles, states, factors[0], order)


def _factor(step: Step) -> Turns:
    """Return the turns of the factors of the results of a step."""
    leg = {frozenset(step.operands): turn for term, turn in step.table.weights.items() if not term}
    return {**step.table.common, **leg}


class Wired(NamedTuple):
    """An operation on two wires: a butterfly if it has ``twiddles``, and an unpack otherwise."""

    wires: tuple[int, int]
    results: tuple[int, int]
    twiddles: Powers | None = None


@dataclass
class Rectangle:
    """The part of a pass that needs no memory between its loads and stores.

    Attributes:
        loads: The wires and addresses of the loaded vectors, in the order of the vectors.
        work: The operations.
        stores: The wires and addresses of the stored vectors, in the order of the vectors.
        weights: For each load, the factors by which an inverse transform, for which it is a store, multiplies the
            vector at its end.
    """

    loads: list[tuple[int, int]] = field(default_factory=list)
    work: list[Wired] = field(default_factory=list)
    stores: list[tuple[int, int]] = field(default_factory=list)
    weights: list[Powers] = field(default_factory=list)


def rectangles(of: VectorPass) -> Iterator[Rectangle]:
    """Yield the rectangles of a pass."""
    for number in range(1 << len(of.blocks)):
        yield _rectangle(of, {bit: number >> i & 1 for i, bit in enumerate(of.blocks)})


def _rectangle(of: VectorPass, fixed: Mapping[int, int]) -> Rectangle:
    """Return the rectangle in which the bits outside of lanes and wires have the values ``fixed``."""
    found, count = Rectangle(), len(of.states[0].wires)
    wires, fresh = list(range(1 << count)), 1 << count
    for number in range(1 << count):
        known = {**fixed, **_valued(of.states[0].wires, number)}
        found.loads.append((number, _address(of.source, 0, known)))
        found.weights.append(of.factor.powers(of.order, of.states[0].lanes, known)._replace(scaled=True))
    for place, twiddles, held in zip(of.places, of.twiddles, of.states, strict=False):
        low = 1 << place
        for number in range(1 << count):
            if number & low:
                continue
            pair, made = (wires[number], wires[number | low]), (fresh, fresh + 1)
            known = {**fixed, **_valued(held.wires, number)}
            own = twiddles and twiddles.powers(of.order, held.lanes, known)
            found.work.append(Wired(pair, made, own))
            wires[number], wires[number | low], fresh = *made, fresh + 2
    for number in range(1 << count):
        known = {**fixed, **_valued(of.states[-1].wires, number)}
        found.stores.append((wires[number], _address(of.goal, of.spread, known)))
    return found


def _valued(wires: Sequence[int], number: int) -> dict[int, int]:
    """Return the values of index bits for vector ``number``."""
    return {bit: number >> i & 1 for i, bit in enumerate(wires)}


def _address(order: Sequence[int], spread: int, known: Mapping[int, int]) -> int:
    """Return the address of a vector, from the values of the index bits except those of the lanes."""
    return sum(known[bit] << place for place, bit in enumerate(order) if not spread <= place < spread + WIDTH)
