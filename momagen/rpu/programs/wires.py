"""A pass of a flow as operations on wires, rectangle by rectangle: the same forward and backward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from momagen.rpu.isa.kernel import Powers

from .flow import WIDTH, Bit, PassFlow
from .moves import BUTTERFLY
from .twiddles import RingTwiddles


class Wired(NamedTuple):
    """A butterfly, which has ``twiddles``, or an unpack of two wires."""

    wires: tuple[int, int]
    results: tuple[int, int]
    twiddles: Powers | None = None


@dataclass
class Rectangle:
    """What goes through a pass without memory. ``loads``, ``stores``: an address per wire, in the order of vectors;
    ``weights``: for each of the loads, by what a transform backward ends with."""

    loads: list[tuple[int, int]] = field(default_factory=list)
    work: list[Wired] = field(default_factory=list)
    stores: list[tuple[int, int]] = field(default_factory=list)
    weights: list[Powers] = field(default_factory=list)


def rectangles(of: PassFlow, ring: RingTwiddles) -> Iterator[Rectangle]:
    """The rectangles of a pass."""
    fixed = [place for place in range(WIDTH, len(of.source)) if place not in of.local]
    for number in range(1 << len(fixed)):
        yield _rectangle(of, ring, {of.source[place]: number >> i & 1 for i, place in enumerate(fixed)})


def _rectangle(of: PassFlow, ring: RingTwiddles, fixed: dict[Bit, int]) -> Rectangle:
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
    """The local bits of vector ``number``; the first is its highest."""
    return {bit: number >> len(local) - 1 - i & 1 for i, bit in enumerate(local)}


def _address(bits: Sequence[Bit], spread: int, known: dict[Bit, int]) -> int:
    return sum(known[bit] << place for place, bit in enumerate(bits) if not spread <= place < spread + WIDTH)
