"""A lowered codelet with its data movement around it: from registers as loaded to registers as stored.

Between memory and the codelet stand in-register moves: from the user's layout (residue after residue) to one register
per word, and, for row stages, from blocks side by side to one block per lane. On scalar targets nothing moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from momagen.ir import Block, Builder, Instr, Value, dead_code, words
from momagen.kernels.flow.layouts import USER, inverse_places, user_places
from momagen.kernels.flow.ntt_flow import Pass
from momagen.kernels.flow.permutation_network import Wanted, move

Grid = list[list[Value]]
"""Values by leg (or memory group), then by word, low word first."""

Move = Callable[[Builder, Grid], Grid]
"""Appends what takes registers from one arrangement to another."""


class Body(NamedTuple):
    """A block from raw inputs to raw outputs.

    Attributes:
        loads, stores: by leg in memory order, the registers of that leg. others: words of the remaining inputs by name.
    """

    block: Block
    loads: Grid
    stores: Grid
    others: dict[str, list[Value]]


def stage_body(stage: Pass, lowered: Block, count: int, word: int) -> Body:
    """The body of one iteration of ``stage``; ``count`` words per residue."""
    legs, results = ([f"{letter}{i}" for i in range(stage.radix)] for letter in "xy")
    return moved_body(
        bare_body(lowered, legs, results, count, word), word,
        lambda b, raw: arrive(b, raw, stage, count), lambda b, grid: leave(b, grid, stage, count),
    )  # fmt: skip


def bare_body(lowered: Block, legs: Sequence[str], results: Sequence[str], count: int, word: int) -> Body:
    """``lowered`` as it is: its inputs ``legs`` are loaded, its outputs ``results`` stored word by word."""
    rest = {name: value for name, value in lowered.inputs.items() if name not in legs}
    others = {name: words(value, word, _length(value, word)) for name, value in rest.items()}
    loads = [words(lowered.inputs[name], word, count) for name in legs]
    stores = [words(lowered.outputs[name], word, count) for name in results]
    return Body(dead_code(lowered), loads, stores, others)


def moved_body(
    bare: Body, word: int, arrive: Move | None, leave: Move | None, count: int = 0,
    has: Callable[[str], bool] = lambda op: False,
) -> Body:  # fmt: skip
    """``bare`` with ``arrive`` between its loads and its inputs and ``leave`` between its outputs and its stores.

    ``count``: registers loaded for each leg, where these are not its inputs. ``has``: the operations of the target.
    """
    before, after = Builder(has), Builder(has)
    full = (1 << word) - 1
    raw, swap = bare.loads, dict[int, Value]()
    if arrive:
        raw = [[before.input(f"r{i}_{w}", 0, full) for w in range(count or len(row))] for i, row in enumerate(raw)]
        pairs = zip(bare.loads, arrive(before, raw), strict=True)
        swap = {id(old): new for olds, news in pairs for old, new in zip(olds, news, strict=True) if not old.is_const}
    stores = [[swap.get(id(v), v) for v in row] for row in bare.stores]
    stores = leave(after, stores) if leave else stores
    middle = [with_args(instr, swap) for instr in bare.block.instrs]
    return stored(before.block.instrs + middle + after.block.instrs, raw, stores, bare.others)


def stored(instrs: list[Instr], loads: Grid, stores: Grid, others: dict[str, list[Value]]) -> Body:
    """The body that stores ``stores``, with those of ``instrs`` that this takes."""
    outputs = {f"{i}_{w}": v for i, row in enumerate(stores) for w, v in enumerate(row)}
    return Body(dead_code(Block({}, instrs, outputs)), loads, stores, others)


def _length(value: Value, word: int) -> int:
    return max(1, -(-max(-value.lo, value.hi).bit_length() // word))


def with_args(instr: Instr, swap: dict[int, Value]) -> Instr:
    """``instr`` on other values, by the id of those it has."""
    args = tuple([swap.get(id(a), a) for a in instr.args])
    return instr.on(args, instr.results)


def arrive(b: Builder, raw: Grid, stage: Pass, count: int) -> Grid:
    """Registers as loaded, moved to one word of one leg each."""
    if stage.load == USER and count > 1:
        raw = [move(b, row, user_places(count, stage.lanes)) for row in raw]
    return _by_word(b, raw, stage.load_places)


def leave(b: Builder, results: Grid, stage: Pass, count: int) -> Grid:
    """One word of one leg per register, moved to how memory holds them."""
    results = _by_word(b, results, stage.store_places and inverse_places(stage.store_places))
    if stage.store == USER and count > 1:
        results = [move(b, row, inverse_places(user_places(count, stage.lanes))) for row in results]
    return results


def _by_word(b: Builder, grid: Grid, places: Wanted | None) -> Grid:
    """``places`` applied to each word's registers on its own."""
    if places is None:
        return grid
    moved = [move(b, column, places) for column in map(list, zip(*grid, strict=True))]
    return [list(row) for row in zip(*moved, strict=True)]
