"""Procedures: blocks for wide products that several calls share.

On a machine that multiplies only half words, the product of two 16-word numbers takes thousands of
operations, and a kernel has dozens of such products. A product that is not split by the passes is known to
have constant words in its arguments (mostly zeros) and unread words in its result. Its procedure contains
only the operations for the remaining words.
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
"""The largest number of operations of a product, counting those of its word products only, that is not
generated as a procedure, unless the machine specifies another number."""
LONGER = 4000
"""The same number if many calls share the procedure."""
PRODUCT, FEW, SUMS, TOGETHER = 4, 4, 3, 3000
"""The numbers that decide whether modular products by constants become calls because a block has many of
them.

They are, in this order:

- the smallest number of arguments of such a product,
- the number of such products in a block that must be exceeded,
- the number of additions that is counted for each product of words, and
- the number of operations of the block that must be exceeded, counting one of the three long products of each
  modular product.
"""


class Signature(NamedTuple):
    """The common properties of calls of one procedure.

    Attributes:
        op: The operation.
        w: Its width in bits.
        k: Its attribute.
        args: The intervals of the words of each argument, the low word first. They contain one number, or all
            numbers of half a word or of a word.
        read: Whether each word of the result is read, the low word first. Both halves of a product are one
            result.
    """

    op: str
    w: int
    k: int
    args: tuple[tuple[Interval, ...], ...]
    read: tuple[bool, ...]


class Procedures:
    """The procedures of one file for one machine.

    Args:
        table: The rules.
        machine: The machine.
        names: The numbers in the names of procedures. A file for two machines must pass the same iterator to
            both.
    """

    def __init__(self, table: RuleTable, machine: Machine, names: Iterator[int] | None = None) -> None:
        self.table, self.machine, self.names = table, machine, names or count()
        self._shapes: dict[Signature, Procedure] = {}

    @property
    def made(self) -> list[Procedure]:
        """The procedures that have been called so far."""
        return [*self._shapes.values()]

    def serve(self, block: Block) -> bool:
        """Return whether products in a block may become calls."""
        return self._most(block) > 0

    def lower(self, block: Block, trace: Trace | None = None) -> Block:
        """Return a block in which every operation is legal on the machine or a call.

        Args:
            block: The block.
            trace: The trace to which applied rules are added.

        Raises:
            MomagenError: There is neither an instruction nor a rule for an operation.
        """
        block = reduce_products(block, self.table, self.machine, trace)
        found = rewrite(block, self.table, self.machine, trace, partial(self._whole, self._most(block)))
        return sweep(found, partial(self._called, trace))

    @cached_property
    def cost(self) -> int:
        """The number of operations of a product of two words."""
        b, word = Builder(), self.machine.word
        b.output("c", join(b.emit("mul", word, *(b.input(name, 0, (1 << word) - 1) for name in "ab")), word))
        return len(rewrite(b.block, self.table, self.machine).instrs)

    def _most(self, block: Block) -> int:
        """Return the largest number of operations of a product that does not become a call.

        The result is 0 if no product becomes a call, because neither a single product is too long, nor the
        products by constants of several butterflies together.
        """
        products = sum(len(instr.args) >= PRODUCT for instr in block.instrs)
        many = products > FEW and products * (block.width // self.machine.word) ** 2 * (self.cost + SUMS) > TOGETHER
        most = self.machine.piece or (LONGER if many else LONGEST)
        many |= 0 < self.machine.columns * self.machine.word <= block.width
        return most if many or self._long(most, block.width, block.width) else 0

    def _long(self, most: int, *bits: int) -> bool:
        """Return whether a product of factors with these sizes in bits has more than ``most`` operations."""
        a, b = (-(-length // self.machine.word) for length in bits)
        return a * b * self.cost > most

    def _whole(self, most: int, op: str, width: int, args: Sequence[Value]) -> bool:
        """Return whether a product becomes a call.

        Since passes halve the width, it is the widest one that is not too long.
        """
        bits = [a.hi.bit_length() for a in args]
        if self.machine.columns:
            return makes_columns(self.machine, op) and min(bits) > (self.machine.columns - 1) * self.machine.word
        return OPS[op].product and width > self.machine.word and not self._long(most, *bits)

    def _called(self, trace: Trace | None, instr: Instr, live: set[int]) -> Instr:
        """Return an instruction, or the call that replaces it if it is wider than a word.

        Args:
            trace: The trace to which applied rules are added.
            instr: The instruction.
            live: The ids of the words that are read.
        """
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
        """Return the words of the arguments a and b and of the result c, the low word first.

        Since products commute, the arguments are sorted, so that a·b and b·a share a procedure.
        """
        word, each = self.machine.word, instr.w // self.machine.word
        numbers = (words(value, word, each) for value in instr.args)
        a, b = sorted(numbers, key=lambda number: [self._interval(w) for w in number])
        return {"a": a, "b": b, "c": [w for value in reversed(instr.results) for w in words(value, word, each)]}

    def _interval(self, value: Value) -> Interval:
        """Return the interval of a word, extended to half a word or a word so that calls share procedures.

        A machine that multiplies half words cannot make use of narrower intervals.
        """
        half = self.machine.word // 2
        return value.interval if value.is_const else (0, (1 << (half if value.hi >> half == 0 else 2 * half)) - 1)

    def _block(self, shape: Signature, trace: Trace | None) -> Block:
        """Return the block of a new procedure, with only those inputs and outputs that are read."""
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
