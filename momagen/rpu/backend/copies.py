"""Copies of values in memory: where each value was loaded from or stored to, and for how long that stands there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .dependences import WordOrder
from .virtual import Place, VirtualOp


class MemoryCopy(NamedTuple):
    """A value in memory, behind instruction ``begin`` and up to ``end``, a store of some of its words."""

    place: Place
    begin: int
    end: int


@dataclass(frozen=True)
class MemoryCopies:
    """What memory holds of registers.

    Attributes:
        of: by register, its copies in the order of time. source: by number of a load, the register that one earlier
            store stored to its place, of whose words nothing was overwritten since.
    """

    of: Mapping[int, list[MemoryCopy]]
    source: Mapping[int, int]


def memory_copies(ops: Sequence[VirtualOp]) -> MemoryCopies:
    """The copies of all registers of ``ops``."""
    order, source, ends = WordOrder(ops), dict[int, int](), [len(ops)] * len(ops)
    for at, op in enumerate(ops):
        if op.place is None:
            continue
        if op.name == "vstore":
            for each in order.store(at, op.place):
                ends[each] = min(ends[each], at)
        elif len(stores := order.load(at, op.place)) == 1:
            (store,) = stores
            if ops[store].place == op.place:
                source[at] = ops[store].arguments[0]
    found = defaultdict[int, list[MemoryCopy]](list)
    for at, op in enumerate(ops):
        if op.place is not None:
            found[(*op.results, *op.arguments)[0]].append(MemoryCopy(op.place, at, ends[at]))
    return MemoryCopies(found, source)
