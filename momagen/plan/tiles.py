"""Plans of transforms that go depth first: columns of a block, then everything below, block by block."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kernels.tiles import Tiles

from .tree import BLOCK, LANE, LEG, LOOP, Pass, Plan


def of_tiles(
    tiles: Tiles, formula: str, residues: str, inside: str, steps: Sequence[Sequence[int]], tables: Sequence[int],
    inverse: bool,
) -> Plan:  # fmt: skip
    """The plan of ``tiles``.

    Args:
        inside: how residues lie between passes. steps: for every pass the levels that go through registers at once.
        tables: for every pass the words of its table.
    """
    passes = [_columns(tiles, at, inside, steps[at], tables[at]) for at in range(len(tiles.columns))]
    rows = _rows(tiles, inside, steps[-1], tables[-1])
    return Plan(tiles.n, formula, residues, [rows, *passes[::-1]] if inverse else [*passes, rows])


def _columns(tiles: Tiles, at: int, inside: str, steps: Sequence[int], table: int) -> Pass:
    one = tiles.columns[at]
    length, low, lanes = tiles.n.bit_length() - 1, one.stride.bit_length() - 1, tiles.lanes.bit_length() - 1
    bits = BLOCK * (length - low - one.levels) + LEG * one.levels + LOOP * (low - lanes) + LANE * lanes
    side = f", {one.width} tiles side by side" if one.width > 1 else ""
    reads = "words" if at == 0 or tiles.columns[at - 1].rests else inside
    note = f"tiles of {one.rows} vectors in the first cache{side}"
    goes, entries = "words" if one.rests else inside, one.entries()
    return Pass(bits, reads, goes, steps, entries, 8 * table, at, note)


def _rows(tiles: Tiles, inside: str, steps: Sequence[int], table: int) -> Pass:
    length, lanes = tiles.n.bit_length() - 1, tiles.lanes.bit_length() - 1
    bits = BLOCK * (length - 2 * lanes) + LEG * lanes + LANE * lanes
    count = tiles.rows.blocks * (tiles.lanes - 1)
    note = f"{tiles.lanes} × {tiles.lanes} tiles, transposed between their levels"
    reads = inside if tiles.columns else "words"
    return Pass(bits, reads, "words", steps, count * (1 + tiles.lanes), 8 * table, len(tiles.columns), note)
