"""Stages whose codelet is thousands of instructions: the codelet is one function that all such stages call.

At 1024 bits a vector butterfly has some fifteen thousand instructions; printed into every stage it would keep a
compiler busy for half a minute. Passing vectors through memory costs nothing beside that many instructions.
"""

from __future__ import annotations

from momagen.ir import Block, Builder, Value, dead_code, words
from momagen.kernels.passes import Pass
from momagen.kernels.stage import USER, Stage
from momagen.targets import Target

from .body import arrive, leave
from .c import BodyText, ChainSet, Place, by_heap, templates

LONGEST = 4000
"""Instructions of a codelet that is still printed into its stage."""


def core_function(
    name: str, lowered: Block, target: Target, stage: Stage | Pass, count: int, entry: int, chains: ChainSet
) -> str:
    """The function of a codelet: ``radix`` pointers in and out, constants c, one table entry per twiddle and lane."""
    text, step, legs = BodyText(target, chains), target.lanes, range(stage.radix)
    lines: list[str] = []
    for key in sorted(lowered.inputs, key=by_heap):
        if key in ("q", "qi"):
            place = Place("c", count * (key == "qi"), 1, broadcast=True)
        elif key[0] == "x":
            place = Place(f"x[{key[1:]}]", 0, step)
        else:
            index = int(key[1:]) - (0 if stage.scaled else 1)
            place = Place("tw", (index * entry + count * (key[0] == "u")) * step, step)
        values = words(lowered.inputs[key], target.word, count)
        lines += text.load(key, values, place)
    lines += text.instructions(lowered)
    for i in legs:
        lines += text.store(words(lowered.outputs[f"y{i}"], target.word, count), Place(f"y[{i}]", 0, step))
    return templates().get_template("c/core_function.c.j2").render(name=name, lines=lines)


def outlined_stage(name: str, core: str, stage: Stage, target: Target, count: int, entry: int, chains: ChainSet) -> str:
    """The stage that calls ``core`` for its arithmetic and does the moves itself."""
    return templates().get_template("c/outlined.c.j2").render(
        name=name, core=core, row=stage.row, radix=stage.radix, count=count, lanes=target.lanes,
        words=stage.twiddles * entry, before=moves(stage, target, count, chains, coming=True),
        after=moves(stage, target, count, chains, coming=False),
    )  # fmt: skip


def moves(stage: Stage | Pass, target: Target, count: int, chains: ChainSet, coming: bool) -> list[str]:
    """Statements from memory to the core's buffer (``coming``), or back; none where memory is laid out as lanes."""
    layout, places = (stage.load, stage.load_places) if coming else (stage.store, stage.store_places)
    if places is None and (layout != USER or count == 1):
        return []
    b, text, step = Builder(), BodyText(target, chains), target.lanes
    full = (1 << target.word) - 1
    raw = [[b.input(f"r{i}_{w}", 0, full) for w in range(count)] for i in range(stage.radix)]
    moved: list[list[Value]] = (arrive if coming else leave)(b, raw, stage, count)
    b.block.outputs = {f"{i}_{w}": v for i, row in enumerate(moved) for w, v in enumerate(row)}
    source, goal = ("x", "buffer") if coming else ("buffer", "y")
    lines = [line for i, row in enumerate(raw) for line in text.load(f"r{i}", row, _at(source, i, count, step))]
    lines += text.instructions(dead_code(b.block))
    return lines + [line for i, row in enumerate(moved) for line in text.store(row, _at(goal, i, count, step))]


def _at(pointer: str, leg: int, count: int, step: int) -> Place:
    return Place("buffer", leg * count * step, step) if pointer == "buffer" else Place(f"{pointer}{leg}", 0, step)
