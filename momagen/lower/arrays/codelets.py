"""Codelets as functions of arrays, and the constants that they read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from momagen.ir import Block, Value
from momagen.ir import words as words_of
from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.residues.arith import Arith
from momagen.lower.phases import lower
from momagen.rewrite import Trace
from momagen.targets import Target

from .halves import with_halves

MODULUS, ONE = "q", "v1"
"""What constants are derived of: the modulus; and in element-wise kernels, the number 1 by this name."""


class DerivedConstant(NamedTuple):
    """An input of a codelet that is no operand.

    Attributes:
        input: its name. op, k: what derives it, and the attribute of that; "" where it is ``of`` itself. of: q, a
            twiddle or a scalar. words: so many of the machine.
    """

    input: str
    op: str
    k: int
    of: str
    words: int


@dataclass(frozen=True)
class ArrayCodelet:
    """A function of arrays: of its operands, then of its constants. ``block``: on words. ``words``: of a result."""

    name: str
    block: Block
    operands: Sequence[str]
    results: Sequence[str]
    constants: Sequence[DerivedConstant]
    words: int


@dataclass
class ArrayCodelets:
    """All codelets of a kernel, each once."""

    target: Target
    arith: Arith
    trace: Trace = field(default_factory=Trace)
    found: dict[str, ArrayCodelet] = field(default_factory=dict)
    _known: dict[int, ArrayCodelet] = field(default_factory=dict)

    @property
    def operations(self) -> Counter[str]:
        """Word operations of one pass over all of them."""
        return Counter(instr.op for each in self.found.values() for instr in each.block.instrs)

    def butterfly(self, codelet: Codelet) -> ArrayCodelet:
        """That of a pass."""
        if id(codelet) not in self._known:
            x, y = ([f"{end}{i}" for i in range(codelet.radix)] for end in "xy")
            self._known[id(codelet)] = self.add(f"butterfly{len(self._known) + 1}", codelet.block, x, y)
        return self._known[id(codelet)]

    def shared(
        self, name: str, block: Block, operands: Sequence[str], results: Sequence[str], words: int = 0
    ) -> ArrayCodelet:
        """A block that is always the same where it has this name."""
        return self.found.get(name) or self.add(name, block, operands, results, words)

    def add(
        self, name: str, block: Block, operands: Sequence[str], results: Sequence[str], words: int = 0
    ) -> ArrayCodelet:
        """Any block; ``operands``: its inputs that are no constants; ``words``: of a result, 0: those of a residue."""
        trace = Trace()
        done = with_halves(lower(block, self.target, trace), self.target)
        self.trace.add(trace)
        constants = [self._constant(key, value, trace) for key, value in done.inputs.items() if key not in operands]
        self.found[name] = ArrayCodelet(name, done, operands, results, constants, words or self.arith.words)
        return self.found[name]

    def _constant(self, key: str, value: Value, trace: Trace) -> DerivedConstant:
        op, k, of = trace.derived.get(key, ("", 0, key))
        return DerivedConstant(key, op, k, of, -(-value.hi.bit_length() // self.target.word))

    def words(self, value: Value) -> list[Value]:
        """The words of a value, the low one first."""
        word = self.target.word
        return words_of(value, word, max(self.arith.words, -(-value.hi.bit_length() // word)))
