"""Groups of numbers across lanes: as memory has them, word after word, in as many registers as end with a number.

A number of k words takes k lanes, and the next one those that follow. A mask has a bit for every lane of the group: bit
k of a number's own mask, what it gives off, is the bit of the next number's first lane, which nothing else reaches. So
one addition of masks finds the carries of all numbers, and a flag is a mask that says the same in all of a number's
lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from math import gcd
from typing import NamedTuple

from momagen.errors import MomagenError
from momagen.ir import OPS, Block, Builder, Value, const, dead_code
from momagen.rewrite.engine.engine import RewritePass
from momagen.rewrite.engine.machine import Machine, Trace
from momagen.rewrite.rules.table import table

WORDWISE = {
    "each_add": ("addlo", "ww"), "each_sub": ("sublo", "ww"), "each_addif": ("addif", "fww"),
    "each_subif": ("subif", "fww"), "each_inc": ("inc", "wm"), "each_dec": ("dec", "wm"),
    "each_lt": ("lt", "ww"), "each_eq": ("eq", "ww"), "select": ("select", "fww"),
}  # fmt: skip
"""What is done on each word, and its arguments."""
ACROSS = "words:across"
"""The choice of the rules for such numbers."""
KEPT = {*WORDWISE, "each_full", "each_if", "off", "carries", "carries_within", "mand", "mor", "mxor"}
"""What registers and masks do for all numbers at once; so do they for flags."""
Rows = list[Value]
"""The registers of a group of numbers; of a flag or a mask the one mask."""
LONGEST = 64
"""Bits of a mask, one more than lanes: what the last number gives off has one too."""


class AcrossPass(RewritePass):
    """The pass down to operations on words, each in a lane of its own, and on masks; all is modulo 2^level.

    Raises:
        MomagenError: an operation that is no sum, difference or comparison.
    """

    def __init__(self, word: int, words: int, trace: Trace | None = None) -> None:
        machine = Machine(word, lambda op, width: op in KEPT or OPS[op].logic, dict([ACROSS.split(":")]))
        super().__init__(table(), machine, word * words, trace or Trace())

    def has(self, op: str) -> bool:
        return op in KEPT

    def stays(self, op: str, width: int) -> bool:
        return self.machine.legal(op, width)

    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> tuple[Value, ...]:
        return super().emit(op, self.level, *args, k=k)


def registers(words: int, lanes: int) -> int:
    """Registers of a group: as few as end where a number ends."""
    return words // gcd(words, lanes)


class Lookahead:
    """Appends to a block what a group takes: numbers of ``words`` words in registers of ``lanes`` words."""

    def __init__(self, word: int, words: int, lanes: int) -> None:
        self.b, self.word, self.words, self.lanes = Builder(), word, words, lanes
        self.known: dict[int, Rows] = {}
        self.count = registers(words, lanes)
        self.size = lanes * self.count
        self.all = const((1 << self.size) - 1, "mask")
        self.first = self.repeated(1).lo
        self.inner, self.ends = const(self.all.lo - self.first, "mask"), const(self.first << words, "mask")

    def repeated(self, mask: int) -> Value:
        """The mask that is the same for all numbers."""
        return const(sum(mask << i for i in range(0, self.size, self.words)), "mask")

    def found(self, value: Value, kind: str) -> Rows:
        """What a value of the numbers' block is on the group; a constant is a flag, a mask, or has words alike."""
        if not value.is_const:
            return self.known[id(value)]
        if kind in "fm":
            return [self.repeated(value.lo * ((1 << self.words) - 1 if kind == "f" else 1))]
        word, ones = value.lo & (1 << self.word) - 1, ((1 << self.word * self.words) - 1) // ((1 << self.word) - 1)
        assert value.lo == word * ones
        return [const(word)] * self.count

    def mask(self, op: str, *masks: Value) -> Value:
        return self.b.one(op, self.lanes, *masks)

    def each(self, op: str, kinds: str, args: Sequence[Rows]) -> Rows:
        """``op`` register by register; of a comparison the mask of all lanes."""
        rows = [self.flags(*arg) if kind in "fm" else arg for kind, arg in zip(kinds, args, strict=True)]
        found = [self.b.one(op, self.word, *each) for each in zip(*rows, strict=True)]
        if OPS[op].results != "f":
            return found
        masks = [self.b.one("lift", self.lanes, flag, k=self.lanes * i) for i, flag in enumerate(found)]
        return [reduce(partial(self.mask, "mor"), masks)]

    def flags(self, mask: Value) -> Rows:
        """A mask by registers; one that is known says the same of all lanes."""
        assert not mask.is_const or mask.lo in (0, self.all.lo)
        return [self.b.one("pick", self.lanes, mask, k=self.lanes * i) for i in range(self.count)]

    def step(self, op: str, args: list[Rows]) -> Rows:
        """What an operation on numbers or masks is on those of the group."""
        if op == "each_full":
            op, args = "each_eq", [*args, [const((1 << self.word) - 1)] * self.count]
        if op in WORDWISE:
            return self.each(*WORDWISE[op], args)
        masks = [mask for (mask,) in args]
        if op == "off":  # all lanes of the numbers that gave something off
            return [self.b.one("spread", self.lanes, self.mask("mand", *masks, self.ends), k=self.words)]
        return [self.mask(MASKS.get(op, op), *masks, *[self.all] * (op == "not"))]


MASKS = {"and": "mand", "or": "mor", "not": "mxor", "each_if": "mand", "carries_within": "carries"}
"""What an operation on masks is on those of a group, where it has another name there."""
INSIDE = frozenset({"each_inc", "each_dec", "each_if"})
"""Operations that have no use for what a number gives off."""


class LaneGroup(NamedTuple):
    """A block on the registers of a group of numbers; inputs and the result ``z`` by registers."""

    block: Block
    inputs: dict[str, Rows]
    result: Rows


def can_look_ahead(block: Block, word: int, words: int, lanes: int) -> bool:
    """Whether the rules take ``block`` apart, as they do sums and comparisons, and a group's masks fit 64 bits."""
    if lanes * registers(words, lanes) >= LONGEST:
        return False
    try:
        AcrossPass(word, words).run(block)
    except MomagenError:
        return False
    return True


def look_ahead(block: Block, word: int, words: int, lanes: int, trace: Trace | None = None) -> LaneGroup:
    """``block`` on numbers of ``words`` words, for as many of them at once as a group has.

    Args:
        block: a codelet on whole numbers with the result z, that :func:`can_look_ahead`.
    """
    group = Lookahead(word, words, lanes)
    block, full = AcrossPass(word, words, trace).run(block), (1 << word) - 1
    inputs = {name: [group.b.input(f"{name}{j}", 0, full) for j in range(group.count)] for name in block.inputs}
    group.known.update((id(value), inputs[name]) for name, value in block.inputs.items())
    for instr in block.instrs:
        args = [group.found(a, kind) for a, kind in zip(instr.args, OPS[instr.op].args, strict=True)]
        if (instr.op in INSIDE and instr.args[1].hi >> words) or instr.op == "carries":
            # carries arrive in lanes of the number that makes them and, off its end, in the next first lane
            args[1] = [group.mask("mand", *args[1], group.inner)]
        group.known[id(instr.results[0])] = group.step(instr.op, args)
    result = group.found(block.outputs["z"], "w")
    group.b.block.outputs = {f"z{j}": value for j, value in enumerate(result)}
    return LaneGroup(dead_code(group.b.block), inputs, result)
