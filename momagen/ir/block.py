"""A block: straight-line instructions in SSA form over values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from .value import Value, const


@dataclass(frozen=True, eq=False, slots=True)
class Instr:
    """``results = op(args)`` at width ``w`` (bits) with attribute ``k``.

    A *call* has a ``procedure``, which does ``op`` on the words of its arguments: as many as its block has inputs.
    """

    op: str
    w: int
    args: tuple[Value, ...]
    results: tuple[Value, ...]
    k: int = 0
    lanes: tuple[int, ...] = ()
    procedure: Procedure | None = None

    def on(self, args: tuple[Value, ...], results: tuple[Value, ...]) -> Instr:
        """The same operation on other values."""
        return Instr(self.op, self.w, args, results, self.k, self.lanes, self.procedure)


@dataclass(eq=False)
class Block:
    """Inputs, instructions in order, outputs; inputs and outputs carry names.

    A wide input or output is a joined value; :func:`leaves` gives its words, high part first.
    """

    inputs: dict[str, Value] = field(default_factory=dict)
    instrs: list[Instr] = field(default_factory=list)
    outputs: dict[str, Value] = field(default_factory=dict)

    def counts(self) -> Counter[str]:
        """How often each operation is done; a call counts what its procedure holds."""
        found = Counter(instr.op for instr in self.instrs if instr.procedure is None)
        for instr in self.instrs:
            if instr.procedure is not None:
                found += instr.procedure.block.counts()
        return found

    @property
    def width(self) -> int:
        """The widest operation, in bits; 0 for an empty block."""
        return max((instr.w for instr in self.instrs), default=0)


@dataclass(frozen=True, eq=False, slots=True)
class Procedure:
    """A block from words to words that does ``op`` at width ``w``, with a name: what calls share.

    Its inputs are the words that it reads of the two arguments, a0, a1, … and b0, b1, …, its outputs those that are
    read of all results together, c0, c1, …, each counted from the low word. A call takes and gives them in this order.
    """

    name: str
    op: str
    w: int
    block: Block


def renewed(block: Block, shared: Iterable[Value] = ()) -> Block:
    """``block`` on values of its own, but for those that are ``shared``, so that both may stand in one."""
    new: dict[int, Value] = {id(value): value for value in shared}

    def other(value: Value) -> Value:
        if id(value) not in new:
            new[id(value)] = value if value.is_const else replace(value, digits=tuple(map(other, value.digits)))
        return new[id(value)]

    inputs = {name: other(value) for name, value in block.inputs.items()}
    instrs = [i.on(tuple(map(other, i.args)), tuple(map(other, i.results))) for i in block.instrs]
    return Block(inputs, instrs, {name: other(value) for name, value in block.outputs.items()})


def leaves(value: Value) -> Sequence[Value]:
    """The words of a value, high part first."""
    if not value.digits:
        return (value,)
    found: list[Value] = []
    for digit in value.digits:
        found += leaves(digit)
    return found


def words(value: Value, word: int, count: int) -> list[Value]:
    """``count`` words of ``word`` bits of a rewritten value, *low word first* as memory holds them."""
    found = _words(value, word)
    assert len(found) <= count, f"{len(found)} words in {value} where {count} are stored"
    return found + [const(0)] * (count - len(found))


def _words(value: Value, word: int) -> list[Value]:
    if value.is_const:
        length = max(1, -(-value.lo.bit_length() // word))
        return [const(value.lo >> word * i & ((1 << word) - 1)) for i in range(length)]
    if not value.digits:
        return [value]
    *low, top = reversed(value.digits)
    each = value.weight // word
    return [w for digit in low for w in words(digit, word, each)] + _words(top, word)
