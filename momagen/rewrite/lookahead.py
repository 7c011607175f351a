"""Numbers across lanes: sums, differences and comparisons of numbers that stand word after word, as memory has them.

A number of k words takes k lanes, and the next one those that follow, through as many registers as end with a number.
Lanes add on their own, and every lane says whether it makes a carry (s < a) and whether it would pass one on (s is all
ones); ``carries`` finds from these masks where carries arrive, in one addition. Differences and comparisons do the same
with borrows (a < b, a = b). A number's first lane passes nothing on, so what its predecessor gives off, its carry out
or the answer of its comparison, arrives there and goes no further.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from math import gcd

from momagen.ir import Block, Builder, Instr, Value, const, dead_code

Rows = list[Value]
"""The registers of a group of numbers."""
ZERO, EMPTY = const(0), const(0, "mask")
LONGEST = 64
"""Bits of a mask, one more than lanes: what the last number gives off has one too."""


def registers(words: int, lanes: int) -> int:
    """Registers of a group: as few as end where a number ends."""
    return words // gcd(words, lanes)


class Lookahead:
    """Appends to a block what numbers of ``words`` words take, in registers of ``lanes`` words of ``word`` bits."""

    def __init__(self, word: int, words: int, lanes: int) -> None:
        self.b, self.word, self.words, self.lanes = Builder(), word, words, lanes
        self.count = registers(words, lanes)
        size = lanes * self.count
        self.ones, self.all = const((1 << word) - 1), const((1 << size) - 1, "mask")
        first = sum(1 << i for i in range(0, size, words))
        self.inner, self.ends = const(self.all.lo - first, "mask"), const(first << words, "mask")

    def mask(self, op: str, a: Value, b: Value) -> Value:
        return self.b.one(op, self.lanes, a, b)

    def each(self, op: str, *rows: Sequence[Value]) -> Rows:
        """``op`` register by register."""
        return [self.b.one(op, self.word, *args) for args in zip(*rows, strict=True)]

    def joined(self, op: str, a: Rows, b: Rows) -> Value:
        """A comparison of all lanes."""
        flags = self.each(op, a, b)
        masks = [self.b.one("lift", self.lanes, flag, k=self.lanes * i) for i, flag in enumerate(flags)]
        return reduce(partial(self.mask, "mor"), masks)

    def flags(self, mask: Value) -> Rows:
        """A mask by registers; one that is known says the same of all lanes."""
        assert not mask.is_const or mask.lo in (0, self.all.lo)
        return [self.b.one("pick", self.lanes, mask, k=self.lanes * i) for i in range(self.count)]

    def carried(self, op: str, rows: Rows, carries: Value) -> Rows:
        """1 more (``inc``) or less (``dec``) where a carry arrives."""
        return self.each(op, rows, self.flags(carries))

    def arriving(self, made: Value, passed: Value) -> Value:
        """Where carries arrive: in lanes of the number that makes them and, off its end, in the next first lane."""
        return self.mask("carries", made, self.mask("mand", passed, self.inner))

    def inside(self, carries: Value) -> Value:
        return self.mask("mand", carries, self.inner)

    def out(self, carries: Value) -> Value:
        """All lanes of the numbers that gave something off."""
        return self.b.one("spread", self.lanes, self.mask("mand", carries, self.ends), k=self.words)

    def negated(self, mask: Value) -> Value:
        return self.mask("mxor", mask, self.all)

    def borrows(self, a: Rows, b: Rows) -> Value:
        return self.arriving(self.joined("lt", a, b), self.joined("eq", a, b))

    def sum(self, a: Rows, b: Rows, fits: bool) -> tuple[Rows, Value]:
        """a + b modulo R, and its carries; none leaves a number where the sum ``fits``."""
        total = self.each("addlo", a, b)
        made, passed = self.joined("lt", total, a), self.joined("eq", total, [self.ones] * self.count)
        if fits:
            return self.carried("inc", total, self.mask("carries", made, passed)), EMPTY
        carries = self.arriving(made, passed)
        return self.carried("inc", total, self.inside(carries)), carries

    def add(self, a: Rows, b: Rows, fits: bool) -> Rows:
        return self.sum(a, b, fits)[0]

    def shift(self, a: Rows, k: int) -> Rows:
        """a·2^k, where that fits."""
        for _ in range(k):
            a = self.add(a, a, True)
        return a

    def subtract(self, a: Rows, b: Rows) -> Rows:
        return self.carried("dec", self.each("sublo", a, b), self.inside(self.borrows(a, b)))

    def less(self, a: Rows, b: Rows) -> Value:
        return self.out(self.borrows(a, b))

    def at_most(self, a: Rows, b: Rows) -> Value:
        return self.negated(self.less(b, a))

    def equal(self, a: Rows, b: Rows) -> Value:
        """A first lane that is equal makes something, and every other one passes it on."""
        same = self.joined("eq", a, b)
        return self.out(self.arriving(self.mask("mxor", same, self.inside(same)), same))

    def select(self, flag: Value, a: Rows, b: Rows) -> Rows:
        return self.each("select", self.flags(flag), a, b)

    def reduced(self, a: Rows, m: Rows, carries: Value = EMPTY) -> Rows:
        """a - m for a ≥ m, and for sums whose ``carries`` say that they left their words."""
        borrows = self.borrows(a, m)
        chosen = self.mask("mor", self.negated(self.out(borrows)), self.out(carries))
        less = self.each("subif", self.flags(chosen), a, m)
        return self.carried("dec", less, self.inside(self.mask("mand", borrows, chosen)))

    def add_modulo(self, a: Rows, b: Rows, q: Rows, fits: bool) -> Rows:
        total, carries = self.sum(a, b, fits)
        return self.reduced(total, q, carries)

    def subtract_modulo(self, a: Rows, b: Rows, q: Rows) -> Rows:
        """q comes back where a - b borrows; the carry out of that sum is the borrow's own."""
        below = self.less(a, b)
        total = self.each("addif", self.flags(below), self.subtract(a, b), q)
        made, passed = self.joined("lt", total, q), self.joined("eq", total, [self.ones] * self.count)
        carries = self.arriving(self.mask("mand", made, below), self.mask("mand", passed, below))
        return self.carried("inc", total, self.inside(carries))


