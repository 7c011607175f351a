"""Tables of a low-degree extension's transform: one set for every block of its values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import prod

from momagen.kinds.modular.spec import Spec

from .tables import TwiddleTable

APART = 16
"""Words that the set of a block is a multiple of."""


def blocks_of(spec: Spec) -> int:
    """How many blocks of values the transform of ``spec`` is called for, each with tables of its own."""
    return 1 if spec.inverse else spec.blowup


def block_words(spec: Spec, words: int) -> int:
    """Words from one set to the next, of so many words."""
    return -(-words // APART) * APART if blocks_of(spec) > 1 else words


def of_blocks(tables: Iterable[TwiddleTable], spec: Spec, words: int) -> list[TwiddleTable]:
    """The ``tables`` of every block; ``words``: of all tables of one."""
    return [_of_blocks(table, spec, words) for table in tables] if blocks_of(spec) > 1 else [*tables]


def _of_blocks(table: TwiddleTable, spec: Spec, words: int) -> TwiddleTable:
    """Block b of the values hangs under node b of its level, as that of ``table`` hangs under the root."""
    count, (first, *grows) = blocks_of(spec), table.forms["node"]
    bits = (prod(often for often, _ in table.loops) * table.group * table.lanes).bit_length() - 1
    if len(set(grows)) > 1:  # behind the last node of one block comes the first one of the next
        grows = [*grows[:bits], *[1] * count.bit_length()]
    loops = [(count, block_words(spec, words)), *table.loops]
    return replace(table, forms={"node": [first * count, *grows]}, loops=loops)
