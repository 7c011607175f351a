"""Procedures: a wide product stays one instruction, a call of a block that is made once for all calls alike.

Where a machine multiplies half words only, the product of two 16-word numbers is thousands of operations, and a kernel
has dozens of them. A product that stays whole through all passes knows at their end which words of its arguments are
constants (zeros, most of them) and which words of its result are read: its procedure costs those, and no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import count
from typing import NamedTuple

from momagen.ir import OPS, Block, Builder, Instr, Procedure, Value, dead_code, join, sweep, words
from momagen.ir.value import Interval
from momagen.rewrite.rules.table import RuleTable

from .columns import makes_columns, product_by_columns
from .machine import Machine, Trace
from .passes import reduce_products, rewrite

LONGEST = 3000
"""Operations of a product, those of its word products alone, that is made in one piece; a machine may say another."""
LONGER = 4000
"""The same where many calls share it."""
PRODUCT, FEW, SUMS, TOGETHER = 4, 4, 3, 3000
"""What products by a constant have for arguments at least; how many may always be made in one piece; additions for each
product of words; and the operations that are made in one piece where there are more, a third of them counted."""


class Signature(NamedTuple):
    """What calls of one procedure have in common; numbers by their words, the low one first.

    Attributes:
        args: of each argument, the intervals of its words: one number, or all of one or two half words.
        read: of the result (both halves of a product are one), which words are read.
    """

    op: str
    w: int
    k: int
    args: tuple[tuple[Interval, ...], ...]
    read: tuple[bool, ...]


class Procedures:
    """The procedures of one file on one machine."""

    def __init__(self, table: RuleTable, machine: Machine, names: Iterator[int] | None = None) -> None:
        """``names`` are the numbers in their names; a file that serves two machines has one source of them."""
        self.table, self.machine, self.names = table, machine, names or count()
        self._shapes: dict[Signature, Procedure] = {}

    @property
    def made(self) -> list[Procedure]:
        """Those that are called so far."""
        return [*self._shapes.values()]

    def serve(self, block: Block) -> bool:
        """Whether products of the width of ``block`` may be calls."""
        return self._most(block) > 0

    def lower(self, block: Block, trace: Trace | None = None) -> Block:
        """``block`` with every operation legal on the machine, or a call where products of its width are too long.

        Raises:
            MomagenError: an operation has neither a row in the target nor a rule.
        """
        block = reduce_products(block, self.table, self.machine, trace)
        found = rewrite(block, self.table, self.machine, trace, partial(self._whole, self._most(block)))
        return sweep(found, partial(self._called, trace))

    @cached_property
    def cost(self) -> int:
        """Operations of one product of two words."""
        b, word = Builder(), self.machine.word
        b.output("c", join(b.emit("mul", word, *(b.input(name, 0, (1 << word) - 1) for name in "ab")), word))
        return len(rewrite(b.block, self.table, self.machine).instrs)

    def _most(self, block: Block) -> int:
        """Operations of a product that is made in one piece; 0 where all are, as neither one is too long nor those by
        constants of several butterflies together."""
        products = sum(len(instr.args) >= PRODUCT for instr in block.instrs)
        many = products > FEW and products * (block.width // self.machine.word) ** 2 * (self.cost + SUMS) > TOGETHER
        most = self.machine.piece or (LONGER if many else LONGEST)
        many |= 0 < self.machine.columns * self.machine.word <= block.width
        return most if many or self._long(most, block.width, block.width) else 0

    def _long(self, most: int, *bits: int) -> bool:
        """Whether a product of two numbers of so many bits has more than ``most`` operations."""
        a, b = (-(-length // self.machine.word) for length in bits)
        return a * b * self.cost > most

    def _whole(self, most: int, op: str, width: int, args: Sequence[Value]) -> bool:
        """Whether a procedure will do it: a product, the widest on the way down that is not too long."""
        bits = [a.hi.bit_length() for a in args]
        if self.machine.columns:
            return makes_columns(self.machine, op) and min(bits) > (self.machine.columns - 1) * self.machine.word
        return OPS[op].product and width > self.machine.word and not self._long(most, *bits)

    def _called(self, trace: Trace | None, instr: Instr, live: set[int]) -> Instr:
        """``instr``, or where it is wider than a word the call that does it: from words to those that are ``live``."""
        if instr.w == self.machine.word:
            return instr
        numbers = self._numbers(instr)
        *args, result = numbers.values()
        intervals = tuple(tuple(map(self._interval, arg)) for arg in args)
        read = tuple(id(w) in live and not w.is_const for w in result)
        shape = Signature(instr.op, instr.w, instr.k, intervals, read)
        if shape not in self._shapes:
            procedure = Procedure(f"{instr.op}_{next(self.names)}", instr.op, instr.w, self._block(shape, trace))
            self._shapes[shape] = procedure
        block = self._shapes[shape].block
        places = {f"{letter}{at}": w for letter, number in numbers.items() for at, w in enumerate(number)}
        taken, given = (tuple(places[name] for name in side) for side in (block.inputs, block.outputs))
        return replace(instr, args=taken, results=given, procedure=self._shapes[shape])

    def _numbers(self, instr: Instr) -> dict[str, list[Value]]:
        """The arguments a and b, and the result c, by their words, the low one first.

        A product commutes: the arguments are in order, or a·b and b·a would be two procedures.
        """
        word, each = self.machine.word, instr.w // self.machine.word
        numbers = (words(value, word, each) for value in instr.args)
        a, b = sorted(numbers, key=lambda number: [self._interval(w) for w in number])
        return {"a": a, "b": b, "c": [w for value in reversed(instr.results) for w in words(value, word, each)]}

    def _interval(self, value: Value) -> Interval:
        """That of a word, as wide as calls alike may share: a machine that multiplies half words can tell no more."""
        half = self.machine.word // 2
        return value.interval if value.is_const else (0, (1 << (half if value.hi >> half == 0 else 2 * half)) - 1)

    def _block(self, shape: Signature, trace: Trace | None) -> Block:
        """The block of a new procedure: its inputs are what it reads, its outputs what is read of it."""
        b, word = Builder(), self.machine.word
        args = [
            [b.input(f"{letter}{at}", *interval) for at, interval in enumerate(arg)]
            for letter, arg in zip("ab", shape.args, strict=True)
        ]
        if self.machine.columns and makes_columns(self.machine, shape.op):
            found = b.block
            result = product_by_columns(b, word, shape.op, *args)
        else:
            high, *low = b.emit(shape.op, shape.w, *(join(tuple(arg[::-1]), word) for arg in args), k=shape.k)
            most = word * max(at + 1 for at, one in enumerate(shape.read) if one)
            high = b.one("low", shape.w, high, k=max(0, most - shape.w * len(low)))
            b.output("c", join((high, *low), shape.w))
            found = rewrite(b.block, self.table, self.machine, trace)
            result = words(found.outputs["c"], word, len(shape.read))
        outputs = {f"c{at}": w for at, w in enumerate(result[: len(shape.read)]) if shape.read[at]}
        block = dead_code(Block(found.inputs, found.instrs, outputs), self.machine.legal)
        used = {id(w) for instr in block.instrs for w in instr.args} | {id(w) for w in outputs.values()}
        block.inputs = {name: v for name, v in block.inputs.items() if id(v) in used and not v.is_const}
        return block