Step = Callable[..., Rows | Value]
STEPS: dict[str, Step] = {
    "sublo": Lookahead.subtract, "csub": Lookahead.reduced, "submod": Lookahead.subtract_modulo,
    "lt": Lookahead.less, "le": Lookahead.at_most, "eq": Lookahead.equal, "not": Lookahead.negated,
    "select": Lookahead.select, "shl": Lookahead.shift, "low": lambda steps, a: a,
}  # fmt: skip
SUMS: dict[str, Step] = {"addlo": Lookahead.add, "addmod": Lookahead.add_modulo}
"""What operations on numbers become; sums are told whether they fit. All is modulo R, and ``low`` asks for no less."""


@dataclass(frozen=True)
class Group:
    """A block on the registers of a group of numbers; inputs and the result ``z`` by registers."""

    block: Block
    inputs: dict[str, Rows]
    result: Rows


def can_look_ahead(block: Block, words: int, lanes: int) -> bool:
    """Whether all operations of ``block`` are among these, and the masks of a group fit a word of 64 bits."""
    known = {*STEPS, *SUMS}
    return all(instr.op in known for instr in block.instrs) and lanes * registers(words, lanes) < LONGEST


def look_ahead(block: Block, word: int, words: int, lanes: int) -> Group:
    """``block`` on numbers of ``words`` words, for as many of them at once as a group has.

    Args:
        block: a codelet on whole numbers with the result z, that :func:`can_look_ahead`.
    """
    steps, known = Lookahead(word, words, lanes), dict[int, Rows | Value]()
    full, held = (1 << word) - 1, word * words
    inputs = {name: [steps.b.input(f"{name}{j}", 0, full) for j in range(steps.count)] for name in block.inputs}
    known.update((id(value), inputs[name]) for name, value in block.inputs.items())
    known[id(ZERO)] = [ZERO] * steps.count
    for instr in block.instrs:
        known[id(instr.results[0])] = _step(steps, instr, [known[id(a)] for a in instr.args], held)
    result = known[id(block.outputs["z"])]
    assert isinstance(result, list)
    steps.b.block.outputs = {f"z{j}": value for j, value in enumerate(result)}
    return Group(dead_code(steps.b.block), inputs, result)


def _step(steps: Lookahead, instr: Instr, args: Sequence[Rows | Value], held: int) -> Rows | Value:
    if instr.op in SUMS:
        return SUMS[instr.op](steps, *args, fits=instr.args[0].hi + instr.args[1].hi >> held == 0)
    return STEPS[instr.op](steps, *args, **({"k": instr.k} if instr.op == "shl" else {}))
