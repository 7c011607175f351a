"""The operations of a pass on wires, rectangle by rectangle. They are the same for forward and inverse transforms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from momagen.rpu.isa.kernel import Powers

from .flow import WIDTH, Bit, PassFlow
from .moves import BUTTERFLY
from .twiddles import RingTwiddles


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
        weights: For each load, the factors at the end of an inverse transform.
    """

    loads: list[tuple[int, int]] = field(default_factory=list)
    work: list[Wired] = field(default_factory=list)
    stores: list[tuple[int, int]] = field(default_factory=list)
    weights: list[Powers] = field(default_factory=list)


def rectangles(of: PassFlow, ring: RingTwiddles) -> Iterator[Rectangle]:
    """Yield the rectangles of a pass."""
    fixed = [place for place in range(WIDTH, len(of.source)) if place not in of.local]
    for number in range(1 << len(fixed)):
        yield _rectangle(of, ring, {of.source[place]: number >> i & 1 for i, place in enumerate(fixed)})


def _rectangle(of: PassFlow, ring: RingTwiddles, fixed: dict[Bit, int]) -> Rectangle:
    """Return the rectangle in which the bits outside of lanes and local bits have the values ``fixed``."""
    found, count, states = Rectangle(), len(of.local), [*of.states()]
    wires, fresh, lanes = list(range(1 << count)), 1 << count, states[0][0]
    for number in range(1 << count):
        known = {**fixed, **_valued(states[0][1], number)}
        found.loads.append((number, _address(of.source, 0, known)))
        found.weights.append(ring.weights(lanes, known))
    for (kind, at), (lanes, local) in zip(of.steps, states, strict=False):
        low = 1 << count - 1 - at
        for number in range(1 << count):
            if number & low:
                continue
            pair, made = (wires[number], wires[number | low]), (fresh, fresh + 1)
            known = {**fixed, **_valued(local, number)}
            stage = len(of.source) - 1 - local[at].number
            twiddles = ring.stage(stage, lanes, known) if kind == BUTTERFLY else None
            found.work.append(Wired(pair, made, twiddles))
            wires[number], wires[number | low], fresh = *made, fresh + 2
    for number in range(1 << count):
        known = {**fixed, **_valued(states[-1][1], number)}
        found.stores.append((wires[number], _address(of.goal, of.spread, known)))
    return found


def _valued(local: Sequence[Bit], number: int) -> dict[Bit, int]:
    """Return the values of the local bits for vector ``number``.

    The first local bit is the highest bit of the number.
    """
    return {bit: number >> len(local) - 1 - i & 1 for i, bit in enumerate(local)}


def _address(bits: Sequence[Bit], spread: int, known: dict[Bit, int]) -> int:
    """Return the address of a vector, from the values of the bits except the bits of the lanes."""
    return sum(known[bit] << place for place, bit in enumerate(bits) if not spread <= place < spread + WIDTH)
