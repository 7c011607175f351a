"""A lowered codelet with its data movement around it: from registers as loaded to registers as stored.

Between memory and the codelet stand in-register moves: from the user's layout (residue after residue) to one register per
word, and, for row stages, from blocks side by side to one block per lane. On scalar targets nothing moves.
"""

from __future__ import annotations

from dataclasses import dataclass

from momagen.ir import Block, Builder, Instr, Value, dead_code, words
from momagen.kernels.lanes import Wanted, move
from momagen.kernels.stage import USER, Stage, inverse_places, user_places

Grid = list[list[Value]]
"""Values by leg (or memory group), then by word, low word first."""


@dataclass(frozen=True)
class Body:
    """A block from raw inputs to raw outputs.

    Attributes:
        loads, stores: by leg in memory order, the registers of that leg. others: words of the remaining inputs by name.
    """

    block: Block
    loads: Grid
    stores: Grid
    others: dict[str, list[Value]]


def stage_body(stage: Stage, lowered: Block, count: int, word: int) -> Body:
    """The body of one iteration of ``stage``; ``count`` words per residue."""
    legs = {name: value for name, value in lowered.inputs.items() if name.startswith("x")}
    others = {name: words(value, word, _length(value, word)) for name, value in lowered.inputs.items() if name not in legs}
    wanted = [words(lowered.inputs[f"x{i}"], word, count) for i in range(stage.radix)]
    results = [words(lowered.outputs[f"y{i}"], word, count) for i in range(stage.radix)]
    if stage.lanes == 1:
        return Body(dead_code(lowered), wanted, results, others)
    before, after = Builder(), Builder()
    raw = [[before.input(f"r{i}_{w}", 0, (1 << word) - 1) for w in range(count)] for i in range(stage.radix)]
    arrived = _arrive(before, raw, stage, count)
    swap = {id(old): new for olds, news in zip(wanted, arrived, strict=True) for old, new in zip(olds, news, strict=True)}
    leaving = [[swap.get(id(v), v) for v in row] for row in results]
    stores = _leave(after, leaving, stage, count)
    middle = [_with_args(instr, swap) for instr in lowered.instrs]
    outputs = {f"{i}_{w}": v for i, row in enumerate(stores) for w, v in enumerate(row)}
    block = Block({}, before.block.instrs + middle + after.block.instrs, outputs)
    return Body(dead_code(block), raw, stores, others)


def _length(value: Value, word: int) -> int:
    return max(1, -(-value.hi.bit_length() // word))


def _with_args(instr: Instr, swap: dict[int, Value]) -> Instr:
    return Instr(instr.op, instr.w, tuple(swap.get(id(a), a) for a in instr.args), instr.results, instr.k, instr.lanes)


def _arrive(b: Builder, raw: Grid, stage: Stage, count: int) -> Grid:
    if stage.load == USER and count > 1:
        raw = [move(b, row, user_places(count, stage.lanes)) for row in raw]
    return _by_word(b, raw, stage.row_places()) if stage.row else raw


def _leave(b: Builder, results: Grid, stage: Stage, count: int) -> Grid:
    if stage.row:
        results = _by_word(b, results, inverse_places(stage.row_places()))
    if stage.store == USER and count > 1:
        results = [move(b, row, inverse_places(user_places(count, stage.lanes))) for row in results]
    return results


def _by_word(b: Builder, grid: Grid, places: Wanted) -> Grid:
    """``places`` applied to each word's registers on its own."""
    moved = [move(b, column, places) for column in map(list, zip(*grid, strict=True))]
    return [list(row) for row in zip(*moved, strict=True)]
