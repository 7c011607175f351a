"""The dependences of instructions on the producers of their operands, and on earlier accesses to the same words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from momagen.errors import MomagenError
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.table import b512

from .virtual import Place, VirtualOp, words

MEMORY = b512().machine["vdm_bytes"] // 16
"""The number of words of the largest vector memory."""
NEVER = -1


class WordOrder:
    """A record of the last store to each word of memory, and of the loads since then.

    Args:
        ops: The code, whose places determine the size of the memory.

    Raises:
        MomagenError: A place is outside the largest vector memory.
    """

    def __init__(self, ops: Sequence[VirtualOp]) -> None:
        most = max((int(words(op.place)[-1]) for op in ops if op.place), default=0)
        if most >= MEMORY:
            raise MomagenError(f"addresses below {MEMORY} words", most, "vector memory")
        self.stored, self._mark = np.full(most + 1, NEVER, np.int32), np.zeros(most + 1, bool)
        self._loads = defaultdict[int, dict[int, Place]](dict)

    def load(self, at: int, place: Place) -> set[int]:
        """Record the load ``at``, and return the stores that it depends on."""
        own = words(place)
        for block in {*(own // LANES).tolist()}:
            self._loads[block][at] = place
        return {*self.stored[own].tolist()} - {NEVER}

    def store(self, at: int, place: Place) -> set[int]:
        """Record the store ``at``, and return the stores and loads that it depends on."""
        own = words(place)
        found, self._mark[own], tried = {*self.stored[own].tolist()} - {NEVER}, True, set[int]()
        for block in {*(own // LANES).tolist()}:
            for other, where in self._loads[block].items():
                if other not in tried and self._mark[words(where)].any():
                    found.add(other)
                tried.add(other)
        self._mark[own] = False
        self.stored[own] = at
        if own[-1] - own[0] == LANES - 1 and not own[0] % LANES:
            self._loads[int(own[0]) // LANES].clear()  # instructions that depend on these loads depend on this store
        return found


def waits(ops: Sequence[VirtualOp]) -> list[set[int]]:
    """Return the earlier instructions that each instruction depends on. Indirect dependences may be omitted."""
    made, memory, found = dict[int, int](), WordOrder(ops), list[set[int]]()
    for at, op in enumerate(ops):
        before = {made[each] for each in op.arguments}
        if op.place:
            before |= (memory.store if op.name == "vstore" else memory.load)(at, op.place)
        found.append(before)
        made |= dict.fromkeys(op.results, at)
    return found
