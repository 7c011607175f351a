"""Products of half words on arrays as products of words.

The low half of a factor is computed once, and not at all if the factor has no more bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from momagen.ir import Block, Instr, Value, const
from momagen.targets import Target

NEEDED = ("low", "mullo")
"""The operations that replace products of half words."""


def with_halves(block: Block, target: Target) -> Block:
    """Return ``block`` without products of half words, if the target has the operations that replace them.

    The inputs and outputs are the same values.
    """
    if not all(target.legal(op, target.word) for op in NEEDED):
        return block
    return Block(block.inputs, [*_instrs(block, target.word)], block.outputs)


def _instrs(block: Block, word: int) -> Iterator[Instr]:
    half, taken = word // 2, dict[int, Value]()
    for instr in block.instrs:
        if instr.op == "low" and instr.k == half:
            taken.setdefault(id(instr.args[0]), instr.results[0])
        if instr.op != "mulhalf":
            yield instr
            continue
        for arg in instr.args:
            if id(arg) not in taken and not arg.is_const and arg.hi >> half:
                taken[id(arg)] = Value(0, (1 << half) - 1)
                yield Instr("low", word, (arg,), (taken[id(arg)],), half)
        yield replace(instr, op="mullo", args=tuple(_half(arg, half, taken) for arg in instr.args))


def _half(value: Value, half: int, taken: dict[int, Value]) -> Value:
    return const(value.lo & (1 << half) - 1) if value.is_const else taken.get(id(value), value)
