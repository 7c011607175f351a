"""Permutation networks with their loads and stores, which transpose tiles or change their layout."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Block, Builder, Value, dead_code
from momagen.kernels.flow.permutation_network import Wanted, halves_swapped, move
from momagen.program import Expr, Load, LoadHalves, Run, Statement, Store
from momagen.targets import Target

SHORT = 4
"""The number of lanes up to which loads of half vectors cost more than the permutes that they save, 2 to 3 %
of a transform."""
WOVEN = 4
"""The number of words up to which one network both transposes a tile and changes its layout; for more words,
each word is transposed separately."""


def woven_places(words: int, lanes: int) -> Wanted:
    """Return the positions in memory order of the words of lanes² residues for a transposed tile.

    Lane l of word w of vector j is that word of residue lanes·l + j.
    """
    return [
        [divmod((lanes * lane + j) * words + w, lanes) for lane in range(lanes)]
        for j in range(lanes) for w in range(words)
    ]  # fmt: skip


def network(target: Target, places: Wanted, sources: Sequence[Expr], goals: Sequence[Expr]) -> list[Statement]:
    """Return statements that load register i from ``sources[i]``, permute, and store to ``goals[i]``.

    Half vectors are loaded if the target can do that and it saves permutes.

    Args:
        target: The target.
        places: The register and the lane from which each lane of each stored register comes.
        sources: The addresses of the loads.
        goals: The addresses of the stores.
    """
    count = len(places)
    halves = "halves" in target.moves and target.lanes > SHORT and count & (count - 1) == 0
    bits = range(count.bit_length() - 1) if halves else ()
    networks = (_network(places, target.word, bit) for bit in (None, *bits))
    raw, block, bit = min(networks, key=lambda found: len(found[1].instrs))
    loads = [_load(i, value, bit, sources, target.lanes // 2) for i, value in enumerate(raw)]
    stores = [Store([value], goal) for value, goal in zip(block.outputs.values(), goals, strict=True)]
    return [*loads, Run(block), *stores]


def _network(places: Wanted, word: int, bit: int | None) -> tuple[list[Value], Block, int | None]:
    """Return the loaded registers, the permutes, and ``bit``.

    If ``bit`` is not None, each loaded register has halves of two registers whose indices differ in this bit.
    """
    b, full = Builder(), (1 << word) - 1
    raw = [b.input(f"r{i}", 0, full) for i in range(len(places))]
    moved = move(b, raw, places if bit is None else halves_swapped(places, bit))
    b.block.outputs = {str(i): v for i, v in enumerate(moved)}
    return raw, dead_code(b.block), bit


def _load(i: int, value: Value, bit: int | None, sources: Sequence[Expr], half: int) -> Statement:
    """Return the load of register i, or of the same half of two registers whose indices differ in ``bit``."""
    if bit is None:
        return Load(f"r{i}", [value], sources[i])
    offset = (i >> bit & 1) * half
    return LoadHalves(f"r{i}", value, sources[i & ~(1 << bit)] + offset, sources[i | 1 << bit] + offset)
