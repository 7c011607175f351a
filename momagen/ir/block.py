"""Blocks: straight-line code in SSA form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from .value import Value, const


@dataclass(frozen=True, eq=False, slots=True)
class Instr:
    """An instruction ``results = op(args)``.

    Attributes:
        op: The name of the operation.
        w: Its width in bits.
        args: The arguments.
        results: The results.
        k: The integer attribute of the operation, such as a shift count.
        lanes: The source lane of each lane of the result, if the operation permutes the lanes of its two
            arguments: numbers from the lane count on mean lanes of the second argument.
        procedure: The procedure that a call executes in place of the operation, or None. The arguments of a
            call are words, one for each input of the block of the procedure.
    """

    op: str
    w: int
    args: tuple[Value, ...]
    results: tuple[Value, ...]
    k: int = 0
    lanes: tuple[int, ...] = ()
    procedure: Procedure | None = None

    def on(self, args: tuple[Value, ...], results: tuple[Value, ...]) -> Instr:
        """Return the same operation on other arguments, with other results."""
        return Instr(self.op, self.w, args, results, self.k, self.lanes, self.procedure)


@dataclass(eq=False)
class Block:
    """A list of instructions with named inputs and outputs.

    A wide input or output is a joined value; :func:`leaves` returns its words.

    Attributes:
        inputs: The inputs by name.
        instrs: The instructions in the order of their execution.
        outputs: The outputs by name.
    """

    inputs: dict[str, Value] = field(default_factory=dict)
    instrs: list[Instr] = field(default_factory=list)
    outputs: dict[str, Value] = field(default_factory=dict)

    def counts(self) -> Counter[str]:
        """Return how often the block executes each operation, also in the procedures that it calls."""
        found = Counter(instr.op for instr in self.instrs if instr.procedure is None)
        for instr in self.instrs:
            if instr.procedure is not None:
                found += instr.procedure.block.counts()
        return found

    @property
    def width(self) -> int:
        """The width of the widest operation in bits, or 0 if there is none."""
        return max((instr.w for instr in self.instrs), default=0)


@dataclass(frozen=True, eq=False, slots=True)
class Procedure:
    """A block from words to words that several calls share.

    Its inputs a0, a1, … and b0, b1, … are those words of the two arguments that it reads; its outputs c0, c1,
    … are those words of all results, joined to one number, that are used. Numbers count from the low word. A
    call has its arguments and results in this order.

    Attributes:
        name: The name of the procedure.
        op: The operation that it computes.
        w: The width of the operation in bits.
        block: The code.
    """

    name: str
    op: str
    w: int
    block: Block


def renewed(block: Block, shared: Iterable[Value] = ()) -> Block:
    """Return a copy of a block on new values, so that both may become parts of one block.

    Args:
        block: The block.
        shared: The values that are not replaced by new ones.
    """
    new: dict[int, Value] = {id(value): value for value in shared}

    def other(value: Value) -> Value:
        if id(value) not in new:
            new[id(value)] = value if value.is_const else replace(value, digits=tuple(map(other, value.digits)))
        return new[id(value)]

    inputs = {name: other(value) for name, value in block.inputs.items()}
    instrs = [i.on(tuple(map(other, i.args)), tuple(map(other, i.results))) for i in block.instrs]
    return Block(inputs, instrs, {name: other(value) for name, value in block.outputs.items()})


def leaves(value: Value) -> Sequence[Value]:
    """Return the words of a value, the high word first."""
    if not value.digits:
        return (value,)
    found: list[Value] = []
    for digit in value.digits:
        found += leaves(digit)
    return found


def words(value: Value, word: int, count: int) -> list[Value]:
    """Return the words of a rewritten value, the *low word first* as in memory.

    Args:
        value: The value.
        word: The number of bits of a word.
        count: The number of words to return. If the value has fewer words, zeros follow.
    """
    found = _words(value, word)
    assert len(found) <= count, f"{len(found)} words in {value} where {count} are stored"
    return found + [const(0)] * (count - len(found))


def _words(value: Value, word: int) -> list[Value]:
    """Return the words of a value, the low word first, without zeros above them."""
    if value.is_const:
        length = max(1, -(-value.lo.bit_length() // word))
        return [const(value.lo >> word * i & ((1 << word) - 1)) for i in range(length)]
    if not value.digits:
        return [value]
    *low, top = reversed(value.digits)
    each = value.weight // word
    return [w for digit in low for w in words(digit, word, each)] + _words(top, word)
