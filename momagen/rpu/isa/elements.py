"""Where the 512 elements of a vector lie in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .table import b512

LANES = b512().machine["lanes"]


def places(mode: int, value: int) -> NDArray[np.intp]:
    """How many words behind its address each element of a vector lies."""
    found = _PLACES.get((mode, value))
    if found is None:
        of = b512().mode_numbers[mode]
        found = _PLACES[mode, value] = np.array([of.place(i, value) for i in range(LANES)], np.intp)
    return found


_PLACES: dict[tuple[int, int], NDArray[np.intp]] = {}
