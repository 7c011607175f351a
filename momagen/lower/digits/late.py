"""Loads right before the first instruction that reads them, and stores right behind what makes their value.

Few values then wait in registers: who allocates these finds short lives, and takes operands from memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.ir import Block, Instr
from momagen.program import Load, Run, Statement, Store


def late(loads: Sequence[Load], block: Block, stores: Sequence[Store]) -> list[Statement]:
    """What ``loads``, ``block`` and ``stores`` do, one register at a time.

    Where memory is both read and written, a digit goes where it came from, so that its store may go before other loads.
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
    """A block all of whose results are outputs."""
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
