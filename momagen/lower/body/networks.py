"""Networks of moves between registers: a tile turned, or laid out as memory has it; by halves where that pays."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Block, Builder, Value, dead_code
from momagen.kernels.flow.permutation_network import Wanted, halves_swapped, move
from momagen.program import Expr, Load, LoadHalves, Run, Statement, Store
from momagen.targets import Target

SHORT = 4
"""Lanes up to which loads by halves cost what the moves do that they save, and more: 2 to 3 % of a transform."""
WOVEN = 4
"""Words up to which one network turns a tile and lays its residues out; beyond, word by word."""


def woven_places(words: int, lanes: int) -> Wanted:
    """Where lane l of word w of vector j stands among lanes² residues in memory order: residue lanes·l + j."""
    return [
        [divmod((lanes * lane + j) * words + w, lanes) for lane in range(lanes)]
        for j in range(lanes) for w in range(words)
    ]  # fmt: skip


def network(target: Target, places: Wanted, sources: Sequence[Expr], goals: Sequence[Expr]) -> list[Statement]:
    """Register i at ``sources[i]`` becomes the elements of ``places[i]``, at ``goals[i]``: loads are by halves where
    the target can and that saves permutes."""
    count = len(places)
    halves = "halves" in target.moves and target.lanes > SHORT and count & (count - 1) == 0
    bits = range(count.bit_length() - 1) if halves else ()
    networks = (_network(places, target.word, bit) for bit in (None, *bits))
    raw, block, bit = min(networks, key=lambda found: len(found[1].instrs))
    loads = [_load(i, value, bit, sources, target.lanes // 2) for i, value in enumerate(raw)]
    stores = [Store([value], goal) for value, goal in zip(block.outputs.values(), goals, strict=True)]
    return [*loads, Run(block), *stores]


def _network(places: Wanted, word: int, bit: int | None) -> tuple[list[Value], Block, int | None]:
    """The registers as loaded, and the moves; by halves of two registers that differ in bit ``bit``."""
    b, full = Builder(), (1 << word) - 1
    raw = [b.input(f"r{i}", 0, full) for i in range(len(places))]
    moved = move(b, raw, places if bit is None else halves_swapped(places, bit))
    b.block.outputs = {str(i): v for i, v in enumerate(moved)}
    return raw, dead_code(b.block), bit


def _load(i: int, value: Value, bit: int | None, sources: Sequence[Expr], half: int) -> Statement:
    """Loads register i; by halves, those of one side of the two registers that differ in bit ``bit``."""
    if bit is None:
        return Load(f"r{i}", [value], sources[i])
    offset = (i >> bit & 1) * half
    return LoadHalves(f"r{i}", value, sources[i & ~(1 << bit)] + offset, sources[i | 1 << bit] + offset)
