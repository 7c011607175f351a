"""The copies of values in memory: the places that each value was loaded from or stored to, and how long they last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .dependences import WordOrder
from .virtual import Place, VirtualOp


class MemoryCopy(NamedTuple):
    """A copy of a value in memory.

    Attributes:
        place: The place.
        begin: The index of the instruction that loads or stores the value.
        end: The index of the next store to some of these words.
    """

    place: Place
    begin: int
    end: int


@dataclass(frozen=True)
class MemoryCopies:
    """The copies of registers in memory.

    Attributes:
        of: The copies of each register, in order of time.
        source: For the index of a load, the register that an earlier store wrote to the same place, if no
            word of that place was overwritten since.
    """

    of: Mapping[int, list[MemoryCopy]]
    source: Mapping[int, int]


def memory_copies(ops: Sequence[VirtualOp]) -> MemoryCopies:
    """Return the copies of all registers of ``ops``."""
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
