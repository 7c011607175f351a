"""Loads directly before the first instruction that reads them, and stores directly after their value is computed.

Few values are then live at the same time. Register allocators find short live ranges, and use operands in
memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.ir import Block, Instr
from momagen.program import Load, Run, Statement, Store


def late(loads: Sequence[Load], block: Block, stores: Sequence[Store]) -> list[Statement]:
    """Return the statements of ``loads``, ``block`` and ``stores``, one register at a time.

    If the same memory is read and written, each limb must be stored where it was loaded, since its store may
    precede other loads.
    """
    waiting = {id(load.values[0]): load for each in loads for load in _loads(each)}
    going: dict[int, list[Store]] = {}
    for store in (one for each in stores for one in _stores(each)):
        going.setdefault(id(store.values[0]), []).append(store)
    found, run = list[Statement](), list[Instr]()
    for instr in block.instrs:
        if needed := [waiting.pop(a) for a in dict.fromkeys(map(id, instr.args)) if a in waiting]:
            found += [*_run(run), *needed]
            run = []
        run.append(instr)
        if made := [one for r in instr.results for one in going.pop(id(r), ())]:
            found += [*_run(run), *made]
            run = []
    rest = [one for each in going.values() for one in each]
    return [*found, *_run(run), *waiting.values(), *rest]


def whole(instrs: Sequence[Instr]) -> Block:
    """Return a block with all results of its instructions as outputs."""
    results = (value for instr in instrs for value in instr.results)
    return Block({}, list(instrs), {f"{i}": value for i, value in enumerate(results)})


def _run(instrs: Sequence[Instr]) -> list[Statement]:
    return [Run(whole(instrs))] if instrs else []


def _loads(s: Load) -> Iterator[Load]:
    for at, value in enumerate(s.values):
        if not value.is_const:
            yield Load(f"{s.name}{at}", [value], s.pointer, s.offset + at * s.step, 1, s.broadcast)


def _stores(s: Store) -> Iterator[Store]:
    for at, value in enumerate(s.values):
        yield Store([value], s.pointer, s.offset + at * s.step)
