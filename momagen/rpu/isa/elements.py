"""The offsets of the 512 elements of a vector in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .table import b512

LANES = b512().machine["lanes"]
"""The number of lanes."""


def places(mode: int, value: int) -> NDArray[np.intp]:
    """Return the offset of each element from the address of a vector, in words.

    Args:
        mode: The number of the address mode.
        value: The value of the mode.
    """
    found = _PLACES.get((mode, value))
    if found is None:
        of = b512().mode_numbers[mode]
        found = _PLACES[mode, value] = np.array([of.place(i, value) for i in range(LANES)], np.intp)
    return found


_PLACES: dict[tuple[int, int], NDArray[np.intp]] = {}
"""The offsets that were computed, by mode and value."""
