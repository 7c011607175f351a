"""The tables of the transform of a low-degree extension: one set for each block of values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import prod

from momagen.plan.schedule.types import Breakdown

from .tables import TwiddleTable

APART = 16
"""The number of words to a multiple of which the set of a block is padded."""


def block_words(of: Breakdown, words: int) -> int:
    """Return the number of words from one set of tables to the next, if a set has ``words`` words."""
    return -(-words // APART) * APART if of.blocks > 1 else words


def of_blocks(tables: Iterable[TwiddleTable], of: Breakdown, words: int) -> list[TwiddleTable]:
    """Return the tables of all blocks.

    Args:
        tables: The tables of a transform with one block.
        of: The transform.
        words: The number of words of all tables of one block.
    """
    return [_of_blocks(table, of, words) for table in tables] if of.blocks > 1 else [*tables]


def _of_blocks(table: TwiddleTable, of: Breakdown, words: int) -> TwiddleTable:
    """Return the table of all blocks: the node of block b is node b of its level, where ``table`` has the root."""
    count, (first, *grows) = of.blocks, table.forms["node"]
    bits = (prod(often for often, _ in table.loops) * table.group * table.lanes).bit_length() - 1
    if len(set(grows)) > 1:  # after the last node of a block, the first node of the next one follows
        grows = [*grows[:bits], *[1] * count.bit_length()]
    loops = [(count, block_words(of, words)), *table.loops]
    return replace(table, forms={"node": [first * count, *grows]}, loops=loops)
