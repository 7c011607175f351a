"""Carry lookahead for groups of numbers whose words are in consecutive lanes.

The numbers of a group are stored as in memory, word after word, in as many registers as are filled by whole
numbers. A number of k words takes k lanes, and the next number takes the lanes after them. A mask has one bit
for each lane of the group. Bit k of the mask of a single number, its carry out, is the bit of the first lane
of the next number, where no other carry arrives. One addition of masks therefore computes the carries of all
numbers. A flag is a mask that is the same in all lanes of a number.
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
"""The operations that act on each word, as operations on registers with the kinds of their arguments."""
ACROSS = "words:across"
"""The choice that selects the rules for such numbers."""
KEPT = {*WORDWISE, "each_full", "each_if", "off", "carries", "carries_within", "mand", "mor", "mxor"}
"""The operations that registers and masks perform for all numbers at once, in addition to operations on
flags."""
Rows = list[Value]
"""The registers of a group of numbers. A flag or a mask is a single mask."""
LONGEST = 64
"""The number of bits of a mask. It must exceed the number of lanes, since the last number has a carry out,
too."""


class AcrossPass(RewritePass):
    """The pass down to operations on masks and on words, each in a separate lane.

    All arithmetic is modulo 2^level.

    Raises:
        MomagenError: An operation is no sum, difference or comparison.
    """

    def __init__(self, word: int, words: int, trace: Trace | None = None) -> None:
        machine = Machine(word, lambda op, width: op in KEPT or OPS[op].logic, dict([ACROSS.split(":")]))
        super().__init__(table(), machine, word * words, trace or Trace())

    def has(self, op: str) -> bool:
        """Return whether registers or masks have an operation."""
        return op in KEPT

    def stays(self, op: str, width: int) -> bool:
        """Return whether registers, masks or flags have an operation."""
        return self.machine.legal(op, width)

    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> tuple[Value, ...]:
        """Return the results of an operation at the width of a whole number."""
        return super().emit(op, self.level, *args, k=k)


def registers(words: int, lanes: int) -> int:
    """Return the number of registers of a group: the smallest number that whole numbers fill.

    Args:
        words: The number of words of a number.
        lanes: The number of lanes of a register.
    """
    return words // gcd(words, lanes)


class Lookahead:
    """A builder for operations on a group of numbers of ``words`` words, in registers of ``lanes`` words.

    Attributes:
        b: The builder of the block.
        word: The number of bits of a word.
        words: The number of words of a number.
        lanes: The number of lanes of a register.
        known: The registers or the mask of each value of the old block, by its id.
        count: The number of registers of a group.
        size: The number of lanes of a group.
        all: The mask of all lanes.
        first: The mask of the first lane of each number, as an integer.
        inner: The mask of all other lanes.
        ends: The mask of the carries out of the numbers.
    """

    def __init__(self, word: int, words: int, lanes: int) -> None:
        self.b, self.word, self.words, self.lanes = Builder(), word, words, lanes
        self.known: dict[int, Rows] = {}
        self.count = registers(words, lanes)
        self.size = lanes * self.count
        self.all = const((1 << self.size) - 1, "mask")
        self.first = self.repeated(1).lo
        self.inner, self.ends = const(self.all.lo - self.first, "mask"), const(self.first << words, "mask")

    def repeated(self, mask: int) -> Value:
        """Return the mask that consists of the same bits for each number."""
        return const(sum(mask << i for i in range(0, self.size, self.words)), "mask")

    def found(self, value: Value, kind: str) -> Rows:
        """Return the registers or the mask of a value of the old block.

        Args:
            value: The value. A constant must be a flag, a mask, or a number with equal words.
            kind: The letter of its kind, as in ``KINDS``.
        """
        if not value.is_const:
            return self.known[id(value)]
        if kind in "fm":
            return [self.repeated(value.lo * ((1 << self.words) - 1 if kind == "f" else 1))]
        word, ones = value.lo & (1 << self.word) - 1, ((1 << self.word * self.words) - 1) // ((1 << self.word) - 1)
        assert value.lo == word * ones
        return [const(word)] * self.count

    def mask(self, op: str, *masks: Value) -> Value:
        """Return the result of an operation on masks."""
        return self.b.one(op, self.lanes, *masks)

    def each(self, op: str, kinds: str, args: Sequence[Rows]) -> Rows:
        """Return the results of an operation on each register.

        Those of a comparison are a mask of all lanes.
        """
        rows = [self.flags(*arg) if kind in "fm" else arg for kind, arg in zip(kinds, args, strict=True)]
        found = [self.b.one(op, self.word, *each) for each in zip(*rows, strict=True)]
        if OPS[op].results != "f":
            return found
        masks = [self.b.one("lift", self.lanes, flag, k=self.lanes * i) for i, flag in enumerate(found)]
        return [reduce(partial(self.mask, "mor"), masks)]

    def flags(self, mask: Value) -> Rows:
        """Return the flags of each register that a mask contains.

        A constant mask must be the same in all lanes.
        """
        assert not mask.is_const or mask.lo in (0, self.all.lo)
        return [self.b.one("pick", self.lanes, mask, k=self.lanes * i) for i in range(self.count)]

    def step(self, op: str, args: list[Rows]) -> Rows:
        """Return the result of an operation of the old block for the whole group."""
        if op == "each_full":
            op, args = "each_eq", [*args, [const((1 << self.word) - 1)] * self.count]
        if op in WORDWISE:
            return self.each(*WORDWISE[op], args)
        masks = [mask for (mask,) in args]
        if op == "off":  # the result has all lanes of the numbers that have a carry out
            return [self.b.one("spread", self.lanes, self.mask("mand", *masks, self.ends), k=self.words)]
        return [self.mask(MASKS.get(op, op), *masks, *[self.all] * (op == "not"))]


MASKS = {"and": "mand", "or": "mor", "not": "mxor", "each_if": "mand", "carries_within": "carries"}
"""The operations on masks of groups that replace operations on masks of a number, if they have other
names."""
INSIDE = frozenset({"each_inc", "each_dec", "each_if"})
"""The operations that must not read the carry out of a number."""


class LaneGroup(NamedTuple):
    """A block on the registers of a group of numbers.

    Attributes:
        block: The block.
        inputs: The registers of each input.
        result: The registers of the result ``z``.
    """

    block: Block
    inputs: dict[str, Rows]
    result: Rows


def can_look_ahead(block: Block, word: int, words: int, lanes: int) -> bool:
    """Return whether rules can rewrite a block to operations on groups, whose masks must fit 64 bits.

    They can if it consists of sums, differences and comparisons.

    Args:
        block: The block.
        word: The number of bits of a word.
        words: The number of words of a number.
        lanes: The number of lanes of a register.
    """
    if lanes * registers(words, lanes) >= LONGEST:
        return False
    try:
        AcrossPass(word, words).run(block)
    except MomagenError:
        return False
    return True


def look_ahead(block: Block, word: int, words: int, lanes: int, trace: Trace | None = None) -> LaneGroup:
    """Return a block that computes the same on all numbers of a group at once.

    Args:
        block: A codelet on whole numbers with the result z, for which :func:`can_look_ahead` returns True.
        word: The number of bits of a word.
        words: The number of words of a number.
        lanes: The number of lanes of a register.
        trace: The trace to which applied rules are added.
    """
    group = Lookahead(word, words, lanes)
    block, full = AcrossPass(word, words, trace).run(block), (1 << word) - 1
    inputs = {name: [group.b.input(f"{name}{j}", 0, full) for j in range(group.count)] for name in block.inputs}
    group.known.update((id(value), inputs[name]) for name, value in block.inputs.items())
    for instr in block.instrs:
        args = [group.found(a, kind) for a, kind in zip(instr.args, OPS[instr.op].args, strict=True)]
        if (instr.op in INSIDE and instr.args[1].hi >> words) or instr.op == "carries":
            # A carry out arrives in the first lane of the next number, where it must be masked out.
            args[1] = [group.mask("mand", *args[1], group.inner)]
        group.known[id(instr.results[0])] = group.step(instr.op, args)
    result = group.found(block.outputs["z"], "w")
    group.b.block.outputs = {f"z{j}": value for j, value in enumerate(result)}
    return LaneGroup(dead_code(group.b.block), inputs, result)
