"""The number of levels of a register-blocked step, and the passes over columns of a transform."""

from __future__ import annotations

from momagen.plan.tiles import parts, tile_bytes
from momagen.targets import Target

SHARE = 2
"""One register in ``SHARE`` holds a value; the others hold products and constants."""


def radix_levels(registers: int) -> int:
    """Return the largest number of levels of a step, whose values fill the registers that hold values."""
    return (registers // SHARE).bit_length() - 1


def passes(levels: int, target: Target) -> list[int]:
    """Return the numbers of levels of the passes over columns.

    A single pass has at most the levels for which a tile fits the cache. The last of several passes has one
    level fewer, and each pass before it is one step, of the largest number of levels that the registers allow
    or one fewer.

    Args:
        levels: The number of levels of all passes over columns.
        target: The target, which states the registers, the lanes and the cache.
    """
    whole = (tile_bytes(target.first) * 8 // (target.lanes * target.word)).bit_length() - 1
    if levels <= whole:
        return [levels] * (levels > 0)
    most = max(radix_levels(target.registers), 2)
    above = levels - (whole - 1)
    above = min(levels, max(above, (most - 1) * -(-above // most)))
    return [*parts(above, most), *[levels - above] * (above < levels)]
