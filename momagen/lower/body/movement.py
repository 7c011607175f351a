"""A lowered codelet with its data movement, from registers as loaded to registers as stored.

In-register moves connect memory and the codelet. They convert the user's layout, in which residues are stored
one after another, to one register per word; in passes over rows, they also convert adjacent blocks to one
block per lane. On scalar targets nothing is moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from momagen.ir import Block, Builder, Instr, Value, dead_code, words
from momagen.kernels.flow.layouts import USER, inverse_places, user_places
from momagen.kernels.flow.permutation_network import Wanted, move
from momagen.plan.schedule.passes import Pass

Grid = list[list[Value]]
"""Values by butterfly input (or group in memory), then by word, low word first."""

Move = Callable[[Builder, Grid], Grid]
"""A function that emits the moves from one arrangement of registers to another."""


class Body(NamedTuple):
    """A block with the registers that are loaded before it and stored after it.

    Attributes:
        block: The block.
        loads: The loaded registers of each butterfly input, in memory order.
        stores: The stored registers of each result, in memory order.
        others: The words of the remaining inputs, by name.
    """

    block: Block
    loads: Grid
    stores: Grid
    others: dict[str, list[Value]]


def stage_body(stage: Pass, lowered: Block, count: int, word: int) -> Body:
    """Return the body of one iteration of a pass, whose residues have ``count`` words."""
    legs, results = ([f"{letter}{i}" for i in range(stage.radix)] for letter in "xy")
    return moved_body(
        bare_body(lowered, legs, results, count, word), word,
        lambda b, raw: arrive(b, raw, stage, count), lambda b, grid: leave(b, grid, stage, count),
    )  # fmt: skip


def bare_body(lowered: Block, legs: Sequence[str], results: Sequence[str], count: int, word: int) -> Body:
    """Return ``lowered`` as a body without moves.

    Args:
        lowered: The lowered codelet.
        legs: The names of the inputs that are loaded; all other inputs become ``others``.
        results: The names of the outputs that are stored.
        count: The number of words of a residue.
        word: The number of bits of a word.
    """
    rest = {name: value for name, value in lowered.inputs.items() if name not in legs}
    others = {name: words(value, word, _length(value, word)) for name, value in rest.items()}
    loads = [words(lowered.inputs[name], word, count) for name in legs]
    stores = [words(lowered.outputs[name], word, count) for name in results]
    return Body(dead_code(lowered), loads, stores, others)


def moved_body(
    bare: Body, word: int, arrive: Move | None, leave: Move | None, count: int = 0,
    has: Callable[[str], bool] = lambda op: False,
) -> Body:  # fmt: skip
    """Return ``bare`` with moves between loads and inputs, and between outputs and stores.

    Args:
        bare: The body without moves.
        word: The number of bits of a word.
        arrive: The moves after the loads, or None.
        leave: The moves before the stores, or None.
        count: The number of registers that are loaded for each input, or 0 if it is the number of the input's
            words.
        has: A function that returns whether the target has an operation.
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
    """Return the body that stores ``stores``, with the instructions of ``instrs`` on which these values depend."""
    outputs = {f"{i}_{w}": v for i, row in enumerate(stores) for w, v in enumerate(row)}
    return Body(dead_code(Block({}, instrs, outputs)), loads, stores, others)


def _length(value: Value, word: int) -> int:
    return max(1, -(-max(-value.lo, value.hi).bit_length() // word))


def with_args(instr: Instr, swap: dict[int, Value]) -> Instr:
    """Return ``instr`` with arguments replaced.

    Args:
        instr: The instruction.
        swap: The new arguments, by the ids of the old ones.
    """
    args = tuple([swap.get(id(a), a) for a in instr.args])
    return instr.on(args, instr.results)


def arrive(b: Builder, raw: Grid, stage: Pass, count: int) -> Grid:
    """Return registers with one word of one butterfly input each, from the registers as they were loaded."""
    if stage.source.layout == USER and count > 1:
        raw = [move(b, row, user_places(count, stage.lanes)) for row in raw]
    return _by_word(b, raw, stage.load_places)


def leave(b: Builder, results: Grid, stage: Pass, count: int) -> Grid:
    """Return the registers to be stored, from registers with one word of one result each."""
    results = _by_word(b, results, stage.store_places and inverse_places(stage.store_places))
    if stage.goal.layout == USER and count > 1:
        results = [move(b, row, inverse_places(user_places(count, stage.lanes))) for row in results]
    return results


def _by_word(b: Builder, grid: Grid, places: Wanted | None) -> Grid:
    """Return ``grid`` with the move ``places`` applied to the registers of each word separately."""
    if places is None:
        return grid
    moved = [move(b, column, places) for column in map(list, zip(*grid, strict=True))]
    return [list(row) for row in zip(*moved, strict=True)]
