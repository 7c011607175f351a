"""Plans of transforms that go depth first: columns of a block, then everything below, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from momagen.kernels.flow.cache_blocking import Tiles

from .tree import BLOCK, LANE, LEG, LOOP, PlannedPass, TransformPlan


@dataclass(frozen=True)
class Representation:
    """How residues are held.

    Attributes:
        text: for people. inside: how they lie between passes.
        words: of a residue in a tile. word: bits of a word.
    """

    text: str
    inside: str
    words: int
    word: int


def of_tiles(
    tiles: Tiles, formula: str, held: Representation, steps: Sequence[Sequence[int]], tables: Sequence[int],
    inverse: bool,
) -> TransformPlan:  # fmt: skip
    """The plan of ``tiles``.

    Args:
        steps: for every pass the levels that go through registers at once. tables: for every pass the words of its
            table.
    """
    passes = [_columns(tiles, at, held, steps[at], tables[at]) for at in range(len(tiles.columns))]
    rows = _rows(tiles, held, steps[-1], tables[-1])
    return TransformPlan(tiles.n, formula, held.text, held.word, [rows, *passes[::-1]] if inverse else [*passes, rows])


def _columns(tiles: Tiles, at: int, held: Representation, steps: Sequence[int], table: int) -> PlannedPass:
    one = tiles.columns[at]
    length, low, lanes = tiles.n.bit_length() - 1, one.stride.bit_length() - 1, tiles.lanes.bit_length() - 1
    bits = BLOCK * (length - low - one.levels) + LEG * one.levels + LOOP * (low - lanes) + LANE * lanes
    side = f", {one.width} tiles side by side" if one.width > 1 else ""
    reads = "words" if at == 0 or tiles.columns[at - 1].rests else held.inside
    writes, tile = "words" if one.rests else held.inside, one.rows * tiles.lanes * held.words
    return PlannedPass(bits, reads, writes, steps, one.entries(), table, tile, at, f"tiles of {one.rows} vectors{side}")


def _rows(tiles: Tiles, held: Representation, steps: Sequence[int], table: int) -> PlannedPass:
    length, lanes = tiles.n.bit_length() - 1, tiles.lanes.bit_length() - 1
    bits = BLOCK * (length - 2 * lanes) + LEG * lanes + LANE * lanes
    count = tiles.rows.blocks * (tiles.lanes - 1)
    note = f"{tiles.lanes} × {tiles.lanes} tiles, transposed between their levels"
    reads, tile = held.inside if tiles.columns else "words", tiles.lanes**2 * held.words
    return PlannedPass(bits, reads, "words", steps, count * (1 + tiles.lanes), table, tile, len(tiles.columns), note)
