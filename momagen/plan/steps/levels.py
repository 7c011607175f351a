"""How many levels a step takes, and the column passes of a transform."""

from __future__ import annotations

from momagen.plan.tiles import parts, tile_bytes
from momagen.targets import Target

SHARE = 2
"""Of the registers, one in so many holds values; the others are for products and constants."""


def radix_levels(registers: int) -> int:
    """Levels of a step: their values fill the registers that are for values."""
    return (registers // SHARE).bit_length() - 1


def passes(levels: int, target: Target) -> list[int]:
    """Levels of every column pass. A pass that is alone has what a tile has room for, the last of several one level
    less; those above it are one step each, of as many levels as registers hold or one less."""
    whole = (tile_bytes(target.first) * 8 // (target.lanes * target.word)).bit_length() - 1
    if levels <= whole:
        return [levels] * (levels > 0)
    most = max(radix_levels(target.registers), 2)
    above = levels - (whole - 1)
    above = min(levels, max(above, (most - 1) * -(-above // most)))
    return [*parts(above, most), *[levels - above] * (above < levels)]
