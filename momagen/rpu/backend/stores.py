"""The removal of dead stores: stores of words that are overwritten before they are read, or that nothing reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from momagen.rpu.isa.program import Area

from .virtual import VirtualOp, words


def without_dead_stores(ops: Sequence[VirtualOp], scratch: Iterable[Area]) -> list[VirtualOp]:
    """Return the code without stores whose words are never read.

    The words of ``scratch`` are not read after its end; all other words are.
    """
    most = max((int(words(op.place)[-1]) for op in ops if op.place), default=0)
    read, found = np.ones(most + 1, bool), list[VirtualOp]()
    for begin, count in scratch:
        read[begin : begin + count] = False
    for op in reversed(ops):
        if op.name == "vstore" and op.place:
            own = words(op.place)
            if not read[own].any():
                continue
            read[own] = False
        elif op.place:
            read[words(op.place)] = True
        found.append(op)
    return found[::-1]
