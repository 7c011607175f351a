"""Codelets as functions of arrays, and the constants that they read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from momagen.ir import Block, Value
from momagen.ir import words as words_of
from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.residues.arith import Arith
from momagen.lower.phases import RuleChoices, lower, without_butterflies
from momagen.rewrite import Trace
from momagen.targets import Target

from .halves import with_halves

PART = 32
"""The number of bits of a word in tables and of operands."""
MATERIALISED = "materialised"
"""The prefix of the names of a block's outputs that are not results."""
MODULUS, ONE = "q", "v1"
"""The sources of constants: the modulus and, in element-wise kernels, the number 1 by this name."""


class DerivedConstant(NamedTuple):
    """An input of a codelet that is not an operand.

    Attributes:
        input: The name of the input.
        op: The operation that derives it from ``of``, or "" if it is ``of`` itself.
        k: The parameter of the operation.
        of: Its source: q, a twiddle or a scalar.
        words: Its number of 32-bit words, which form whole words of the machine.
    """

    input: str
    op: str
    k: int
    of: str
    words: int

    @property
    def key(self) -> str:
        """Its name in tables, where codelets of one kernel may have quotients by q of several lengths."""
        return f"{self.input}{self.k}" if self.op == "estimate" else self.input


@dataclass(frozen=True)
class ArrayCodelet:
    """A function of arrays: its operands, then its constants.

    Attributes:
        name: The name of the function.
        block: The codelet on words.
        operands: The names of the operands.
        results: The names of the results.
        constants: The other inputs.
        words: The number of words of a result.
        materialised: The outputs of the block that are not results, but are computed once for all that read
            them.
    """

    name: str
    block: Block
    operands: Sequence[str]
    results: Sequence[str]
    constants: Sequence[DerivedConstant]
    words: int
    materialised: Sequence[str] = ()


@dataclass
class ArrayCodelets:
    """All codelets of a kernel, each of them once.

    Attributes:
        target: The target.
        arith: The arithmetic modulo q.
        materialised: The number of words of residues from which on products are materialised, or 0 if they
            never are.
        choices: The chosen alternatives of the rule table.
        trace: The rules that were applied.
        found: The codelets by name.
    """

    target: Target
    arith: Arith
    materialised: int = 0
    choices: RuleChoices = ()
    trace: Trace = field(default_factory=Trace)
    found: dict[str, ArrayCodelet] = field(default_factory=dict)
    _known: dict[int, ArrayCodelet] = field(default_factory=dict)

    @property
    def operations(self) -> Counter[str]:
        """The number of word operations in all codelets together, by operation."""
        return Counter(instr.op for each in self.found.values() for instr in each.block.instrs)

    def butterfly(self, codelet: Codelet) -> ArrayCodelet:
        """Return the function of the codelet of a pass."""
        if id(codelet) not in self._known:
            x, y = ([f"{end}{i}" for i in range(codelet.radix)] for end in "xy")
            self._known[id(codelet)] = self.add(f"butterfly{len(self._known) + 1}", codelet.block, x, y)
        return self._known[id(codelet)]

    def shared(
        self, name: str, block: Block, operands: Sequence[str], results: Sequence[str], words: int = 0
    ) -> ArrayCodelet:
        """Return the function with the given name, whose block is always the same."""
        return self.found.get(name) or self.add(name, block, operands, results, words)

    def add(
        self, name: str, block: Block, operands: Sequence[str], results: Sequence[str], words: int = 0
    ) -> ArrayCodelet:
        """Add a function and return it.

        Args:
            name: The name of the function.
            block: The codelet.
            operands: The names of its inputs that are not constants.
            results: The names of its results.
            words: The number of words of a result, or 0 for the number of words of a residue.
        """
        trace = Trace()
        if 0 < self.materialised <= self.arith.words:
            block = _materialised(without_butterflies(block, self.target, trace))
        done = with_halves(lower(block, self.target, trace, choices=self.choices), self.target)
        self.trace.add(trace)
        constants = [self._constant(key, value, trace) for key, value in done.inputs.items() if key not in operands]
        self.found[name] = ArrayCodelet(name, done, operands, results, constants, words or self.arith.words,
                                        [key for key in done.outputs if key.startswith(MATERIALISED)])  # fmt: skip
        return self.found[name]

    def _constant(self, key: str, value: Value, trace: Trace) -> DerivedConstant:
        op, k, of = trace.derived.get(key, ("", 0, key))
        whole = -(-value.hi.bit_length() // self.target.word)
        return DerivedConstant(key, op, k, of, whole * self.target.word // PART)

    def words(self, value: Value) -> list[Value]:
        """Return the words of a value, low word first."""
        word = self.target.word
        return words_of(value, word, max(self.arith.words, -(-value.hi.bit_length() // word)))


def _materialised(block: Block) -> Block:
    """Return ``block`` with its products modulo q as additional outputs."""
    found = (value for instr in block.instrs if instr.op == "mulmod" for value in instr.results)
    return replace(block, outputs={**block.outputs, **{f"{MATERIALISED}{at}": value for at, value in enumerate(found)}})
